// Owns races between dispatches, and between those and copies, where nothing lets one wait for the other
// (check/order.h). What each dispatch has left in its shadow stays until all that may yet begin comes after it,
// and is compared with that of others when these have ended: while they run it costs nothing.
//
// Not judged: copies among themselves; kernels that look at a place atomically, both of them, and invalidate the cache,
// as they may wait for each other so; in one queue, what has been forgotten because there was too much of it.
#pragma once
#include "check/allocations.h"
#include "check/order.h"
#include "events/listener.h"
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace crosslane::check {

namespace race {
struct Dispatch;
}

// That the host asks for.
struct AskedCopy {
  Extent to, from;                       // empty: none
  std::string asked;                     // "hipMemcpyAsync called in main (program+0x1234)"
  std::vector<const void*> signals = {}; // that it waits for
  const void* completion = nullptr;      // null: the host waits for it
  uint64_t ticket = 0;
};

// Attached with events::MemoryEvents, it takes it that nothing runs when memory is freed. Safe for threads.
class Between final : public events::Listener {
public:
  explicit Between(Order& order);
  ~Between() override;
  bool wants_memory() const override { return true; }
  void freed(const machine::Allocation&) override { order.sees_all(); }

  Order& order;
  // Lets go what is past.
  void forget();
  void ended(std::unique_ptr<race::Dispatch>);
  // It is done; its signal is not.
  void copied(const AskedCopy&);

private:
  struct PastCopy {
    AskedCopy copy;
    Operation operation;
  };
  std::mutex mutex_;
  std::vector<std::unique_ptr<race::Dispatch>> dispatches_; // in the order of their ends
  std::deque<PastCopy> copies_;
  void forget_past();
};

} // namespace crosslane::check
