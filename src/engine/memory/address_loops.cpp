// For the compiler to vectorise. Results do not overlap with registers, which it cannot know.
#include "engine/memory/address_loops.h"
#include <algorithm>

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

void offsets(const uint32_t* __restrict offset, uint32_t add, uint32_t mask, uint64_t base, uint64_t* __restrict out) {
  for (int lane = 0; lane < 64; ++lane)
    out[lane] = base + ((offset[lane] + add) & mask);
}

void pairs(const uint32_t* __restrict low, const uint32_t* __restrict high, uint64_t add, uint64_t* __restrict out) {
  for (int lane = 0; lane < 64; ++lane)
    out[lane] = (uint64_t(high[lane]) << 32 | low[lane]) + add;
}

uint64_t highest(const uint64_t* address, uint64_t lanes) {
  uint64_t most = 0;
  if (lanes == ~uint64_t(0))
    for (int lane = 0; lane < 64; ++lane)
      most = std::max(most, address[lane]);
  else
    for (int lane = 0; lane < 64; ++lane)
      most = std::max(most, lanes >> lane & 1 ? address[lane] : 0);
  return most;
}

} // namespace

const AddressLoops address_loops = {offsets, pairs, highest};

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
