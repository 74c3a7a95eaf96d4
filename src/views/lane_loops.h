// Owns the loops over the 64 addresses of an access that views run at every one. They are compiled once per x86-64
// level (cmake/Isa.cmake) and chosen at run time, as an address takes 64 bits and AVX-512 has eight of them in a
// register.
#pragma once
#include <cstdint>

namespace crosslane::views {

// Lanes that are not in `lanes` have no value, and do not matter.
struct LaneLoops {
  // Whether address[lane] is base + offset[lane].
  bool (*are_at)(const uint64_t* address, uint64_t lanes, uint64_t base, const uint64_t* offset);
  // Whether address[lane] is base + lane * step.
  bool (*are_in_steps)(const uint64_t* address, uint64_t lanes, uint64_t base, uint64_t step);
  // Whether second[lane] is address[lane] + apart.
  bool (*are_apart)(const uint64_t* address, const uint64_t* second, uint64_t lanes, uint64_t apart);
  // The bits that any address has.
  uint64_t (*any)(const uint64_t* address, uint64_t lanes);
};

const LaneLoops& lane_loops(); // of the best level that the host has, or that CROSSLANE_LEVEL asks for

} // namespace crosslane::views
