// A bounded share of blocks.h: random blocks of each kind of target.
#include "tests/jit/blocks.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

class JitBlocks : public testing::TestWithParam<isa::Target> {};

TEST_P(JitBlocks, ComeOutAsInterpreted) {
  BlockTrials trials(GetParam());
  const BlockResult result = trials.run(96);
  for (const auto* texts : {&result.complaints, &result.refused})
    for (const std::string& c : *texts)
      ADD_FAILURE() << c;
  EXPECT_EQ(result.differences, 0u);
  EXPECT_LT(result.left * 4, result.runs);
  EXPECT_LT(result.faults * 20, result.runs);
  EXPECT_LT(result.free_payloads * 30, result.runs);
}

INSTANTIATE_TEST_SUITE_P(Isa, JitBlocks,
                         testing::Values(isa::Target::gfx600, isa::Target::gfx803, isa::Target::gfx900,
                                         isa::Target::gfx906, isa::Target::gfx908, isa::Target::gfx90a),
                         [](const auto& i) { return std::string(isa::info(i.param).name); });

// The judge must be able to find fault: a bit of a register of compiled code's is turned.
TEST(JitBlocksThemselves, FindWhatDiffers) {
  BlockSettings settings;
  settings.breaks = true, settings.states = 1;
  BlockTrials trials(isa::Target::gfx900, settings);
  const BlockResult result = trials.run(24);
  EXPECT_GT(result.differences * 2, result.runs);
  EXPECT_FALSE(result.complaints.empty());
}

} // namespace
} // namespace crosslane::test
