// The plans of cross-lane patterns: each says what the pattern says, and patterns get the class that their name promises.
#include "engine/lane_pattern.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::engine {
namespace {

using Move = LanePattern::Move;

// What a plan moves where, read as a host would execute it.
int source_by_plan(const LanePattern& p, int lane) {
  const int row = lane / 16;
  switch (p.move) {
  case Move::none: return lane;
  case Move::rows: return p.low[row] * 16 + lane % 16;
  case Move::in_quads: return lane / 4 * 4 + p.index[lane % 16] % 4;
  case Move::in_row: return row * 16 + p.index[lane % 16];
  case Move::one_row: return p.low[row] * 16 + p.index[lane];
  case Move::two_rows: return (p.index[lane] < 16 ? p.low[row] : p.high[row]) * 16 + p.index[lane] % 16;
  case Move::any: return p.from[lane];
  }
  return -1;
}

TEST(LanePattern, PlansMoveWhatWasAsked) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    // From a few rows and with a few holes, so that every class comes up.
    std::array<int8_t, 64> from;
    const uint32_t rows = random() & random() & 63, lane_mask = round % 3 ? 15 : 3, holes = random() % 4;
    for (int i = 0; i < 64; ++i) {
      const int lane = round % 3 ? int(random() & lane_mask) : (i & 12) | int(random() & 3);
      const int row = round % 5 ? i / 16 ^ int(rows & 3) : int(random() & 3);
      from[i] = int8_t(row * 16 + (round % 7 ? lane : i % 16));
      if (round % 2 && i >= 16) from[i] = int8_t((i / 16 ^ int(rows & 3)) * 16 + from[i % 16] % 16);
      if (holes && random() % 16 < holes) from[i] = -1;
    }
    const LanePattern p = plan(from);
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(p.valid >> i & 1, from[i] >= 0);
      if (from[i] >= 0) {
        ASSERT_EQ(source_by_plan(p, i), from[i]) << "class " << int(p.move);
        ASSERT_EQ(p.from[i], from[i]);
      }
    }
  }
}

TEST(LanePattern, ClassesOfDpp) {
  for (uint32_t quad = 0; quad < 256; ++quad) EXPECT_EQ(dpp_pattern(quad).move, quad == 0xe4 ? Move::none : Move::in_quads);
  for (uint32_t kind : {0x100u, 0x110u, 0x120u})
    for (uint32_t n = 1; n < 16; ++n) EXPECT_EQ(dpp_pattern(kind | n).move, Move::in_row) << std::hex << (kind | n);
  for (uint32_t mirror : {0x140u, 0x141u}) EXPECT_EQ(dpp_pattern(mirror).move, Move::in_row);
  for (uint32_t wave : {0x130u, 0x134u, 0x138u, 0x13cu}) EXPECT_EQ(dpp_pattern(wave).move, Move::two_rows);
  for (uint32_t broadcast : {0x142u, 0x143u}) EXPECT_EQ(dpp_pattern(broadcast).move, Move::one_row);
}

TEST(LanePattern, ClassesOfSwizzle) {
  const auto gfx8 = [](uint32_t offset) { return swizzle_pattern(offset, isa::Generation::gfx8).move; };
  EXPECT_EQ(gfx8(0x001f), Move::none);
  EXPECT_EQ(gfx8(16 << 10 | 0x1f), Move::rows);
  EXPECT_EQ(gfx8(1 << 10 | 0x1f), Move::in_quads);
  EXPECT_EQ(gfx8(3 << 10 | 0x1f), Move::in_quads);
  EXPECT_EQ(gfx8(7 << 10 | 0x1f), Move::in_row);
  EXPECT_EQ(gfx8(15 << 10 | 0x1f), Move::in_row);
  EXPECT_EQ(gfx8(31 << 10 | 0x1f), Move::one_row);
  EXPECT_EQ(gfx8(5 << 5), Move::one_row) << "lane 5 of 32 for all";
  EXPECT_EQ(gfx8(0xc020), Move::in_quads) << "no rotation before gfx9";
  EXPECT_EQ(swizzle_pattern(0xc020, isa::Generation::gfx9).move, Move::two_rows);
  for (uint32_t offset = 0; offset < 0x10000; offset += 7)
    EXPECT_NE(swizzle_pattern(offset, isa::Generation::gfx9).move, Move::any) << std::hex << offset;
}

}  // namespace
}  // namespace crosslane::engine
