// The slow half of the question: shared ranges of host memory.
#include "engine/reach.h"
#include "machine/shared_ranges.h"
#include <algorithm>

namespace crosslane::engine {

namespace {

// Ranges are looked at once for all lanes: from the lowest of their addresses to the highest.
template <class AddressOf> bool all_shared(const Wave* w, uint64_t lanes, uint32_t bytes, AddressOf address_of) {
  if (!w->shared)
    return false;
  uint64_t lowest = ~uint64_t(0), highest = 0;
  for (uint64_t left = lanes; left; left &= left - 1) {
    const uint64_t address = address_of(__builtin_ctzll(left));
    lowest = std::min(lowest, address), highest = std::max(highest, address);
  }
  return is_shared(w, lowest, highest - lowest + bytes);
}

} // namespace

bool is_shared(const Wave* w, uint64_t address, uint64_t bytes) {
  return w->shared && w->shared->contains(address, bytes);
}

bool are_shared(const Wave* w, const uint32_t* low, const uint32_t* high, uint64_t add, uint64_t lanes,
                uint32_t bytes) {
  return all_shared(w, lanes, bytes, [&](int lane) { return (uint64_t(high[lane]) << 32 | low[lane]) + add; });
}
bool are_shared(const Wave* w, uint64_t base, const uint32_t* offset, uint64_t lanes, uint32_t bytes) {
  return all_shared(w, lanes, bytes, [&](int lane) { return base + offset[lane]; });
}

} // namespace crosslane::engine
