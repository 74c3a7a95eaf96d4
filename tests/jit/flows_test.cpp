// A bounded share of flows.h: random kernels of each kind of target.
#include "tests/jit/flows.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

class JitFlows : public testing::TestWithParam<isa::Target> {};

TEST_P(JitFlows, LeaveWhatTheInterpreterLeaves) {
  FlowTrials trials(GetParam());
  const FlowResult result = trials.run(24);
  for (const auto* texts : {&result.complaints, &result.refused})
    for (const std::string& c : *texts)
      ADD_FAILURE() << c;
  EXPECT_EQ(result.differences, 0u);
  EXPECT_EQ(result.kernels, 24u);
  EXPECT_GT(result.entered, result.runs / 2);
}

TEST_P(JitFlows, CountWhatHooksTell) {
  FlowTrials trials(GetParam(), {.seed = 2, .counts = true});
  const FlowResult result = trials.run(24);
  for (const auto* texts : {&result.complaints, &result.refused})
    for (const std::string& c : *texts)
      ADD_FAILURE() << c;
  EXPECT_EQ(result.differences, 0u);
  EXPECT_LE(result.too_large, 4u);
  EXPECT_GT(result.entered, result.runs / 2);
}

INSTANTIATE_TEST_SUITE_P(Isa, JitFlows,
                         testing::Values(isa::Target::gfx600, isa::Target::gfx803, isa::Target::gfx900,
                                         isa::Target::gfx90a),
                         [](const auto& i) { return std::string(isa::info(i.param).name); });

// The judge must be able to find fault.
TEST(JitFlowsThemselves, FindWhatDiffers) {
  FlowSettings settings;
  settings.breaks = true, settings.states = 1;
  FlowTrials trials(isa::Target::gfx900, settings);
  const FlowResult result = trials.run(4);
  EXPECT_EQ(result.differences, 4u);
}

} // namespace
} // namespace crosslane::test
