// Owns seeing the rows of a workgroup in the addresses of a wavefront, where a few lanes may be out of line (at the
// edges of a grid indexes are clamped, wrapped or left out), and what those rows would cost in other blocks and arrays.
#pragma once
#include "views/lane_example.h"
#include <cstdint>
#include <optional>

namespace crosslane::findings {

struct BlockRows {
  uint32_t width = 0; // lanes of a whole row: of the block, 64 at most
  int64_t step = 0;   // bytes from lane to lane
  int64_t pitch = 0;  // bytes from row to row, of most rows; 0: there is one
  uint32_t rows = 0;  // that the wavefront has lanes in
  bool several() const { return rows > 1 && width < 64; }
  // Cache lines of a wavefront, on average over these rows:
  double wide = 0; // if it were one row of 64 work-items
  std::optional<double>
      padded; // with rows a multiple of 64 bytes apart, if it is their distance that keeps them off the line
};

// What a wavefront is of: blocks of a shape, of which the last may be cut off by the grid's end.
struct Blocks {
  uint32_t shape[3];
  uint32_t grid[3];
};

// `bytes` of a lane. Empty where the lanes of a row are not in line: two thirds of the neighbours have to be as far
// apart as each other, and there have to be eight.
std::optional<BlockRows> block_rows(const views::LaneExample&, const Blocks&, uint32_t bytes);

} // namespace crosslane::findings
