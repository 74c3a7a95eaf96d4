// Fifty random kernels with fixed seeds, in batches that share one compilation. The long run is crosslane_differential.
#include "tests/generated/differential.h"
#include "tests/generated/generate.h"
#include "tests/generated/reduce.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

namespace crosslane::generated {
namespace {

constexpr uint64_t batch_size = 5, batches = 10;

class Generated : public testing::TestWithParam<uint64_t> {};

TEST_P(Generated, AgreeWithPocl) {
  setenv("POCL_CACHE_DIR", CROSSLANE_KERNEL_CACHE "/pocl", 0);
  const std::string folder = testing::TempDir();
  Differential machine(folder);
  if (!machine.unavailable().empty())
    GTEST_SKIP() << machine.unavailable();
  std::vector<Kernel> kernels;
  for (uint64_t i = 0; i < batch_size; ++i) {
    const uint64_t seed = 1'000'000 + GetParam() * batch_size + i;
    kernels.push_back(generate(seed, fmt::format("k{}", seed)));
  }
  std::vector<Setting> settings;
  for (const char* target : {"gfx803", "gfx900", "gfx906"})
    settings.push_back({target, level_for(GetParam())});
  const auto verdicts = machine.run(kernels, settings);
  for (size_t i = 0; i < kernels.size(); ++i)
    for (size_t j = 0; j < settings.size(); ++j)
      EXPECT_EQ(verdicts[i][j].outcome, Outcome::same)
          << kernels[i].name << " on " << settings[j].target << " " << settings[j].level << ": "
          << verdicts[i][j].message << "to reduce it: crosslane_differential --seed " << kernels[i].name.substr(1)
          << " --count 1 --targets " << settings[j].target << " --level=" << settings[j].level;
  std::filesystem::remove(machine.source());
}

INSTANTIATE_TEST_SUITE_P(All, Generated, testing::Range(uint64_t(0), batches));

TEST(Generator, GivesTheSameKernelForTheSameSeed) {
  EXPECT_EQ(print({generate(7, "k7")}), print({generate(7, "k7")}));
  EXPECT_NE(print({generate(7, "k")}), print({generate(8, "k")}));
}

// The reducer needs no machine: here a kernel "fails" while it still calls rotate().
TEST(Reducer, KeepsTheFailureAndLittleElse) {
  const auto fails = [](const Kernel& k) { return print(k).find("rotate(") != std::string::npos; };
  uint64_t seed = 1;
  while (!fails(generate(seed, "k")))
    ++seed;
  const Kernel before = generate(seed, "k"), after = reduce(before, fails, 2000);
  EXPECT_TRUE(fails(after));
  EXPECT_LT(print(after).size(), 1200u) << print(after);
  EXPECT_EQ(after.shape.items(), 1u);
}

TEST(Replay, BringsBackShapeAndSlots) {
  const Kernel k = generate(11, "k11");
  const auto again = read_replayable(replayable(k, {"gfx803", "-O1"}));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->second.target, "gfx803");
  EXPECT_EQ(again->second.level, "-O1");
  EXPECT_EQ(again->first.shape.items(), k.shape.items());
  EXPECT_EQ(slot_offset(again->first, k.slots.size()), slot_offset(k, k.slots.size()));
}

} // namespace
} // namespace crosslane::generated
