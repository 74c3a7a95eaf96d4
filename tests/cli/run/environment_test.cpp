// The environment for programs: paths, preloaded libraries, quoting.
#include "cli/run/environment.h"
#include "files/write.h"
#include "tests/expected.h"
#include "toolchain/temporary_folder.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::cli {
namespace {

using namespace test;

namespace fs = std::filesystem;

class Environment : public testing::Test {
protected:
  void SetUp() override {
    unsetenv("LD_LIBRARY_PATH");
    unsetenv("LD_PRELOAD");
  }
  // An empty file, with its folders.
  std::string touch(const std::string& name) {
    fs::create_directories(fs::path(folder.path(name)).parent_path());
    EXPECT_EQ(error_of(files::write(folder.path(name), std::string())), "");
    return folder.path(name);
  }
  static std::string value(const std::vector<Variable>& variables, const std::string& name) {
    for (const auto& v : variables)
      if (v.name == name)
        return v.value;
    return "(none)";
  }
  toolchain::TemporaryFolder folder = llvm::cantFail(toolchain::TemporaryFolder::create());
};

Program dynamic_program() {
  Program program;
  program.path = "/x/program";
  program.elf = program.is_64_bit = program.dynamic = true;
  program.libraries = {"libamdhip64.so.5", "libc.so.6"};
  return program;
}

TEST_F(Environment, TheRuntimeIsFoundBesideTheCommand) {
  const std::string command = folder.path("bin/crosslane");
  EXPECT_HAS(error_of(find_runtime(command)), "libhsa-runtime64.so.1 is not where it belongs");
  touch("lib/libhsa-runtime64.so.1"); // of another kind: the shim is not beside it
  EXPECT_HAS(error_of(find_runtime(command)), "libhsa-runtime64.so.1 is not where it belongs");
  touch("lib/libcrosslane-preload.so"); // a build tree
  EXPECT_EQ(value_of(find_runtime(command)), folder.path("lib"));
  touch("lib/crosslane/libhsa-runtime64.so.1"), touch("lib/crosslane/libcrosslane-preload.so"); // an installation
  EXPECT_EQ(value_of(find_runtime(command)), folder.path("lib/crosslane"));
  touch("a:b/lib/libhsa-runtime64.so.1"), touch("a:b/lib/libcrosslane-preload.so");
  EXPECT_HAS(error_of(find_runtime(folder.path("a:b/bin/crosslane"))), "install crosslane in another one");
}

TEST_F(Environment, Lists) {
  EXPECT_EQ(prepend_path("/r", ""), "/r");
  EXPECT_EQ(prepend_path("/r", "/a:/b"), "/r:/a:/b");
  EXPECT_EQ(prepend_path("/r", "/a:/r:/b"), "/r:/a:/b");
  EXPECT_EQ(prepend_path("/r", "/a::/b"), "/r:/a::/b"); // the empty one is the current folder
  EXPECT_EQ(append_preload("", "/p.so"), "/p.so");
  EXPECT_EQ(append_preload("a.so b.so:c.so", "/p.so"), "a.so:b.so:c.so:/p.so");
  EXPECT_EQ(append_preload("/p.so:a.so", "/p.so"), "a.so:/p.so");
}

TEST_F(Environment, OnlyWhatWasAskedForIsSet) {
  EXPECT_EQ(environment({}, "/r", nullptr),
            (std::vector<Variable>{{"LD_LIBRARY_PATH", "/r"}, {"LD_PRELOAD", "/r/libcrosslane-preload.so"}}));
  GpuOptions options;
  options.gpus = "vega10,vega20", options.vram = "2G", options.profile.views = "branches", options.threads = "3";
  options.output = "x/../report.txt", options.stats = options.quiet = true;
  options.profile.kernels = "^v", options.profile.launches = "1..", options.profile.sample = "1%";
  options.profile.by = "kernel", options.profile.json = "/x/p.json", options.profile.csv = "p.csv";
  options.profile.html = "../p.html", options.profile.per_wave = true;
  setenv("LD_LIBRARY_PATH", "/a", 1);
  setenv("LD_PRELOAD", "libc.so.6", 1);
  const auto variables = environment(options, "/r", nullptr);
  EXPECT_EQ(value(variables, "LD_LIBRARY_PATH"), "/r:/a");
  EXPECT_EQ(value(variables, "LD_PRELOAD"), "libc.so.6:/r/libcrosslane-preload.so");
  EXPECT_EQ(value(variables, "CROSSLANE_GPU"), "vega10,vega20");
  EXPECT_EQ(value(variables, "CROSSLANE_VRAM"), "2G");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE"), "branches");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_KERNEL"), "^v");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_LAUNCH"), "1..");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_SAMPLE"), "1%");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_BY"), "kernel");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_JSON"), "/x/p.json");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_CSV"), fs::current_path().string() + "/p.csv");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_HTML"), fs::current_path().parent_path().string() + "/p.html");
  EXPECT_EQ(value(variables, "CROSSLANE_PROFILE_PER_WAVE"), "1");
  EXPECT_EQ(value(variables, "CROSSLANE_STATS"), "1");
  EXPECT_EQ(value(variables, "CROSSLANE_OUTPUT"), fs::current_path().string() + "/report.txt");
  EXPECT_EQ(value(variables, "CROSSLANE_THREADS"), "3");
  EXPECT_EQ(value(variables, "CROSSLANE_QUIET"), "1");
}

