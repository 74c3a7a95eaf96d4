// Owns the window: the part of the address space in which everything lies that a device may reach. Device memory,
// locked host memory's second address, code, packets, signals and scratch are mapped in it, and nothing else is; so
// whether an address is a device's is one comparison of its high dword. On either side nothing is mapped for far more
// than offsets of 32 bits reach. See docs/decisions/0017-device-window.md.
#pragma once
#include <cstdint>

namespace crosslane::machine {

// The addresses that waves may access: those whose high dword is one of `count` from `first` on.
struct Reach {
  uint32_t first, count;
  constexpr bool holds(uint32_t high) const { return high - first < count; }
  constexpr bool contains(uint64_t address) const { return holds(uint32_t(address >> 32)); }
  // Of a base to which an offset of 32 bits is added: no more than that away.
  constexpr bool holds_base(uint64_t address) const { return uint32_t(address >> 32) - (first - 1) < count + 1; }
  friend constexpr bool operator==(Reach, Reach) = default;
};

// 8 TiB where programs, sanitizers and the host's kernel put nothing of their own.
inline constexpr Reach window = {0x6800, 0x800};
// All of the host's memory: whatever this process has mapped.
inline constexpr Reach everything = {0, 0x10000};
// `window`, or `everything` where the host does not let a process choose addresses (ThreadSanitizer, some emulators).
Reach device_reach();

// What stays unmapped behind a mapping, so that an access past its end faults.
inline constexpr uint64_t window_gap = 64 << 10;
// Private memory in the window, zeroed, with `gap` unmapped bytes behind it; at a multiple of `alignment`, a power of
// two. All are multiples of 4096. 0: the host has none left. Thread-safe. Whoever has it unmaps it (munmap).
uint64_t map_in_window(uint64_t bytes, int protection, uint64_t alignment = 4096, uint64_t gap = window_gap);

} // namespace crosslane::machine
