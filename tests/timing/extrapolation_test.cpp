// Stretches made by hand, of which the whole is known.
#include "timing/replay/extrapolation.h"
#include <gtest/gtest.h>

namespace crosslane::timing::replay {
namespace {

// Cycles, which are the first count, of a workgroup.
Measured stretch(double size, double cycles) {
  Measured m;
  Figures figures;
  each_count(figures, [&](uint64_t) { m.rates.counts.push_back(0); });
  m.rates.counts[0] = cycles / size;
  m.size = size;
  return m;
}

// Workgroups of 100 instructions take 10 cycles, of 1,000 instructions 100. Between them lie 1,000 whose size is 200,
// not the 550 of the two stretches' mean: 20 cycles each.
TEST(Extrapolation, WhatIsCountedTakesWhatItsInstructionsTake) {
  const std::vector<Measured> stretches{stretch(100, 10), stretch(1000, 100)};
  const Estimate counted = extrapolate({}, stretches, {{1000}, {{1000, 200'000}}, 200'000});
  EXPECT_EQ(counted.figures.cycles, 20'000u);
  // Of others, the sum of all of them corrects it, which is less certain.
  const Estimate guessed = extrapolate({}, stretches, {{1000}, {}, 200'000});
  EXPECT_NEAR(double(guessed.figures.cycles), 20'000, 500);
  EXPECT_GT(guessed.error.cycles, 10 * counted.error.cycles);
}

// Two parts whose errors cancel in the sum of instructions, so that the sum alone says nothing: in the first one small
// workgroups take 1 cycle for 10 instructions, in the second one 3.
TEST(Extrapolation, PartsAreCountedApart) {
  const std::vector<Measured> stretches{stretch(100, 10), stretch(100, 10), stretch(100, 30), stretch(100, 30)};
  const Estimate e = extrapolate({}, stretches, {{100, 0, 100}, {{100, 20'000}, {0, 0}, {100, 5'000}}, 25'000});
  EXPECT_EQ(e.figures.cycles, 2000u + 1500u);
}

} // namespace
} // namespace crosslane::timing::replay
