// Owns the ranges of host memory that a device reaches besides the window, by the addresses that the host uses: shared
// virtual memory (HIP's managed memory), which the host program maps where it likes.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace crosslane::machine {

class SharedRanges {
public:
  // Disjoint ranges, by first byte, with the byte behind the last: instead of those before.
  void set(std::map<uint64_t, uint64_t> ranges);
  bool empty() const;
  // All of [address, address + bytes) is in one of them, or in several that follow each other. Thread-safe.
  bool contains(uint64_t address, uint64_t bytes) const;

private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, uint64_t> ranges_;
};

} // namespace crosslane::machine