TEST_F(Environment, WhatIsPreloadedSuitsTheProgram) {
  const std::string shim = "/r/libcrosslane-preload.so";
  Program program = dynamic_program();
  const auto preloaded = [&] { return value(environment({}, "/r", &program), "LD_PRELOAD"); };
  EXPECT_EQ(preloaded(), shim);
  program.is_64_bit = false;
  EXPECT_EQ(preloaded(), "(none)");
  program = dynamic_program(), program.dynamic = false;
  EXPECT_EQ(preloaded(), "(none)");
  program = dynamic_program(), program.libraries.push_back("libasan.so.8");
  EXPECT_EQ(preloaded(), "(none)");
  program = Program(); // a script
  EXPECT_EQ(preloaded(), shim);
  // A folder that LD_PRELOAD cannot name is searched all the same.
  EXPECT_EQ(value(environment({}, "/a b", &program), "LD_PRELOAD"), "libcrosslane-preload.so");
}

TEST_F(Environment, ARuntimeInThePathOfTheProgramIsForestalled) {
  Program program = dynamic_program();
  program.rpath = {folder.path("own")};
  const auto preloaded = [&] { return value(environment({}, "/r", &program), "LD_PRELOAD"); };
  EXPECT_EQ(preloaded(), "/r/libcrosslane-preload.so");
  touch("own/libhsa-runtime64.so.1");
  EXPECT_EQ(preloaded(), "/r/libcrosslane-preload.so:/r/libhsa-runtime64.so.1");
  std::swap(program.rpath, program.runpath); // LD_LIBRARY_PATH goes before this one
  EXPECT_EQ(preloaded(), "/r/libcrosslane-preload.so");
}

TEST_F(Environment, LlvmsOpenMpIsFound) {
  Program program = dynamic_program();
  touch("llvm-7/lib/libomptarget.so.7.1");
  const auto found = [&](const std::string& path) { return llvm_folder(program, path, folder.path()); };
  EXPECT_EQ(found(""), "");
  program.libraries.push_back("libomptarget.so.7.1");
  EXPECT_EQ(found(""), folder.path("llvm-7/lib"));
  EXPECT_EQ(found("/a:/b"), folder.path("llvm-7/lib"));
  // Where somebody keeps his own.
  touch("mine/libomptarget.so.7.1");
  EXPECT_EQ(found("/a:" + folder.path("mine")), "");
  program.runpath = {folder.path("mine")};
  EXPECT_EQ(found(""), "");
  std::swap(program.rpath, program.runpath);
  EXPECT_EQ(found(""), "");
  program.rpath.clear(), program.libraries.back() = "libomptarget.so.8.1";
  EXPECT_EQ(found(""), "");
}

TEST_F(Environment, Quoting) {
  const std::vector<Variable> variables = {{"A", "/lib/x:/y"}, {"B", "it's $HOME \"q\" \\ `w`"}, {"C", ""}};
  EXPECT_EQ(shell_text(variables, Shell::sh),
            "export A=/lib/x:/y\nexport B='it'\\''s $HOME \"q\" \\ `w`'\nexport C=''\n");
  EXPECT_EQ(shell_text(variables, Shell::fish),
            "set -gx A '/lib/x:/y'\nset -gx B 'it\\'s $HOME \"q\" \\\\ `w`'\nset -gx C ''\n");
  EXPECT_EQ(nlohmann::json::parse(shell_text(variables, Shell::json))["B"], variables[1].value);
}

} // namespace
} // namespace crosslane::cli
