// Rows in the addresses of a wavefront, and pitches without bank conflicts.
#include "findings/tile.h"
#include <gtest/gtest.h>

namespace crosslane::findings {
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
  const auto column = example([](uint64_t l) { return l * 128; });
  EXPECT_EQ(row_pitch(column), 128u);
  const views::LaneExample* one[] = {&column};
  EXPECT_EQ(better_pitch(one, 128), 132u);
  EXPECT_FALSE(row_pitch(example([](uint64_t l) { return l * 4; }))); // one row
  EXPECT_FALSE(row_pitch(example([](uint64_t l) { return l * l * 4; })));
}

TEST(Tile, BetterPitchOfTwoDwordsALane) {
  // ds_read2_b32 of t[lane][r] and t[lane][r + 1]: quarters of a wavefront, 16 lanes with 32 dwords. Rows of 64 dwords:
  // the 16 first dwords share a bank, and so do the second ones. Rows of 65: lane l has banks l and l + 1, so that two
  // lanes meet in each. Rows of 66: banks 2l and 2l + 1, all 32 different.
  const auto column = [](uint64_t dwords) {
    auto e = example([&](uint64_t l) { return l * dwords * 4; });
    e.two_addresses = true;
    for (size_t lane = 0; lane < 64; ++lane)
      e.second[lane] = e.address[lane] + 4;
    return e;
  };
  EXPECT_EQ(bank_degree(column(64)), 16u);
  EXPECT_EQ(bank_degree(column(65)), 2u);
  EXPECT_EQ(bank_degree(column(66)), 1u);
  const auto now = column(64);
  const views::LaneExample* one[] = {&now};
  EXPECT_EQ(better_pitch(one, 256), 66u * 4);
}

TEST(Tile, APitchForAllOrNone) {
  // Rows of 16 lanes, 17 dwords apart: the second row of a half begins at bank 17 and ends on the first row's bank 0.
  // Where rows begin 16 banks apart, two fill all 32: 48 dwords is the next such pitch. Then the columns, 48 dwords
  // from lane to lane, lie in two banks.
  const auto rows = example([](uint64_t l) { return l % 16 * 4 + l / 16 * 68; });
  const auto columns = example([](uint64_t l) { return l % 16 * 68 + l / 16 * 4; });
  EXPECT_EQ(row_pitch(rows), 68u);
  EXPECT_EQ(row_pitch(columns), 68u);
  const views::LaneExample *one[] = {&rows}, *both[] = {&rows, &columns};
  EXPECT_EQ(better_pitch(one, 68), 48u * 4);
  EXPECT_FALSE(better_pitch(both, 68));
}

} // namespace
} // namespace crosslane::findings
