// Owns places of one size for what clients and kernels name by its address: signals and queues. They lie in one range
// of the window, so that whether an address is a place is a comparison without a lock; they stay mapped for the life of
// the process, so that whoever is late with a handle meets memory; and one that was given back is used again only after
// many others have been, so that late handles do not soon name something else.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace crosslane::hsa {

class Slots {
public:
  // `bytes` of a place: a power of two. `most`: places that there may be. `rest`: how many others are given back before
  // one is used again.
  constexpr Slots(uint64_t bytes, uint64_t most, uint64_t rest) : bytes_(bytes), most_(most), rest_(rest) {}
  Slots(const Slots&) = delete;

  // Memory that kernels reach: zeros, or as its last user left it. Null: there are none left.
  void* take();
  // False: the address is no place that is taken.
  bool give_back(uint64_t address);
  // Those that are taken.
  std::vector<uint64_t> taken() const;
  // The address is a place, taken or not.
  bool contains(uint64_t address) const { return holds(address) && !(address & (bytes_ - 1)); }
  // It is within one.
  bool holds(uint64_t address) const {
    return address - begin_.load(std::memory_order_relaxed) < end_.load(std::memory_order_relaxed);
  }

private:
  bool reserve();
  const uint64_t bytes_, most_, rest_;
  std::atomic<uint64_t> begin_{0}, end_{0}; // end: offset of the first place that has never been
  mutable std::mutex mutex_;                // guards what follows
  uint64_t reserved_ = 0, usable_ = 0;      // bytes
  // Of each place: the next one that is free, in the order in which they were given back; or that it is taken. Not
  // where kernels write.
  static constexpr uint32_t none = UINT32_MAX, is_taken = UINT32_MAX - 1;
  std::vector<uint32_t> next_;
  uint32_t first_free_ = none, last_free_ = none, free_ = 0;
};

} // namespace crosslane::hsa
