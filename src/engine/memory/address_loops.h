// Owns the loops over 64 addresses that an access event takes: compiled per level, as a listener hears of every access.
#pragma once
#include "lanes/level.h"
#include <cstdint>

namespace crosslane::engine {

struct AddressLoops {
  // out[lane] = base + ((offset[lane] + add) & mask), the sum in 32 bits
  void (*offsets)(const uint32_t* offset, uint32_t add, uint32_t mask, uint64_t base, uint64_t* out);
  // out[lane] = (high[lane] << 32 | low[lane]) + add
  void (*pairs)(const uint32_t* low, const uint32_t* high, uint64_t add, uint64_t* out);
  // The highest address of some lanes. The others may have any.
  uint64_t (*highest)(const uint64_t* address, uint64_t lanes);
};

CROSSLANE_LEVEL_BEGIN
extern const AddressLoops address_loops;
CROSSLANE_LEVEL_END

} // namespace crosslane::engine
