// Owns the question whether a wave may access a global address: in the window of its device (one comparison), or, out
// of line, in host memory that is shared with the device.
#pragma once
#include "engine/uop.h"

namespace crosslane::engine {

// All of [address, address + bytes) lies in Wave::shared.
bool is_shared(const Wave* w, uint64_t address, uint64_t bytes);
// ... and so do `bytes` bytes at each of the lanes' addresses, the pairs of low and high halves plus `add`. `lanes` is
// not 0.
bool are_shared(const Wave* w, const uint32_t* low, const uint32_t* high, uint64_t add, uint64_t lanes, uint32_t bytes);
// ... and at base + offset.
bool are_shared(const Wave* w, uint64_t base, const uint32_t* offset, uint64_t lanes, uint32_t bytes);

// `bytes`, of one access, end where an address within reach still is: nothing is mapped around the window.
__attribute__((always_inline)) inline bool reaches(const Wave* w, uint64_t address, uint32_t bytes) {
  return __builtin_expect(w->reach.contains(address), true) || is_shared(w, address, bytes);
}

} // namespace crosslane::engine
