// Owns where the packet processors, copies and functions on signals tell in which order operations are (check/order.h),
// for the check of races.
#pragma once
#include "check/order.h"
#include "hsa/queue/signal.h"
#include <atomic>

namespace crosslane::hsa {

// Null unless races are checked. What it points to is never destroyed, as threads of the client's may be anywhere.
extern std::atomic<check::Order*> operations;
// From now on; by the runtime, as it starts.
check::Order& follow_operations();

// The client has looked at the value, or is about to change it. Where it changes a queue's doorbell, it rings.
inline void client_sees(const Signal& signal) {
  if (check::Order* const order = operations.load(std::memory_order_relaxed)) [[unlikely]]
    order->sees(&signal);
}
inline void client_changes(const Signal& signal, int64_t value) {
  if (check::Order* const order = operations.load(std::memory_order_relaxed)) [[unlikely]] {
    if (signal.internal)
      order->rings(&signal, uint64_t(value));
    else
      order->changes(&signal);
  }
}

} // namespace crosslane::hsa
