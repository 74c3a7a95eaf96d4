// What is told of a process's kernels at its end, asked for by the environment as `crosslane run` does.
#include "jit/jit.h"
#include "tests/hsa/runtime_fixture.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace crosslane::test {
namespace {

// Of each wavefront the lanes below 32 take the branch.
constexpr const char* diverges = R"(
  v_and_b32 v0, 63, v0
  v_cmp_gt_u32 vcc, 32, v0
  s_and_saveexec_b64 s[4:5], vcc
  v_mov_b32 v1, 1
  s_or_b64 exec, exec, s[4:5]
  s_endpgm
)";

class StatisticsTest : public HsaTest {
protected:
  void SetUp() override {}
  void TearDown() override {
    for (const char* name : {"CROSSLANE_STATS", "CROSSLANE_PROFILE", "CROSSLANE_OUTPUT"})
      unsetenv(name);
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  // Two launches of the kernel in a runtime of their own, which writes its report to a file of this ending; what it
  // holds then.
  std::string report(const char* ending, bool stats, bool profile) {
    path_ = (std::filesystem::temp_directory_path() / ("crosslane-statistics-" + std::to_string(getpid()))).string() +
            ending;
    setenv("CROSSLANE_OUTPUT", path_.c_str(), 1);
    if (stats)
      setenv("CROSSLANE_STATS", "1", 1);
    if (profile)
      setenv("CROSSLANE_PROFILE", "branches", 1);
    gpus.clear();
    HsaTest::SetUp();
    {
      TestQueue queue(gpu());
      TestKernel kernel(gpu(), "gfx900", diverges, "  .amdhsa_group_segment_fixed_size 512\n");
      for (const uint32_t grid : {128u, 320u}) {
        hsa_signal_t signal{};
        EXPECT_SUCCESS(hsa_signal_create(1, 0, nullptr, &signal));
        auto packet = kernel.packet(grid, 64, nullptr, signal);
        packet.group_segment_size = grid * 8;
        queue.submit(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
        EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
        EXPECT_SUCCESS(hsa_signal_destroy(signal));
      }
    }
    HsaTest::TearDown();
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

private:
  std::string path_;
};

TEST_F(StatisticsTest, Tables) {
  const std::string text = report(".txt", true, true);
  EXPECT_TRUE(text.starts_with("kernels on vega10 (gfx900)\n")) << text;
  // Two and five wavefronts of six instructions.
  EXPECT_NE(text.find("\n         2  320*    64*     32     48  2560        0      7           42 "), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nbranches of k (gfx900)\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("\n           7     0       7     100.0  64.0        32.0  k+0x8  s_and_saveexec_b64 s[4:5], vcc\n"),
      std::string::npos)
      << text;
}

// In a process of its own, as CTest has it: the environment is asked once.
TEST_F(StatisticsTest, SayWhatCompilingCost) {
  setenv("CROSSLANE_JIT", "always", 1);
  if (jit::policy() != jit::Policy::always)
    GTEST_SKIP() << "another test has run kernels before";
  const std::string text = report(".txt", true, false);
  EXPECT_NE(text.find("\ncompiled: 1 kernel(s) in "), std::string::npos) << text;
  EXPECT_NE(text.find("; of 7 waves that entered, 0 left for the interpreter at a guard\n"), std::string::npos) << text;
}

TEST_F(StatisticsTest, EachOnItsOwn) {
  const std::string branches = report(".txt", false, true);
  EXPECT_EQ(branches.find("kernels on vega10"), std::string::npos) << branches;
  EXPECT_NE(branches.find("\nbranches of k (gfx900)\n"), std::string::npos) << branches;
}

TEST_F(StatisticsTest, AddedToTheFile) {
  const std::string once = report(".txt", true, false), twice = report(".txt", true, false);
  EXPECT_EQ(once.find("branches"), std::string::npos) << once;
  EXPECT_TRUE(twice.starts_with(once));
  EXPECT_NE(twice.find("kernels on vega10", once.size()), std::string::npos) << twice;
}

TEST_F(StatisticsTest, Json) {
  const std::string text = report(".json", true, true);
  const auto document = nlohmann::json::parse(text);
  ASSERT_EQ(document["kernels"].size(), 1u);
  const auto& k = document["kernels"][0];
  EXPECT_EQ(k["name"], "k");
  EXPECT_EQ(k["card"], "vega10");
  EXPECT_EQ(k["launches"], 2);
  EXPECT_EQ(k["waves"], 7);
  EXPECT_EQ(k["workgroups"], 7);
  EXPECT_EQ(k["instructions"], 42);
  EXPECT_EQ(k["grid"][0], 320);
  EXPECT_EQ(k["varied"], true);
  EXPECT_EQ(k["lds_bytes"], 2560);
  EXPECT_GT(k["seconds"], 0.0);
  ASSERT_EQ(document["profiles"].size(), 1u);
  EXPECT_EQ(document["profiles"][0]["branches"][0]["divergences"], 7);
}

} // namespace
} // namespace crosslane::test
