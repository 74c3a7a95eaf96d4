// Patterns of instructions get the class of permute that their name promises: what each moves is tested in tests/lanes
// and by dpp_test.
#include "engine/memory/lane_pattern.h"
#include <gtest/gtest.h>

namespace crosslane::engine {
namespace {

using Move = lanes::WaveMove;

TEST(LanePattern, ClassesOfDpp) {
  for (uint32_t quad = 0; quad < 256; ++quad)
    EXPECT_EQ(dpp_pattern(quad).move, quad == 0xe4 ? Move::none : Move::in_quads);
  for (uint32_t kind : {0x100u, 0x110u, 0x120u})
    for (uint32_t n = 1; n < 16; ++n)
      EXPECT_EQ(dpp_pattern(kind | n).move, Move::in_row) << std::hex << (kind | n);
  for (uint32_t mirror : {0x140u, 0x141u})
    EXPECT_EQ(dpp_pattern(mirror).move, Move::in_row);
  for (uint32_t wave : {0x130u, 0x134u, 0x138u, 0x13cu})
    EXPECT_EQ(dpp_pattern(wave).move, Move::two_rows);
  for (uint32_t broadcast : {0x142u, 0x143u})
    EXPECT_EQ(dpp_pattern(broadcast).move, Move::one_row);
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

} // namespace
} // namespace crosslane::engine
