// crosslane run and crosslane env, in an installation with a runtime library that is never loaded: no program here uses
// a GPU. Programs that do are in tests/programs.
#include "files/read.h"
#include "files/write.h"
#include "report/view.h"
#include "tests/cli/command.h"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace crosslane::cli::test {
namespace {

namespace fs = std::filesystem;

class RunCommand : public testing::Test {
protected:
  void SetUp() override {
    for (const char* name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "CROSSLANE_GPU", "CROSSLANE_STATS", "CROSSLANE_PROFILE"})
      unsetenv(name);
    fs::create_directories(folder / "bin");
    fs::create_directories(runtime);
    std::error_code another_file_system;
    fs::create_hard_link(CROSSLANE, command, another_file_system);
    if (another_file_system)
      fs::copy_file(CROSSLANE, command);
    fs::copy_file(PRELOAD, runtime + "/libcrosslane-preload.so");
    EXPECT_EQ(error_of(files::write(runtime + "/libhsa-runtime64.so.1", std::string())), "");
  }
  Result crosslane(const std::vector<std::string>& words, const std::string& standard_input = "") const {
    return test::run(command, words, standard_input);
  }
  Folder folder;
  const std::string command = folder / "bin/crosslane", runtime = folder / "lib/crosslane";
};

TEST_F(RunCommand, ExitStatus) {
  EXPECT_EQ(crosslane({"run", "--", "true"}).status, 0);
  const Result seven = crosslane({"run", "--", "sh", "-c", "exit 7"});
  EXPECT_EQ(seven.status, 7);
  EXPECT_EQ(seven.err, "");
}

TEST_F(RunCommand, DeathBySignal) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGTERM, SIGKILL}) {
    const Result result = crosslane({"run", "--", "sh", "-c", "ulimit -c 0; kill -" + std::to_string(signal) + " $$"});
    EXPECT_EQ(result.status, -1);
    EXPECT_EQ(result.signal, signal);
  }
}

