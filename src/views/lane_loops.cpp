// Written for the compiler to vectorise: always 64 rounds, no way out before the last.
#include "views/lane_loops.h"
#include "lanes/level.h"

namespace crosslane::views {
CROSSLANE_LEVEL_BEGIN

namespace {

constexpr uint64_t all_lanes = ~uint64_t(0);

// The bits that f(lane) has for any of `lanes`.
template <class F> [[gnu::always_inline]] inline uint64_t gather_bits(uint64_t lanes, F f) {
  uint64_t bits = 0;
  if (lanes == all_lanes)
    for (uint64_t lane = 0; lane < 64; ++lane)
      bits |= f(lane);
  else
    for (uint64_t lane = 0; lane < 64; ++lane)
      bits |= lanes >> lane & 1 ? f(lane) : 0;
  return bits;
}

bool are_at(const uint64_t* address, uint64_t lanes, uint64_t base, const uint64_t* offset) {
  return gather_bits(lanes, [=](uint64_t lane) { return (address[lane] - base) ^ offset[lane]; }) == 0;
}

bool are_in_steps(const uint64_t* address, uint64_t lanes, uint64_t base, uint64_t step) {
  uint64_t expected[64];
  for (uint64_t lane = 0; lane < 64; ++lane)
    expected[lane] = base + lane * step;
  return gather_bits(lanes, [&](uint64_t lane) { return address[lane] ^ expected[lane]; }) == 0;
}

bool are_apart(const uint64_t* address, const uint64_t* second, uint64_t lanes, uint64_t apart) {
  return gather_bits(lanes, [=](uint64_t lane) { return (second[lane] - address[lane]) ^ apart; }) == 0;
}

uint64_t any(const uint64_t* address, uint64_t lanes) {
  return gather_bits(lanes, [=](uint64_t lane) { return address[lane]; });
}

} // namespace

CROSSLANE_LEVEL_END

#define CROSSLANE_CAT_(a, b) a##b
#define CROSSLANE_CAT(a, b) CROSSLANE_CAT_(a, b)
extern const LaneLoops CROSSLANE_CAT(lane_loops_, CROSSLANE_LEVEL);
const LaneLoops CROSSLANE_CAT(lane_loops_, CROSSLANE_LEVEL) = {are_at, are_in_steps, are_apart, any};

} // namespace crosslane::views
