// Owns seeing rows in the addresses of a wavefront: work-items of a block that is 16 wide make four rows of 16 lanes.
#pragma once
#include "views/lane_example.h"
#include <cstdint>
#include <optional>
#include <span>

namespace crosslane::findings {

// Lane l is at base + (l mod width) * step + (l / width) * pitch. One row (width 64) has no pitch.
struct Tile {
  uint32_t width = 64;
  int64_t step = 0, pitch = 0;
  bool rows() const { return width < 64; }
  bool operator==(const Tile&) const = default;
};

// The widest such rows that all lanes of the example lie in, if there are eight lanes at least.
std::optional<Tile> tile_of(const views::LaneExample&);

// Whether each lane's two addresses are neighbouring dwords: one access of twice the width to LDS.
bool adjacent(const views::LaneExample&);

// Most dwords that lanes served together have in one LDS bank, for accesses of a dword or less: of halves of the
// wavefront, or of quarters if each lane has two neighbouring dwords.
uint32_t bank_degree(const views::LaneExample&);

// Bytes between rows in LDS: of a tile that a wavefront reads row by row the pitch, of one whose columns it goes down
// the step from lane to lane. Empty if the lanes are one row, or rows are not whole dwords apart.
std::optional<uint64_t> row_pitch(const views::LaneExample&);

// The least pitch above `now`, and not more than 32 dwords above it, with which none of these accesses, of a dword or
// less a lane and all with that pitch, has a conflict.
std::optional<uint64_t> better_pitch(std::span<const views::LaneExample* const>, uint64_t now);

} // namespace crosslane::findings
