// Strides that gpu-benches measured on an MI210 (te42kyfo, gpu-strides), cycles of a wave's load without the loop's
// share: the mean of eight loads that are 0, 4 ... 28 elements further on.
#include "timing/l1_banks.h"
#include <gtest/gtest.h>

namespace crosslane::timing {
namespace {

double strided(uint64_t stride, uint32_t bytes) {
  uint32_t clocks = 0;
  for (uint64_t place = 0; place < 32; place += 4)
    for (uint64_t row = 0; row < 64; row += 16) {
      uint64_t address[16];
      for (uint64_t lane = 0; lane < 16; ++lane)
        address[lane] = 0x10000 + bytes * (place + stride * (row + lane));
      clocks += l1_bank_clocks(address, 0xffff, bytes);
    }
  return clocks / 8.0;
}

TEST(L1Banks, StridesOfDwordsAreThoseOfAnMi210) {
  for (const uint64_t stride : {3u})
    EXPECT_EQ(strided(stride, 4), 16) << stride;
  for (const uint64_t stride : {5u, 9u, 11u, 13u, 19u, 21u, 27u, 41u, 55u, 61u})
    EXPECT_EQ(strided(stride, 4), 28) << stride;
  for (const uint64_t stride : {2u, 10u, 14u, 38u, 62u})
    EXPECT_EQ(strided(stride, 4), 32) << stride;
  for (const uint64_t stride : {17u, 33u, 47u, 49u, 63u})
    EXPECT_EQ(strided(stride, 4), 48) << stride;
  for (const uint64_t stride : {4u, 8u, 20u, 24u, 64u})
    EXPECT_EQ(strided(stride, 4), 64) << stride;
}

TEST(L1Banks, StridesOfDoublesAreThoseOfAnMi210) {
  for (const uint64_t stride : {0u, 1u, 2u, 3u, 5u, 9u, 25u})
    EXPECT_EQ(strided(stride, 8), 16) << stride;
  for (const uint64_t stride : {10u, 21u, 26u})
    EXPECT_EQ(strided(stride, 8), 24) << stride;
  for (const uint64_t stride : {4u, 11u, 12u, 15u, 17u, 20u, 27u, 28u, 29u})
    EXPECT_EQ(strided(stride, 8), 32) << stride;
  for (const uint64_t stride : {30u, 34u})
    EXPECT_EQ(strided(stride, 8), 48) << stride;
  EXPECT_EQ(strided(31, 8), 56);
  for (const uint64_t stride : {8u, 16u, 24u, 32u, 33u})
    EXPECT_EQ(strided(stride, 8), 64) << stride;
}

// Of the first clock's lanes 0, 4, 8 and 12 only 4 takes part; of the others none.
TEST(L1Banks, LanesThatTakeNoPartTakeNoClock) {
  uint64_t address[16];
  for (uint64_t lane = 0; lane < 16; ++lane)
    address[lane] = 64 * 16 * lane;
  EXPECT_EQ(l1_bank_clocks(address, 0x10, 4), 1u);
  EXPECT_EQ(l1_bank_clocks(address, 0x110, 4), 2u);
  EXPECT_EQ(l1_bank_clocks(address, 0, 4), 0u);
}

// A dword that begins in a line's last byte asks both lines; a lane alone never waits.
TEST(L1Banks, ALaneInTwoLinesAsksBoth) {
  uint64_t address[16] = {63};
  EXPECT_EQ(l1_bank_clocks(address, 1, 4), 1u);
  address[4] = 64 * 5; // the tag bank of line 1
  EXPECT_EQ(l1_bank_clocks(address, 0x11, 4), 2u);
}

} // namespace
} // namespace crosslane::timing
