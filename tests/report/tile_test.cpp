// Rows in the addresses of a wavefront, and pitches without bank conflicts.
#include "report/tile.h"
#include <gtest/gtest.h>

namespace crosslane::report {
namespace {

template <class F> views::LaneExample example(F address, uint64_t lanes = ~uint64_t{0}) {
  views::LaneExample e;
  e.lanes = lanes;
  for (uint64_t lane = 0; lane < 64; ++lane)
    e.address[lane] = lanes >> lane & 1 ? address(lane) : 0xdead;
  return e;
}

TEST(Tile, Rows) {
  EXPECT_EQ(tile_of(example([](uint64_t l) { return 0x1000 + 32 * l; })), (Tile{64, 32, 0}));
  EXPECT_EQ(tile_of(example([](uint64_t l) { return 0x1000 + l % 16 * 4 + l / 16 * 300; })), (Tile{16, 4, 300}));
  EXPECT_EQ(tile_of(example([](uint64_t l) { return 0x9000 - l % 8 * 4 - l / 8 * 512; })), (Tile{8, -4, -512}));
  EXPECT_EQ(tile_of(example([](uint64_t l) { return 0x1000 + l / 32 * 4096; })), (Tile{32, 0, 4096}));
  // Lanes that take no part have no say.
  EXPECT_EQ(tile_of(example([](uint64_t l) { return 0x1000 + l % 16 * 4 + l / 16 * 300; }, 0x00ff'0fff'ff00'5555)),
            (Tile{16, 4, 300}));
}

TEST(Tile, NoRows) {
  EXPECT_FALSE(tile_of(example([](uint64_t l) { return l * l * 4; })));
  EXPECT_FALSE(tile_of(example([](uint64_t l) { return l * 4; }, 0x7f))); // too few to tell
  EXPECT_FALSE(tile_of(example([](uint64_t l) { return l * 4; }, 0)));
}

TEST(Tile, BankDegree) {
  // A column of rows of 32 dwords: all 32 lanes of a half in bank 0. Of rows of 33: each in a bank of its own.
  EXPECT_EQ(bank_degree(example([](uint64_t l) { return l * 128; })), 32u);
  EXPECT_EQ(bank_degree(example([](uint64_t l) { return l * 132; })), 1u);
  EXPECT_EQ(bank_degree(example([](uint64_t) { return 128; })), 1u); // one dword is shared
  EXPECT_EQ(bank_degree(example([](uint64_t l) { return l * 8; })), 2u);
}

TEST(Tile, BetterPitch) {
  const auto column = better_pitch(example([](uint64_t l) { return l * 128; }));
  ASSERT_TRUE(column);
  EXPECT_EQ(column->now, 128u);
  EXPECT_EQ(column->better, 132u);
  // Rows of 16 lanes, 17 dwords apart: the second row of a half begins at bank 17 and ends on the first row's bank 0.
  // Where rows begin 16 banks apart, two fill all 32: 48 dwords is the next such pitch.
  const auto rows = better_pitch(example([](uint64_t l) { return l % 16 * 4 + l / 16 * 68; }));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->better, 48u * 4);
  EXPECT_FALSE(better_pitch(example([](uint64_t l) { return l * l * 4; })));
}

} // namespace
} // namespace crosslane::report
