// crosslane launch, from files to results.
#include "files/read.h"
#include "files/write.h"
#include "launch/buffers.h"
#include "tests/cli/command.h"
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

namespace crosslane::cli::test {
namespace {

std::vector<std::string> vadd(std::vector<std::string> more) {
  std::vector<std::string> words = {"launch",           input("vadd.cl"), "--grid",          "1000",
                                    "a=f32[1000]:iota", "b=[1000]:1",     "c=[1000]:uninit", "n=1000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(LaunchCommand, VectorAddOnEveryTarget) {
  for (const char* target : {"gfx803", "gfx900", "gfx906"}) {
    const Result result =
        crosslane(vadd({"--target", target, "--block", "96", "--print", "c:3", "--expect", "c=[1000]:iota:1"}));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "c = f32[1000]\n  1 2 3 ...\nc: equal (1000 elements)\n");
  }
}

// Waves begin behind what is for firmware that does not preload: a trap.
TEST(LaunchCommand, PreloadedArguments) {
  for (const char* count : {"1", "3", "8"}) {
    const Result result =
        crosslane(vadd({"--target", "gfx90a", "--clang=-mllvm",
                        std::string("--clang=-amdgpu-kernarg-preload-count=") + count, "--expect", "c=[1000]:iota:1"}));
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_HAS(result.out, "c: equal (1000 elements)");
  }
}

TEST(LaunchCommand, TrapHandler) {
  const std::vector<std::string> words = {"launch", input("trap.s"), "--grid",  "64",  "--block",
                                          "64",     "u32[1]",        "--print", "arg0"};
  EXPECT_EQ(crosslane(words).status, 3);
  std::vector<std::string> handled = words;
  handled.insert(handled.end(), {"--trap-handler", input("trap_handler.s")});
  const Result result = crosslane(handled);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "\n  7\n");
  handled.back() = input("trap.s");
  EXPECT_HAS(crosslane(handled).err, "has no symbol 'trap_handler'");
}

// A kernel that stores work-item id + value, as clang-15 made it for code object version 2.
TEST(LaunchCommand, CodeObjectOfVersion2) {
  std::ifstream hex(input("../../codeobject/inputs/version2.hex"));
  const Folder folder;
  std::ofstream file(folder / "version2.co", std::ios::binary);
  for (std::string line; std::getline(hex, line);)
    for (size_t i = 0; line[0] != '#' && i + 1 < line.size(); i += 2)
      file.put(static_cast<char>(std::stoul(line.substr(i, 2), nullptr, 16)));
  file.close();
  const Result result = crosslane({"launch", folder / "version2.co", "--grid", "64", "--block", "64", "u32[64]",
                                   "u32:7", "--expect", "arg0=u32[64]:iota:7"});
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(LaunchCommand, Unoptimised) {
  const Result result = crosslane(vadd({"--clang=-O0", "--expect", "c=[1000]:iota:1"}));
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(LaunchCommand, ByPosition) {
  const Result result =
      crosslane({"launch", input("vadd.cl"), "--grid", "3", "[3]:iota", "[3]:-1", "[3]", "3", "--print", "c"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "c = f32[3]\n  -1 0 1\n");
}

TEST(LaunchCommand, MismatchExitsWith1AndTheFirstElement) {
  const Result result = crosslane(vadd({"--expect", "c=[1000]:iota"}));
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(result.err.starts_with(
      "crosslane: wrong result: c: 1000 of 1000 elements differ; largest error 1 at c[0], "
      "relative 1 at c[1], 7.14e+44 ulp at c[0]\n  c[0]: got 1, expected 0\n  c[1]: got 2, expected 1\n"))
      << result.err;
  EXPECT_EQ(crosslane(vadd({"--expect", "c=[1000]:iota", "--atol", "1"})).status, 0);
}

TEST(LaunchCommand, BadArgumentsShowTheSignature) {
  const Result result = crosslane({"launch", input("vadd.cl"), "--grid", "4", "a=[4]", "x=[4]"});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "the kernel has no parameter 'x'\n  kernel: vadd(float* a, float* b, float* c, int n)");
  EXPECT_HAS(crosslane(vadd({"--print", "d"})).err, "there is no buffer 'd'; the buffers are a, b, c");
  EXPECT_HAS(crosslane(vadd({"--expect", "c=f32[5]"})).err, "'c' is f32[1000], but f32[5] is expected");
}

TEST(LaunchCommand, FilesInAndOut) {
  const Folder folder;
  EXPECT_EQ(error_of(launch::write_buffer(folder / "a.npy", value_of(launch::make_buffer("f32[2,3]:iota", {}, "")))),
            "");
  EXPECT_EQ(error_of(launch::write_buffer(folder / "b.raw", value_of(launch::make_buffer("f32[6]:10", {}, "")))), "");
  const Result result = crosslane({"launch", input("vadd.cl"), "--grid", "6", "a=@" + (folder / "a.npy"),
                                   "b=@" + (folder / "b.raw"), "c=[2,3]", "n=6", "--out", "c=" + (folder / "c.npy"),
                                   "--out", "c=" + (folder / "c.raw"), "--print", "c"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "c = f32[2,3]\n  10 11 12\n  13 14 15\n");
  const Buffer c = read_npy(folder / "c.npy");
  EXPECT_EQ(c.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(at<float>(c, 5), 15.0f);
  EXPECT_EQ(value_of(files::read(folder / "c.raw")), c.bytes);
  EXPECT_EQ(crosslane({"launch", input("vadd.cl"), "--grid", "6", "[6]:iota", "[6]:10", "[6]", "6", "--expect",
                       "c=" + (folder / "c.npy")})
                .status,
            0);
}

TEST(LaunchCommand, TomlWithOverrides) {
  const Folder folder;
  const std::string job = folder / "job.toml";
  EXPECT_EQ(error_of(files::write(
                job, "file = '" + input("vadd.cl") +
                         "'\ngrid = 8\nblock = 64\nprint = 'c'\n[args]\na = 'f32[8]:iota'\n"
                         "b = '[8]:0.5'\nc = '[8]'\nn = 8\n[out]\nc = 'c.npy'\n[expect]\nc = '[8]:iota:0.5'\n")),
            "");
  Result result = crosslane({"launch", job});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "c = f32[8]\n  0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5\nc: equal (8 elements)\n");
  EXPECT_EQ(read_npy(folder / "c.npy").count(), 8u); // beside the TOML file
  result = crosslane({"launch", job, "b=[8]:1"});
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.err, "c[0]: got 1, expected 0.5");
  EXPECT_EQ(error_of(files::write(job, std::string("gird = 5\n"))), "");
  result = crosslane({"launch", job});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err, "job.toml:1:1: unknown key 'gird'");
}

// Values that are also the defaults win over the file's like all others.
TEST(LaunchCommand, TomlIsOverriddenByDefaults) {
  const Folder folder;
  const std::string job = folder / "job.toml";
  EXPECT_EQ(error_of(files::write(
                job, "file = '" + input("vadd.cl") +
                         "'\ngrid = 8\nrtol = 0.5\nruns = 3\nstats = true\n[args]\na = '[8]:1'\nb = '[8]:1'\n"
                         "c = '[8]'\nn = 8\n[expect]\nc = '[8]:2.25'\n")),
            "");
  Result result = crosslane({"launch", job});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "best of 3 runs");
  result = crosslane({"launch", job, "--rtol", "0", "--runs", "1", "--stats=false"});
  EXPECT_EQ(result.status, 1);
  EXPECT_HAS(result.err, "c[0]: got 2, expected 2.25");
  EXPECT_EQ(result.out, "");
}

TEST(LaunchCommand, AssemblyWithoutMetadata) {
  const Result result =
      crosslane({"launch", input("twice.s"), "--grid", "64", "x=f32[64]:iota", "y=f32[64]", "--print", "y:5"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "y = f32[64]\n  0 2 4 12 16 ...\n");
}

TEST(LaunchCommand, DynamicAndStaticLds) {
  const Result result = crosslane({"launch", input("lds.cl"), "--grid", "256", "--block", "128", "i32[256]:iota",
                                   "i32[128]", "--print", "data:4", "--expect",
                                   "data="
                                   "i32[256]:" +
                                       [] {
                                         std::string text;
                                         for (int i = 0; i < 256; ++i)
                                           text += (i ? "," : "") + std::to_string(i / 128 * 128 + 127 - i % 128);
                                         return text;
                                       }()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "data = i32[256]\n  127 126 125 124 ...\ndata: equal (256 elements)\n");
  EXPECT_HAS(crosslane({"launch", input("lds.cl"), "--grid", "256", "i32[256]", "lds:65000"}).err,
             "a workgroup has 65536");
}

TEST(LaunchCommand, EmptyGrid) {
  const Result result =
      crosslane({"launch", input("vadd.cl"), "--grid", "0", "[1]", "[1]", "[1]:7", "1", "--stats", "--print", "c"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "c = f32[1]\n  7\n0 wave-instructions, 0 waves, 0 workgroups");
}

TEST(LaunchCommand, MoreWorkgroupsThanCanBeCounted) {
  const Result result = crosslane({"launch", input("vadd.cl"), "--grid", "2147483648,2147483648,4", "--block", "1",
                                   "[1]", "[1]", "[1]", "1", "--profile", "branches"});
  EXPECT_EQ(result.status, 2);
  EXPECT_HAS(result.err,
             "2147483648 x 2147483648 x 4 workgroups are more than 64 bits can count; make the grid smaller");
}

TEST(LaunchCommand, RunsStartFromTheSameContents) {
  const Result result = crosslane({"launch", input("math.cl"), "--kernel", "atomics", "--grid", "100", "i32[4]",
                                   "--runs", "3", "--stats", "--print", "counters", "--threads", "2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("counters = i32[4]\n  100 99 0 200\n")) << result.out;
  EXPECT_HAS(result.out, "2 waves, 1 workgroups");
  EXPECT_HAS(result.out, "best of 3 runs");
}

TEST(LaunchCommand, FaultsSayWhere) {
  Result result = crosslane({"launch", input("faults.cl"), "--kernel", "wild", "--grid", "64", "i32[4]"});
  EXPECT_EQ(result.status, 3);
  for (const char* part : {"memory fault: unmapped address 0x", "store_dword", "faults.cl:2:", "kernel wild",
                           "workgroup (0, 0, 0), wave 0"})
    EXPECT_HAS(result.err, part);
  result = crosslane({"launch", input("faults.cl"), "--kernel", "trap", "--grid", "128", "i32[4]"});
  EXPECT_EQ(result.status, 3);
  EXPECT_HAS(result.err, "trap");
  EXPECT_HAS(result.err, "wave 1");
  result = crosslane({"launch", input("device.hip"), "--kernel", "axpy", "--grid", "64", "1", "f64[4]", "null", "64"});
  EXPECT_EQ(result.status, 3);
  const std::string name = "void axpy<double>(double, double const*, double*, int)";
  EXPECT_HAS(result.err, "kernel " + name + ", in " + name + "+0x");
}

// Line 4 is the loop, line 6 the barrier.
TEST(LaunchCommand, ATimeLimitSaysWhereTheWavesOfAHangAre) {
  const std::vector<std::string> words = {
      "launch", input("../../../docs/kernels/hangs.cl"), "--grid", "512", "--block", "256", "u32[2]"};
  std::vector<std::string> limited = words;
  limited.insert(limited.end(), {"--timeout", "0.2", "--print", "flag", "--runs", "3"});
  const Result result = crosslane(limited);
  EXPECT_EQ(result.status, 124);
  EXPECT_EQ(result.out, "");
  EXPECT_HAS(
      result.err,
      "crosslane: the time limit is over: kernel hangs was stopped: of 2 workgroups, 0 had ended and 0 had not begun.");
  EXPECT_TRUE(std::regex_search(
      result.err,
      std::regex(
          R"(\n +6 +at barrier +ffffffffffffffff +[01]:[123] +0x[0-9a-f]+ +hangs\+0x[0-9a-f]+ +s_barrier +\S*hangs\.cl:6:3\n)")))
      << result.err;
  EXPECT_TRUE(std::regex_search(
      result.err,
      std::regex(R"(\n +2 +running +ffffffffffffffff +[01]:0 +0x[0-9a-f]+ +hangs\+0x[0-9a-f]+ +.* +\S*hangs\.cl:4:)")))
      << result.err;
  // What ends in time is none of its business.
  EXPECT_EQ(crosslane(vadd({"--timeout", "50"})).status, 0);
  for (const char* wrong : {"-1", "soon"})
    EXPECT_EQ(crosslane(vadd({"--timeout", wrong})).status, 2);
}

nlohmann::json read_json(const std::string& path) {
  const auto bytes = value_of(files::read(path));
  return nlohmann::json::parse(bytes.begin(), bytes.end());
}

TEST(LaunchCommand, BranchProfile) {
  const Folder folder;
  // 3 workgroups of 128: wave 0 splits at 32, wave 1 does not.
  const Result result = crosslane({"launch", input("branches.cl"), "--grid", "384", "--block", "128", "i32[384]:iota",
                                   "32", "--profile", "branches", "--json", folder / "b.json", "--per-wave"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "branches of branches (gfx900)");
  EXPECT_HAS(result.out, "6     3       3      50.0");
  EXPECT_HAS(result.out, "s_and_saveexec_b64");
  EXPECT_HAS(result.out, "branches.cl:4:");
  const auto profile = read_json(folder / "b.json");
  EXPECT_EQ(profile["format"], "crosslane-profile");
  EXPECT_EQ(profile["views"], nlohmann::json::array({"branches"}));
  const auto& kernel = profile["kernels"][0];
  EXPECT_EQ(kernel["name"], "branches");
  EXPECT_EQ(kernel["waves"], 6);
  // Wave 0 of each workgroup splits at the saveexec of the if and at that of the else; branches on EXEC do not split.
  std::vector<std::pair<int, int>> branches;
  for (const auto& instruction : kernel["instructions"])
    if (!instruction.value("branch", nlohmann::json()).is_null())
      branches.emplace_back(instruction["branch"]["executions"], instruction["branch"]["divergences"]);
  EXPECT_EQ(branches, (std::vector<std::pair<int, int>>{{6, 3}, {6, 0}, {6, 3}, {6, 0}}));
  EXPECT_EQ(kernel["waves_branches"].size(), 24u);
}

// Five waves; what of native() is approximate, and how often it ran, is read off its source.
TEST(LaunchCommand, Fidelity) {
  const Folder folder;
  const std::vector<std::string> launch = {"launch",    input("math.cl"), "--kernel", "native",          "--grid",
                                           "320",       "--block",        "64",       "f32[320]:random", "f32[3840]",
                                           "--fidelity"};
  std::vector<std::string> words = launch;
  for (const std::string& more : {std::string("--json"), folder / "f.json"})
    words.push_back(more);
  Result result = crosslane(words);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "fidelity of native (gfx900)");
  EXPECT_HAS(result.out, "\n      5  v_sqrt_f32   0.5 ulp    hardware: 1 ulp");
  EXPECT_HAS(result.out, "executed instructions are approximate, the others exact");
  const auto json = value_of(files::read(folder / "f.json"));
  const std::string text(json.begin(), json.end());
  EXPECT_HAS(text, "\"operation\": \"v_sqrt_f32\"");
  EXPECT_FALSE(contains(text, "\"branches\""));
  words.insert(words.end(), {"--profile", "branches"});
  result = crosslane(words);
  EXPECT_HAS(result.out, "branches of native (gfx900)");
  EXPECT_HAS(result.out, "fidelity of native (gfx900)");
  const auto both = read_json(folder / "f.json");
  EXPECT_EQ(both["format"], "crosslane-profile");
  EXPECT_EQ(both["fidelity"]["approximate"].size(), 7u); // exp, log, sqrt, rsq, rcp, sin, cos

  result = crosslane(
      {"launch", input("vadd.cl"), "--grid", "256", "f32[256]:iota", "f32[256]", "f32[256]", "256", "--fidelity"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "  all ");
  EXPECT_HAS(result.out, " executed instructions are exact\n");
}

TEST(LaunchCommand, Hip) {
  Result result = crosslane({"launch", input("device.hip"), "--kernel", "axpy", "--grid", "100", "--block", "64", "2.5",
                             "f64[100]:iota", "[100]:1", "100", "--expect", "y=[100]:iota:1:2.5"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* target : {"gfx803", "gfx906"}) {
    result = crosslane({"launch", input("device.hip"), "--target", target, "--kernel", "sums", "--grid", "512",
                        "--block", "256", "--lds", "1024", "f32[512]:iota:0:0.0078125", "f32[2]", "i32[2]", "--print",
                        "out", "--print", "count"});
    EXPECT_EQ(result.status, 0) << result.err;
    // Sums of i/128 for i in [0,256) and [256,512); 255 of them are above 2; last wave starts at 448, the grid has 2
    // blocks.
    EXPECT_EQ(result.out, "out = f32[2]\n  255 767\ncount = i32[2]\n  255 648\n");
  }
  result = crosslane({"launch", input("device.hip"), "--kernel", "by_value", "--grid", "1", "hex:0300000000002040",
                      "hex:0000803f0000004000004040", "f32[2]", "--print", "out"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "out = f32[2]\n  5.5 6\n");
}

} // namespace
} // namespace crosslane::cli::test
