// Owns seeing rows in the addresses of a wavefront: work-items of a block that is 16 wide make four rows of 16 lanes.
#pragma once
#include "views/lane_example.h"
#include <cstdint>
#include <optional>

namespace crosslane::report {

// Lane l is at base + (l mod width) * step + (l / width) * pitch. One row (width 64) has no pitch.
struct Tile {
  uint32_t width = 64;
  int64_t step = 0, pitch = 0;
  bool rows() const { return width < 64; }
  bool operator==(const Tile&) const = default;
};

// The widest such rows that all lanes of the example lie in, if there are eight lanes at least.
std::optional<Tile> tile_of(const views::LaneExample&);

// Most dwords that lanes of one half of the wavefront have in one LDS bank, for accesses of a dword or less.
uint32_t bank_degree(const views::LaneExample&);

// How many bytes between rows (or, where the lanes go down a column, between lanes) have no conflict in LDS: the least
// number above the one there is, and not more than 32 dwords above it. Only of accesses of a dword or less.
struct Pitch {
  uint64_t now = 0, better = 0; // bytes
};
std::optional<Pitch> better_pitch(const views::LaneExample&);

} // namespace crosslane::report