TEST_F(RunCommand, InputAndOutput) {
  const Result result = crosslane({"run", "sh", "-c", "cat; echo err >&2"}, "a\nb\n");
  EXPECT_EQ(result.out, "a\nb\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST_F(RunCommand, ArgumentsAreTheProgramsOwn) {
  EXPECT_EQ(crosslane({"run", "--", "printf", "<%s>", "a b", "", "[1,2]", "--gpu", "x", "--", "-h", "it's", "{x}"}).out,
            "<a b><><[1,2]><--gpu><x><--><-h><it's><{x}>");
  EXPECT_EQ(crosslane({"run", "printf", "<%s>", "--stats", "--", "--", "launch"}).out, "<--stats><--><--><launch>");
  EXPECT_EQ(crosslane({"run", "--gpu", "vega20", "sh", "-c", "echo $CROSSLANE_GPU", "--gpu", "x"}).out, "vega20\n");
  EXPECT_EQ(crosslane({"run", "--", "--help"}).status, 127);
}

TEST_F(RunCommand, TheEnvironmentOfTheProgram) {
  setenv("LD_LIBRARY_PATH", "/nowhere:/else", 1);
  setenv("LD_PRELOAD", "libc.so.6", 1);
  const Result result =
      crosslane({"run", "--gpu", "gfx900,gfx906", "--vram", "2G", "--stats", "--threads=2", "--quiet", "--", "env"});
  const std::string lines[] = {"LD_LIBRARY_PATH=" + runtime + ":/nowhere:/else",
                               "LD_PRELOAD=libc.so.6:" + runtime + "/libcrosslane-preload.so",
                               "CROSSLANE_GPU=gfx900,gfx906",
                               "CROSSLANE_VRAM=2G",
                               "CROSSLANE_STATS=1",
                               "CROSSLANE_THREADS=2",
                               "CROSSLANE_QUIET=1"};
  for (const auto& line : lines)
    EXPECT_HAS("\n" + result.out, "\n" + line + "\n");
  EXPECT_FALSE(contains(result.out, "CROSSLANE_PROFILE")) << result.out;
}

TEST_F(RunCommand, Cards) {
  EXPECT_HAS(crosslane({"run", "--help"}).out, "\n  gfx906: vega20 mi50 mi60\n");
  EXPECT_EQ(crosslane({"run", "--gpu", "Fiji", "true"}).status, 0);
  const Result list = crosslane({"run", "--list-gpus"});
  EXPECT_EQ(list.status, 0);
  EXPECT_HAS(list.out, "\nvega20     gfx906     60  1801 MHz  16368 MiB  13.8 TB/s   83.0 TB/s  AMD Radeon VII\n");
  // "Cross-Lane Operations" has these two of the R9 Fury X.
  EXPECT_HAS(list.out,
             "\nfiji       gfx803     64  1050 MHz   4096 MiB   8.6 TB/s   51.6 TB/s  AMD Radeon R9 Fury Series\n");
}

TEST_F(RunCommand, TheReportsFileIsEmptyAtFirst) {
  const std::string report = folder / "report";
  EXPECT_EQ(error_of(files::write(report, std::string("old"))), "");
  EXPECT_EQ(crosslane({"run", "--stats", "--output", report, "sh", "-c", "echo $CROSSLANE_OUTPUT"}).out, report + "\n");
  EXPECT_EQ(fs::file_size(report), 0u);
}

TEST_F(RunCommand, ReportsOfAnEarlierRunAreTakenAway) {
  const std::string report = folder / "report.json";
  EXPECT_EQ(error_of(files::write(report, std::string("old"))), "");
  EXPECT_EQ(crosslane({"run", "--json", report, "sh", "-c", "echo $CROSSLANE_PROFILE_JSON"}).out, report + "\n");
  EXPECT_FALSE(fs::exists(report));
}

TEST_F(RunCommand, Mistakes) {
  struct Case {
    std::vector<std::string> words;
    int status;
    std::string message;
  };
  const Case cases[] = {
      {{"run"}, 2, "which program?"},
      {{"run", "--stats", "--"}, 2, "which program?"},
      {{"run", "--gpux", "true"}, 2, "run has no option '--gpux'; did you mean --gpu?"},
      {{"run", "--gpux", "vega10", "--", "true"}, 2, "run has no option '--gpux'"},
      {{"run", "--gpu"}, 2, "--gpu"},
      {{"run", "--gpu", "vega10,voodoo2", "true"}, 2, "there is no card 'voodoo2'"},
      {{"run", "--gpu", "vega2o", "true"}, 2, "there is no card 'vega2o'; did you mean vega20?"},
      {{"run", "--timeout", "0", "true"}, 2, "CROSSLANE_TIMEOUT is '0'; it must be a number of seconds above 0"},
      {{"run", "--timeout", "1h", "true"}, 2, "CROSSLANE_TIMEOUT is '1h'"},
      {{"run", "--gpu", "vega10,", "true"}, 2, "there is no card ''"},
      {{"env", "--gpu", "gfx42"}, 2, "\n  gfx803: fiji polaris10 "},
      {{"run", "--vram", "much", "true"}, 2, "it must be a number of bytes such as 512M or 8G"},
      {{"run", "--profile", "x", "true"},
       2,
       "--profile x: there is no view 'x'; there are " + report::view_names(" and ") + ", or all"},
      {{"run", "--profile", "lds", "--sample", "x", "true"}, 2, "--sample x: write a part of the workgroups"},
      {{"run", "--profile", "lds", "--launch", "x", "true"}, 2, "--launch x: which launches"},
      {{"run", "--kernel", "x", "true"}, 2, "--kernel needs --profile"},
      {{"run", "--profile", "lds", "--kernel", "(", "true"}, 2, "--kernel (: is no regular expression"},
      {{"run", "--profile", "lds", "--by", "x", "true"}, 2, "--by x: there are line, instruction and kernel"},
      {{"run", "--html", "/nowhere/x", "true"}, 2, "/nowhere/x: No such file or directory"},
      {{"run", "--html", "x", "--trace-wave", "0", "true"}, 2, "--trace-wave 0: write WORKGROUP:WAVE"},
      {{"run", "--html", "x", "--trace-wave", "1:-1", "true"}, 2, "--trace-wave 1:-1: write WORKGROUP:WAVE"},
      {{"run", "--profile", "all", "--trace-wave", "0:0", "true"}, 2, "--trace-wave needs --html or --json"},
      {{"env", "--trace-wave", "0:0"}, 2, "--trace-wave needs --html or --json"},
      {{"run", "--threads", "0", "true"}, 2, "from 1 to 4096"},
      {{"run", "--output", "x", "true"}, 2, "--output needs --stats, --time or --profile"},
      {{"run", "--stats", "--output", "/nowhere/x", "true"}, 2, "/nowhere/x: No such file or directory"},
      {{"run", "--", "no-such-program"}, 127, "no-such-program: No such file or directory"},
      {{"run", "--", "./no-such-program"}, 127, "./no-such-program: No such file or directory"},
      {{"run", "--", "/etc/passwd"}, 126, "/etc/passwd: Permission denied"},
      {{"env", "--format", "tcl"}, 2, "there are sh, fish and json"},
      {{"env", "x"}, 2, "x"},
  };
  for (const auto& [words, status, message] : cases) {
    const Result result = crosslane(words);
    EXPECT_EQ(result.status, status) << message;
    EXPECT_TRUE(result.err.starts_with("crosslane: ")) << result.err;
    EXPECT_HAS(result.err, message);
    EXPECT_EQ(result.out, "");
  }
  setenv("CROSSLANE_PROFILE", "lds", 1);
  EXPECT_EQ(crosslane({"run", "--kernel", "x", "true"}).status, 0);
  setenv("CROSSLANE_PROFILE_SAMPLE", "x", 1);
  EXPECT_HAS(crosslane({"run", "true"}).err, "CROSSLANE_PROFILE_SAMPLE x: write a part");
  unsetenv("CROSSLANE_PROFILE"), unsetenv("CROSSLANE_PROFILE_SAMPLE");
  setenv("CROSSLANE_PROFILE_TRACE_WAVE", "7", 1);
  const Result traced = crosslane({"run", "--json", folder / "p", "true"});
  EXPECT_EQ(traced.status, 2);
  EXPECT_HAS(traced.err, "CROSSLANE_PROFILE_TRACE_WAVE 7: write WORKGROUP:WAVE");
  unsetenv("CROSSLANE_PROFILE_TRACE_WAVE");
  fs::remove(runtime + "/libhsa-runtime64.so.1");
  EXPECT_HAS(crosslane({"run", "true"}).err, "libhsa-runtime64.so.1 is not where it belongs");
}

TEST_F(RunCommand, WarnsOfProgramsThatCannotHaveAGpu) {
  // A file header without anything behind it: for the system no program, for us a static one.
  std::string elf("\x7f"
                  "ELF\2\1\1",
                  7);
  elf.resize(64);
  elf[16] = 2, elf[18] = 62, elf[20] = 1;
  EXPECT_EQ(error_of(files::write(folder / "static", elf)), "");
  fs::permissions(folder / "static", fs::perms::owner_all);
  const Result loud = crosslane({"run", folder / "static"});
  EXPECT_EQ(loud.status, 126);
  EXPECT_HAS(loud.err, "crosslane: warning: " + (folder / "static") + " is statically linked");
  EXPECT_HAS(loud.err, "Exec format error");
  EXPECT_FALSE(contains(crosslane({"run", "--quiet", folder / "static"}).err, "warning"));
}

// A program that brings code for gfx900 and gfx803 along, as HIP's and OpenMP's do.
TEST_F(RunCommand, WarnsOfCardsThatTheProgramHasNoCodeFor) {
  std::vector<uint8_t> program = value_of(files::read("/bin/true"));
  for (const char* target : {"gfx900", "gfx803"}) {
    const std::string object = folder / (std::string(target) + ".co");
    EXPECT_EQ(test::crosslane({"asm", "--target", target, "-o", object, "s_endpgm"}).status, 0);
    const auto bytes = value_of(files::read(object));
    program.insert(program.end(), bytes.begin(), bytes.end());
  }
  EXPECT_EQ(error_of(files::write(folder / "program", program)), "");
  fs::permissions(folder / "program", fs::perms::owner_all);
  const std::string warning =
      "crosslane: warning: " + (folder / "program") + " has code for gfx900, gfx803, and none for ";
  const Result none = crosslane({"run", "--gpu", "mi100,vega20", folder / "program"});
  EXPECT_EQ(none.status, 0);
  EXPECT_EQ(none.err, warning + "mi100 (gfx908), vega20 (gfx906): use --gpu vega10 or --gpu fiji\n");
  EXPECT_EQ(crosslane({"run", "--gpu", "mi100,gfx803", folder / "program"}).err, "");
  EXPECT_EQ(crosslane({"run", folder / "program"}).err, "");
  EXPECT_EQ(crosslane({"run", "--quiet", "--gpu", "mi100", folder / "program"}).err, "");
}

TEST_F(RunCommand, EnvIsForTheShell) {
  const std::string report = folder / "it's $HOME \"here\"";
  const Result env = crosslane({"env", "--gpu", "vega20", "--stats", "--output", report});
  EXPECT_EQ(env.status, 0) << env.err;
  // Twice, as a shell's start-up file might.
  const Result shell = run("/bin/sh", {"-c", "eval \"$1\"; eval \"$(\"$0\" env --gpu fiji)\"; env", command, env.out});
  EXPECT_HAS(shell.out, "CROSSLANE_OUTPUT=" + report + "\n");
  EXPECT_HAS(shell.out, "CROSSLANE_GPU=fiji\n");
  EXPECT_HAS(shell.out, "LD_LIBRARY_PATH=" + runtime + "\n");
  EXPECT_HAS(shell.out, "LD_PRELOAD=" + runtime + "/libcrosslane-preload.so\n");
  EXPECT_FALSE(fs::exists(report));
  const auto json = nlohmann::json::parse(crosslane({"env", "--gpu", "vega20", "--format", "json"}).out);
  EXPECT_EQ(json["CROSSLANE_GPU"], "vega20");
  EXPECT_HAS(crosslane({"env", "--gpu", "vega20", "--format", "fish"}).out, "set -gx CROSSLANE_GPU 'vega20'\n");
  EXPECT_HAS(crosslane({"env", "--html", "x", "--trace-wave", "3,1,0:2"}).out,
             "export CROSSLANE_PROFILE_TRACE_WAVE=3,1,0:2\n");
  // The program may begin in another folder.
  const fs::path probe = folder / "probe.s";
  std::ofstream(probe) << "count %c0\n";
  const Result probes =
      crosslane({"env", "--instrument", "blocks," + fs::relative(probe).string(), "--at", "block,edge"});
  EXPECT_HAS(probes.out, "export CROSSLANE_INSTRUMENT=blocks," + probe.string() + "\n");
  EXPECT_HAS(probes.out, "export CROSSLANE_INSTRUMENT_AT=block,edge\n");
}

// Without a driver; where there is one, the answers are its own and as good.
TEST_F(RunCommand, TheDriverSeemsToBeThere) {
  const Result result = crosslane({"run", "--", GUEST, folder / "new"});
  EXPECT_EQ(result.status, 0);
  EXPECT_HAS(result.out, "open: open\nopen64: open\nopenat: open\n");
  EXPECT_HAS(result.out, "other: No such file or directory\nbad address: Bad address\n");
  EXPECT_HAS(result.out, "fopen: live\nfopen other: nothing\n");
  EXPECT_HAS(result.out, "popen: amdgpu ");
  EXPECT_HAS(result.out, "pclose: 0\npopen other: other\n");
  EXPECT_HAS(result.out, "/nodes-other: No such file or directory, 0\n");
  EXPECT_HAS(result.out, "mmap: 1\nmode: 640\n"); // a library behind ours sees what the program maps
  EXPECT_EQ(result.err, "");
  if (fs::exists("/dev/kfd"))
    GTEST_SKIP() << "there is a driver";
  EXPECT_HAS(run(GUEST, {}).out, "open: No such file or directory\n");
}

#ifdef RUNTIME
// The runtime library, which knows the cards, is loaded for that.
TEST_F(RunCommand, TheDriversFilesAreThere) {
  if (fs::exists("/sys/class/kfd"))
    GTEST_SKIP() << "there is a driver";
  EXPECT_HAS(crosslane({"run", "--", GUEST}).out,
             "/nodes/: No such file or directory, 0\n"); // no library that could be loaded
  fs::remove(runtime + "/libhsa-runtime64.so.1");
  fs::create_symlink(RUNTIME, runtime + "/libhsa-runtime64.so.1");
  setenv("TMPDIR", (folder / "").c_str(), 1);
  const Result result = crosslane({"run", "--gpu", "mi50,mi60", "--", GUEST});
  unsetenv("TMPDIR");
  EXPECT_EQ(result.err, "");
  EXPECT_HAS(result.out, "/nodes/: open, 3\n");
  EXPECT_HAS(result.out, "/nodes-other: No such file or directory, 0\n");
  EXPECT_HAS(result.out, "/1/io_links: open, 2\nname: mi50\nproperties: cpu_cores_count 0\n");
  EXPECT_HAS(result.out, "/2: stat 0, lstat 0, fstatat 0, access 0\n");
  EXPECT_HAS(result.out, "/3: stat -1, lstat -1, fstatat -1, access -1\nwrite: No such file or directory\n");
}
#endif

} // namespace
} // namespace crosslane::cli::test
