// Where lanes read from under patterns whose meaning the manuals give in words. (Every DPP control is in
// tests/engine/dpp_test.cpp, executed.)
#include "cross_lane/control.h"
#include <gtest/gtest.h>

namespace crosslane::cross_lane {
namespace {

using isa::Generation;

TEST(Control, SwizzleMasksByTheirNames) {
  for (int group : {1, 2, 4, 8, 16}) { // swap neighbouring groups: xor of one bit
    const Sources swap = swizzle_sources(uint32_t(group) << 10 | 0x1f, Generation::gfx6);
    const Sources mirror = swizzle_sources(uint32_t(2 * group - 1) << 10 | 0x1f, Generation::gfx9);
    const Sources broadcast = swizzle_sources(uint32_t(group) << 5 | uint32_t(32 - 2 * group), Generation::gfx8);
    for (int i = 0; i < 64; ++i) {
      const int size = 2 * group, start = i / size * size;
      EXPECT_EQ(swap[size_t(i)], i / group % 2 ? i - group : i + group);
      EXPECT_EQ(mirror[size_t(i)], start + size - 1 - (i - start));
      EXPECT_EQ(broadcast[size_t(i)], start + group);
    }
  }
}

TEST(Control, SwizzleOfQuads) {
  const Sources from = swizzle_sources(0x8000 | 0b01'00'11'10, Generation::gfx8);
  for (int i = 0; i < 64; i += 4) {
    EXPECT_EQ(from[size_t(i)], i + 2);
    EXPECT_EQ(from[size_t(i + 1)], i + 3);
    EXPECT_EQ(from[size_t(i + 2)], i);
    EXPECT_EQ(from[size_t(i + 3)], i + 1);
  }
}

TEST(Control, RotationAndFftAreOfGfx9) {
  const Sources up = swizzle_sources(0xc000 | 3 << 5, Generation::gfx9),
                down = swizzle_sources(0xc400 | 3 << 5, Generation::gfx9);
  const Sources fft = swizzle_sources(0xe000, Generation::gfx9);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(up[size_t(i)], i / 32 * 32 + (i + 3) % 32);
    EXPECT_EQ(down[size_t(i)], i / 32 * 32 + (i + 29) % 32);
    const int bits = i % 32,
              reversed = bits % 2 * 16 + bits / 2 % 2 * 8 + bits / 4 % 2 * 4 + bits / 8 % 2 * 2 + bits / 16;
    EXPECT_EQ(fft[size_t(i)], i / 32 * 32 + reversed);
  }
  EXPECT_NE(swizzle_sources(0xc000 | 3 << 5, Generation::gfx8), up);
}

TEST(Control, NewBroadcastAndNone) {
  for (int n = 0; n < 16; ++n)
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(dpp_sources(0x150u | uint32_t(n))[size_t(i)], i / 16 * 16 + n);
  for (const int8_t from : dpp_sources(0x160))
    EXPECT_EQ(from, no_lane);
}

} // namespace
} // namespace crosslane::cross_lane
