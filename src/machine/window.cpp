// Addresses are handed out one behind the other, round and round, so that one is not used again soon: late accesses are
// found out. Nothing is reserved by a mapping, which would count against limits of address space; a place that is taken
// is passed over.
#include "machine/window.h"
#include "machine/second_half.h"
#include <atomic>
#include <cerrno>
#include <sys/mman.h>

namespace crosslane::machine {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t begin = uint64_t(window.first) << 32, end = begin + (uint64_t(window.count) << 32);
constexpr uint64_t stride = uint64_t(64) << 20; // from a place that is taken to the next one that is tried
constexpr uint64_t tries = (end - begin) / stride;

constexpr uint64_t round_up(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint64_t map_at(uint64_t address, uint64_t bytes, int protection, int flags) {
  void* p = mmap(reinterpret_cast<void*>(address), bytes, protection,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  return p == MAP_FAILED ? 0 : reinterpret_cast<uint64_t>(p);
}

std::atomic<uint64_t> next{begin};

// Whether an address of the window can be had at all.
bool probe() {
  const uint64_t address = map_at(begin, page, PROT_NONE, MAP_FIXED_NOREPLACE);
  if (address)
    munmap(reinterpret_cast<void*>(address), page);
  return address == begin || errno == EEXIST;
}

} // namespace

Reach device_reach() {
  static const bool available = probe();
  return available ? window : everything;
}

void use_second_half() {
  constexpr uint64_t middle = begin + (end - begin) / 2;
  uint64_t place = next;
  while (place < middle && !next.compare_exchange_weak(place, middle))
    ;
}

uint64_t map_in_window(uint64_t bytes, int protection, uint64_t alignment, uint64_t gap) {
  if (bytes > end - begin - alignment - gap - stride)
    return 0;
  if (device_reach() == everything) { // anywhere
    const uint64_t whole = bytes + alignment - page + gap, mapping = map_at(0, whole, protection, 0);
    if (!mapping)
      return 0;
    const uint64_t address = round_up(mapping, alignment);
    if (address > mapping)
      munmap(reinterpret_cast<void*>(mapping), address - mapping);
    if (const uint64_t rest = mapping + whole - (address + bytes))
      munmap(reinterpret_cast<void*>(address + bytes), rest);
    return address;
  }
  uint64_t skip = 0;
  for (uint64_t i = 0; i < tries; ++i) {
    const uint64_t room = skip + (alignment - page) + bytes + gap;
    const uint64_t place = next.fetch_add(room, std::memory_order_relaxed), address = round_up(place + skip, alignment);
    if (place + room > end) {
      uint64_t over = place + room;
      next.compare_exchange_strong(over, begin, std::memory_order_relaxed);
      continue;
    }
    const uint64_t mapping = map_at(address, bytes, protection, MAP_FIXED_NOREPLACE);
    if (mapping == address)
      return address;
    if (mapping)
      munmap(reinterpret_cast<void*>(mapping), bytes); // a host that does not know the flag
    else if (errno != EEXIST)
      return 0;
    skip = stride;
  }
  return 0;
}

} // namespace crosslane::machine
