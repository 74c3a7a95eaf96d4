// Rows of a block in the addresses of its wavefronts; lines counted by hand.
#include "findings/block_rows.h"
#include <gtest/gtest.h>

namespace crosslane::findings {
namespace {

constexpr Blocks blocks = {{16, 16, 1}, {256, 256, 1}};
constexpr uint64_t base = 0x7f0000010000;

// A wavefront of a workgroup in blocks of 16x16: the float that each work-item reads, by its column and line in the
// grid.
template <class F>
std::optional<BlockRows> rows(uint32_t group_x, uint32_t group_y, F element, uint32_t bytes = 4,
                              uint64_t lanes = ~uint64_t{0}) {
  views::LaneExample e;
  e.workgroup[0] = group_x, e.workgroup[1] = group_y, e.lanes = lanes;
  for (uint64_t lane = 0; lane < 64; ++lane)
    e.address[lane] =
        lanes >> lane & 1 ? base + 4 * element(group_x * 16 + lane % 16, group_y * 16 + lane / 16) : 0xdead;
  return block_rows(e, blocks, bytes);
}

TEST(BlockRows, NeighboursOfAStencil) {
  // The element to the left, in rows of 1024 bytes: each of four rows begins 4 bytes before a line, and has two. As one
  // row of 64 there are 5.
  const auto left = rows(1, 0, [](uint64_t x, uint64_t y) { return y * 256 + x - 1; });
  ASSERT_TRUE(left);
  EXPECT_EQ(left->width, 16u);
  EXPECT_EQ(left->rows, 4u);
  EXPECT_EQ(left->step, 4);
  EXPECT_EQ(left->pitch, 1024);
  EXPECT_EQ(left->wide, 5);
  EXPECT_FALSE(left->padded);
  // The same at the grid's edges: clamped, or wrapped. The last lane of 16 in each row is out of line.
  const auto clamped = rows(15, 0, [](uint64_t x, uint64_t y) { return y * 256 + std::min<uint64_t>(x + 1, 255); });
  ASSERT_TRUE(clamped);
  EXPECT_EQ(clamped->step, 4);
  const auto wrapped = rows(15, 0, [](uint64_t x, uint64_t y) { return y * 256 + (x + 1) % 256; });
  ASSERT_TRUE(wrapped);
  EXPECT_EQ(wrapped->pitch, 1024);
  // Three elements at once, from the left one on: 18 in each row, three lines.
  const auto three = rows(1, 0, [](uint64_t x, uint64_t y) { return y * 256 + x - 1; }, 12);
  ASSERT_TRUE(three);
  EXPECT_EQ(three->step, 4);
  EXPECT_EQ(three->wide, 6); // 66 elements: one, 64, one
}

TEST(BlockRows, RowsOffTheLine) {
  // Rows of 1000 bytes. Of line 48 on, they begin 0, 40, 16, 56 bytes behind a line: 1, 2, 2, 2 lines; 256 bytes from
  // there are 4, 5, 5, 5. With 1024 bytes each row of 64 bytes would be one line.
  const auto here = rows(2, 3, [](uint64_t x, uint64_t y) { return y * 250 + x; });
  ASSERT_TRUE(here);
  EXPECT_EQ(here->wide, 4.75);
  ASSERT_TRUE(here->padded);
  EXPECT_EQ(*here->padded, 4);
  EXPECT_TRUE(rows(2, 3, [](uint64_t x, uint64_t y) { return (y - 1) * 250 + x; })->padded);
  EXPECT_TRUE(rows(2, 3, [](uint64_t x, uint64_t y) { return (y + 1) * 250 + x; })->padded);
  // No distance between rows helps who begins an element beside them.
  EXPECT_FALSE(rows(2, 3, [](uint64_t x, uint64_t y) { return y * 250 + x - 1; })->padded);
  EXPECT_FALSE(rows(2, 3, [](uint64_t x, uint64_t y) { return y * 250 + x + 1; })->padded);
}

// The last block of a grid 250 wide has 10 work-items in a row: a wavefront is 6 rows and 4 lanes.
TEST(BlockRows, TheGridsEnd) {
  views::LaneExample e;
  e.workgroup[0] = 15, e.lanes = ~uint64_t{0};
  for (uint64_t lane = 0; lane < 64; ++lane)
    e.address[lane] = base + 4 * (lane / 10 * 250 + 240 + lane % 10);
  const auto r = block_rows(e, {{16, 16, 1}, {250, 250, 1}}, 4);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->width, 16u); // of the other blocks
  EXPECT_EQ(r->rows, 7u);
  EXPECT_EQ(r->pitch, 1000);
  EXPECT_EQ(r->padded, 4);
}

TEST(BlockRows, OtherSteps) {
  EXPECT_EQ(rows(0, 0, [](uint64_t x, uint64_t y) { return y * 4096 + x * 6; })->step, 24);
  EXPECT_EQ(rows(0, 0, [](uint64_t, uint64_t y) { return y * 64; })->step, 0);
  EXPECT_EQ(rows(0, 0, [](uint64_t x, uint64_t y) { return 5000 + y * 64 - x; })->step, -4);
  EXPECT_EQ(rows(0, 0, [](uint64_t x, uint64_t y) { return x * 256 + y; })->step, 1024);
}

TEST(BlockRows, None) {
  EXPECT_FALSE(rows(0, 0, [](uint64_t x, uint64_t y) { return (y * 16 + x) * 2654435761 % 65536; }));
  // Every second lane: nobody has a neighbour.
  EXPECT_FALSE(rows(0, 0, [](uint64_t x, uint64_t y) { return y * 256 + x; }, 4, 0x5555555555555555));
  // Half of the neighbours are in line.
  EXPECT_FALSE(rows(0, 0, [](uint64_t x, uint64_t y) { return y * 256 + x / 2 * 77 + x % 2; }));
}

} // namespace
} // namespace crosslane::findings
