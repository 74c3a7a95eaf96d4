// crosslane launch --profile and what goes with it, as a user types it.
#include "files/read.h"
#include "files/write.h"
#include "report/view.h"
#include "tests/cli/command.h"
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace crosslane::cli::test {
namespace {

std::string text_of(const std::string& path) {
  const auto bytes = value_of(files::read(path));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> vadd(std::vector<std::string> more) {
  std::vector<std::string> words = {"launch", input("vadd.cl"),   "--grid",     "1000",     "--block",
                                    "128",    "a=f32[1000]:iota", "b=[1000]:1", "c=[1000]", "n=1000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The last of 8 workgroups has 104 work-items: 64 and 40. So 16 waves, 1000 lanes, of 4 bytes each.
TEST(ProfileCommand, AllFilesInOneRun) {
  const Folder folder;
  const Result result = crosslane(vadd({"--profile", "all", "--json", folder / "p.json", "--html", folder / "p.html",
                                        "--csv", folder / "p.csv", "--by", "instruction"}));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "8 workgroups, 16 wavefronts");
  EXPECT_HAS(result.out, "dword");
  const auto profile = nlohmann::json::parse(text_of(folder / "p.json"));
  EXPECT_EQ(profile["complete"], true);
  const auto& kernel = profile["kernels"][0];
  EXPECT_EQ(kernel["waves"], 16);
  int loads = 0;
  for (const auto& instruction : kernel["instructions"])
    for (const auto& memory : instruction.value("memory", nlohmann::json::array()))
      if (memory["space"] == "global" && memory["kind"] == "load") {
        ++loads;
        EXPECT_EQ(memory["bytes_asked"], 4000);
        EXPECT_EQ(memory["lines"], 63); // 62.5 lines, begun at the first of them
        EXPECT_EQ(memory["pattern"], "contiguous");
      }
  EXPECT_EQ(loads, 2);
  EXPECT_HAS(text_of(folder / "p.html"), "\"short\":\"vadd\"");
  EXPECT_HAS(text_of(folder / "p.csv"), "\"SQ_WAVES\",16");
}

// Neighbouring lanes are 8 floats apart: the 64 of the first wave reach elements 0 to 504.
TEST(ProfileCommand, BuffersAreNamedAndReportsAreTheSameInEveryRun) {
  const Folder folder;
  const std::string source = "kernel void strided(global const float* in, global float* out) {\n"
                             "  out[get_global_id(0)] = in[get_global_id(0) * 8];\n"
                             "}\n";
  EXPECT_EQ(error_of(files::write(folder / "strided.cl", source)), "");
  std::vector<nlohmann::json> findings;
  for (const char* name : {"a.json", "b.json"}) {
    const Result result = crosslane({"launch", folder / "strided.cl", "--grid", "256", "--block", "64",
                                     "in=f32[2048]:iota", "out=f32[256]", "--profile", "all", "--json", folder / name});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_HAS(result.out, "`in[0..504]`");
    const auto profile = nlohmann::json::parse(text_of(folder / name));
    std::set<std::string> names;
    for (const auto& buffer : profile["buffers"])
      names.insert(
          fmt::format("{} {} {}", buffer["name"].get<std::string>(), buffer["type"].dump(), buffer["size"].dump()));
    EXPECT_TRUE(names.contains("in \"f32\" 8192") && names.contains("out \"f32\" 1024"));
    findings.push_back(profile["kernels"][0]["findings"]);
    EXPECT_FALSE(contains(findings.back().dump(), "0x68"));
  }
  EXPECT_EQ(findings[0], findings[1]);
}

TEST(ProfileCommand, AReportOnStandardOutputIsAloneThere) {
  for (const char* name : {"-", "/dev/stdout"}) {
    const Result result = crosslane(vadd({"--json", name}));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(nlohmann::json::parse(result.out)["kernels"][0]["waves"], 16);
    EXPECT_HAS(result.err, "8 workgroups, 16 wavefronts");
  }
}

TEST(ProfileCommand, RunsThatAreAskedFor) {
  const Folder folder;
  const Result result =
      crosslane(vadd({"--json", folder / "p.json", "--runs", "4", "--launch", "1..2", "--overhead", "--stats"}));
  EXPECT_EQ(result.status, 0) << result.err;
  const auto profile = nlohmann::json::parse(text_of(folder / "p.json"));
  EXPECT_EQ(profile["kernels"][0]["launches"], 2);
  EXPECT_EQ(profile["selection"]["launches"], "1..2");
  EXPECT_GT(profile["overhead"]["ratio"], 0.0);
  EXPECT_HAS(result.out, "best of 4 runs");
  EXPECT_HAS(result.out, "times as long as the same launch without");
  EXPECT_FALSE(contains(result.out, "(estimated)"));
}

TEST(ProfileCommand, WhatItCostIsSaidUnasked) {
  const Folder folder;
  EXPECT_HAS(crosslane(vadd({"--profile", "all"})).out,
             "of processor time: too little to estimate what profiling cost");
  const Result result =
      crosslane({"launch", input("vadd.cl"), "--grid", "4000000", "--block", "128", "a=f32[4000000]:iota",
                 "b=f32[4000000]:1", "c=f32[4000000]", "n=4000000", "--json", folder / "p.json"});
  const auto profile = nlohmann::json::parse(text_of(folder / "p.json"));
  EXPECT_TRUE(profile["overhead"].is_null());
  const auto& estimate = profile["overhead_estimate"];
  const double all = estimate["cpu_seconds"], hooks = estimate["hook_seconds"];
  EXPECT_GT(hooks, 0);
  EXPECT_LT(hooks, all);
  EXPECT_NEAR(estimate["share"], hooks / all, 1e-6);
  EXPECT_NEAR(estimate["ratio"], all / (all - hooks), 1e-3 * double(estimate["ratio"]));
  EXPECT_HAS(result.out, "  profiling took about ");
  EXPECT_HAS(result.out, "(estimated)");
}

TEST(ProfileCommand, Sample) {
  const Folder folder;
  const Result result = crosslane(vadd({"--json", folder / "p.json", "--sample", "50%:3"}));
  EXPECT_EQ(result.status, 0) << result.err;
  const auto profile = nlohmann::json::parse(text_of(folder / "p.json"));
  EXPECT_EQ(profile["kernels"][0]["sampled"]["workgroups"], 4);
  EXPECT_EQ(profile["kernels"][0]["sampled"]["of"], 8);
  EXPECT_EQ(profile["selection"]["sample"]["seed"], 3);
}

TEST(ProfileCommand, TraceOfAWave) {
  const Folder folder;
  // Workgroup 7 is the one with 40 lanes in its second wave.
  for (const char* workgroup : {"7", "7,0,0"}) {
    const Result result = crosslane(vadd(
        {"--json", folder / "p.json", "--trace-wave", std::string(workgroup) + ":1", "--html", folder / "p.html"}));
    EXPECT_EQ(result.status, 0) << result.err;
    const auto trace = nlohmann::json::parse(text_of(folder / "p.json"))["trace"];
    EXPECT_EQ(trace["workgroup"][0], 7);
    EXPECT_EQ(trace["wave"], 1);
    EXPECT_EQ(trace["complete"], true);
    EXPECT_EQ(trace["initial"]["exec"], "0xffffffffff");
    EXPECT_GT(trace["steps"].size(), 10u);
  }
}

TEST(ProfileCommand, AFaultDoesNotLoseTheProfile) {
  const Folder folder;
  const Result result = crosslane(
      {"launch", input("faults.cl"), "--kernel", "wild", "--grid", "64", "i32[4]", "--json", folder / "p.json"});
  EXPECT_EQ(result.status, 3);
  const auto profile = nlohmann::json::parse(text_of(folder / "p.json"));
  EXPECT_EQ(profile["complete"], false);
  EXPECT_HAS(profile["interrupted"].get<std::string>(), "unmapped address");
  EXPECT_HAS(result.out, "not complete");
}

// One byte of .debug_abbrev: DW_AT_language (0x13) is said to be a block (4) of so many bytes as follow, which is about
// a gigabyte, instead of a number (5).
TEST(ProfileCommand, DamagedDebugInformation) {
  const Folder folder;
  const std::string source = folder / "k.s", object = folder / "k.co";
  ASSERT_FALSE(files::write(source, std::string(".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n.globl k\n.p2align 8\n"
                                                ".type k,@function\nk:\n  s_nop 0\n  s_endpgm\n.rodata\n.p2align 6\n"
                                                ".amdhsa_kernel k\n  .amdhsa_next_free_vgpr 4\n"
                                                "  .amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n")));
  EXPECT_EQ(crosslane({"asm", source, "-o", object}).status, 0);
  std::string bytes = text_of(object);
  const size_t at = bytes.find(std::string("\x13\x05\0\0\x02\x0a", 6));
  ASSERT_NE(at, std::string::npos);
  bytes[at + 1] = 4;
  ASSERT_FALSE(files::write(object, bytes));
  const std::string sentence = "debug information is damaged (.debug_info at 0xc: an attribute does not end before its "
                               "unit does): lines of inlined calls are missing; build it again";

  const Result result = crosslane({"launch", object, "--grid", "64", "--block", "64", "--profile", "all", "--json",
                                   folder / "p.json", "--html", folder / "p.html"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "debug information is damaged (.debug_info at 0xc:");
  EXPECT_HAS(result.out, "k.s:7"); // the line table is sound
  const auto damaged = nlohmann::json::parse(text_of(folder / "p.json"))["damaged"];
  ASSERT_EQ(damaged.size(), 1u);
  EXPECT_EQ(damaged[0], object + ": " + sentence);
  EXPECT_HAS(text_of(folder / "p.html"), sentence);
  EXPECT_HAS(crosslane({"disasm", object}).out, "\n; " + sentence + "\n");
}

TEST(ProfileCommand, Mistakes) {
  const Folder folder;
  const struct {
    std::vector<std::string> words;
    std::string message;
  } cases[] = {
      {{"--profile", "bank"},
       "--profile bank: there is no view 'bank'; there are " + report::view_names(" and ") + ", or all"},
      {{"--profile", "all", "--launch", "1"}, "--launch 1: there is 1 launch, counted from 0; --runs makes more"},
      {{"--profile", "all", "--launch", "2..", "--runs", "2"}, "--launch 2..: there are 2 launches, counted from 0"},
      {{"--profile", "all", "--launch", "b"}, "--launch b: which launches of each kernel?"},
      {{"--profile", "all", "--sample", "2"}, "--sample 2: the part must be above 0 and at most 1"},
      {{"--profile", "all", "--by", "file"}, "--by file: there are line, instruction and kernel"},
      {{"--profile", "all", "--trace-wave", "0:0"}, "--trace-wave needs --html or --json"},
      {{"--html", folder / "x", "--trace-wave", "8:0"}, "--trace-wave 8:0: the launch has 8 workgroups, 0 to 7"},
      {{"--html", folder / "x", "--trace-wave", "0,1:0"}, "--trace-wave 0,1:0: the launch has 8 x 1 x 1 workgroups"},
      {{"--html", folder / "x", "--trace-wave", "7:2"},
       "--trace-wave 7:2: the launch has 2 waves, 0 to 1, in that workgroup"},
      {{"--html", folder / "x", "--json", folder / "x"},
       "--json and --html would both be written to " + (folder / "x") + ": give each a name of its own"},
      {{"--sample", "1%"}, "--sample needs --profile"},
      {{"--per-wave"}, "--per-wave needs --profile"},
      {{"--overhead"}, "--overhead needs --profile"},
      {{"--html", "/nowhere/x"}, "/nowhere/x: No such file or directory"},
      {{"--json", "/"}, "/: is a folder"},
  };
  for (const auto& [words, message] : cases) {
    const Result result = crosslane(vadd(words));
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_TRUE(result.err.starts_with("crosslane: " + message)) << result.err << "\nnot: " << message;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
  const Result empty = crosslane({"launch", input("vadd.cl"), "--grid", "0", "null", "null", "null", "0", "--html",
                                  folder / "x", "--trace-wave", "0:0"});
  EXPECT_HAS(empty.err, "--trace-wave 0:0: the launch is empty");
}

} // namespace
} // namespace crosslane::cli::test
