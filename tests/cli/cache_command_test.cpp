// The cache of compiled kernels, as `crosslane launch` has it.
#include "engine/dispatch.h"
#include "files/read.h"
#include "tests/cli/command.h"
#include <filesystem>
#include <map>

namespace crosslane::cli::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class CacheCommand : public testing::Test {
protected:
  void SetUp() override {
    if (std::string_view(engine::host_level()) == "v1")
      GTEST_SKIP() << "nothing is compiled on this host";
  }
  // crosslane, with everything compiled and with that folder.
  static Result compiled(const std::string& cache, const Words& words, const std::string& use = "on") {
    Words all = {"CROSSLANE_JIT=always", "CROSSLANE_CACHE=" + use, "CROSSLANE_CACHE_DIR=" + cache, CROSSLANE};
    all.insert(all.end(), words.begin(), words.end());
    return run("/usr/bin/env", all);
  }
  static Words vadd(const Words& more = {}) {
    Words words = {"launch",      input("vadd.cl"), "--grid",  "1024",     "a=f32[1024]:iota",    "b=f32[1024]:0.5",
                   "c=f32[1024]", "n=1024",         "--stats", "--expect", "c=f32[1024]:iota:0.5"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Kernels by name. The sum of their sizes is no kernel.
  static std::map<std::string, std::vector<uint8_t>> kernels(const std::string& cache) {
    std::map<std::string, std::vector<uint8_t>> out;
    for (const auto& entry : fs::directory_iterator(cache))
      if (entry.path().filename() != "total")
        out[entry.path().filename()] = value_of(files::read(entry.path()));
    return out;
  }
  const Folder folder_;
};

TEST_F(CacheCommand, StatsSayWhereCodeCameFrom) {
  const std::string cache = folder_ / "cache";
  Result result = compiled(cache, vadd());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "compiled: 1 kernel(s) in ");
  EXPECT_HAS(result.out, "kept for other runs: 1 kernel(s), in " + cache + "\n");
  result = compiled(cache, vadd());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "compiled: 1 found in the cache in ");
  EXPECT_FALSE(contains(result.out, "kept for"));
  result = compiled(cache, vadd(), "verify");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "compiled again: 1 kernel(s) are as the cache has them, 0 are not\n");
  fs::permissions(cache, fs::perms::all);
  result = compiled(cache, vadd());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.out, "compiled: 1 kernel(s) in ");
  EXPECT_HAS(result.out, "compiled code is not kept: " + cache + " is open to others for writing\n");
}

TEST_F(CacheCommand, LookingAtKernelsKeepsNothing) {
  EXPECT_EQ(compiled(folder_ / "cache", {"jit", input("vadd.cl")}).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

// Whatever has an address in it, or an order by addresses, differs: they are random in each process.
TEST_F(CacheCommand, EachProcessMakesTheSameBytes) {
  const std::string square = "f32[75,75]";
  for (const Words& words :
       std::vector<Words>{{"matmul_tiled.cl", "--grid", "80,80", "a=" + square, "b=" + square, "c=" + square, "n=75"},
                          {"mandelbrot.cl", "--grid", "64,32", "--block", "16,16", "iterations=u32[32,64]", "width=64",
                           "height=32", "x0=-2.0", "y0=-1.25", "step=0.078", "limit=99"},
                          {"histogram.cl", "--kernel", "histogram_local", "--grid", "1024", "--block", "256",
                           "values=u32[2560]:iota", "counts=u32[256]", "n=2560"},
                          {"f64.cl", "--grid", "64", "a=f64[64]:iota", "b=f64[64]:2", "poly=f64[64]",
                           "quotient=f64[64]", "root=f64[64]", "whole=i64[64]", "narrow=f32[64]", "n=64"}}) {
    std::map<std::string, std::vector<uint8_t>> first;
    for (int process = 0; process < 3; ++process) {
      const std::string cache = folder_ / (words[0] + std::to_string(process));
      Words all = {"launch", std::string(EXAMPLES) + "/" + words[0]};
      all.insert(all.end(), words.begin() + 1, words.end());
      const Result result = compiled(cache, all);
      ASSERT_EQ(result.status, 0) << result.err;
      if (!process)
        first = kernels(cache);
      EXPECT_EQ(kernels(cache), first) << words[0];
    }
    EXPECT_EQ(first.size(), 1u);
  }
}

} // namespace
} // namespace crosslane::cli::test
