// Owns which memory there is for kernels, as it comes and goes, for checks that ask about addresses of many waves at
// once. Attach it with events::MemoryEvents.
#pragma once
#include "check/host_stack.h"
#include "events/listener.h"
#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace crosslane::check {

// [begin, end), of one allocation.
struct Extent {
  uint64_t begin = 0, end = 0;
  // Of an access of `bytes` from `address` on.
  bool holds(uint64_t address, uint64_t bytes) const { return address >= begin && address + bytes <= end; }
};

class Allocations final : public events::Listener {
public:
  // Whether it keeps where the host's program asks for each.
  explicit Allocations(bool traced = false) : traced_(traced) {}
  bool wants_memory() const override { return true; }
  void allocated(const machine::Allocation&) override;
  void freed(const machine::Allocation&) override;

  struct Named : Extent {
    std::string name;
    HostStack frames; // of who asked for it
  };
  // The allocation with this address; else the one behind which, or else the one before which it lies within `near`
  // bytes. Of size 0 only if there is no other.
  std::optional<Named> find(uint64_t address, uint64_t near) const;
  // What the address was in before it was freed, of the last allocations that were.
  struct Freed : Named {
    HostStack freed_by;
  };
  std::optional<Freed> find_freed(uint64_t address) const;
  // All that there are now, by address.
  std::vector<Named> live() const;
  // Changes whenever an extent does, and is never that of another one.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
  const bool traced_;
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Named> by_begin_;
  std::deque<Freed> freed_; // the last one first
  std::atomic<uint64_t> version_{1};
};

// ", allocated in main (program+0x1234)", see program_function(). Empty: in none.
std::string allocated_in(const Allocations::Named&);
// ", freed in main (program+0x1234)" likewise; ", freed" if in none.
std::string freed_in(const Allocations::Freed&);

} // namespace crosslane::check
