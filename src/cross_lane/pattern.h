// Owns what a cross-lane pattern is: for each of a wavefront's 64 lanes the lane that it reads, or that it must become
// zero, or that nobody cares what it becomes.
#pragma once
#include "cross_lane/control.h"

namespace crosslane::cross_lane {

inline constexpr int8_t zero_lane = no_lane; // what BOUND_CTRL reads where there is no lane
inline constexpr int8_t any_lane = -2;

// Per lane a lane number, zero_lane or any_lane. Sources is such a pattern: its lanes without a source read zero.
using Pattern = std::array<int8_t, lane_count>;

constexpr uint64_t lane_bit(int lane) { return uint64_t(1) << lane; }

// The lanes for which `which(lane, source)` holds.
template <class F> constexpr uint64_t lanes_where(const Pattern& p, F which) {
  uint64_t mask = 0;
  for (int i = 0; i < lane_count; ++i)
    if (which(i, int(p[size_t(i)])))
      mask |= lane_bit(i);
  return mask;
}
constexpr uint64_t zero_lanes(const Pattern& p) {
  return lanes_where(p, [](int, int from) { return from == zero_lane; });
}
constexpr uint64_t any_lanes(const Pattern& p) {
  return lanes_where(p, [](int, int from) { return from == any_lane; });
}
// Lanes that read a lane.
constexpr uint64_t reading_lanes(const Pattern& p) { return ~(zero_lanes(p) | any_lanes(p)); }

} // namespace crosslane::cross_lane
