// Owns Signal: amd_signal_t, as kernels read and write it, and how threads of the host wait for one. A store through the API
// wakes a waiter at once, and so does a kernel that sends an interrupt. A plain write to the value, which nobody reports, is
// seen by looking again at growing intervals (20 us to 5 ms, an eighth of the time waited so far).
// Source: HSA runtime specification 1.2, 2.4 "Signals"; amd_hsa_signal.h.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <span>
#include <vector>

namespace crosslane::hsa {

struct alignas(64) Signal {
  amd_signal_t amd; // first: the handle is its address
  std::atomic<uint32_t> waiters{0};
  bool shared = false; // in memory that other processes map

  static Signal* from(hsa_signal_t handle) { return reinterpret_cast<Signal*>(handle.handle); }
  hsa_signal_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
  std::atomic_ref<int64_t> value() { return std::atomic_ref<int64_t>(const_cast<int64_t&>(amd.value)); }
};

Signal* make_signal(int64_t value); // where kernels reach it; throws std::bad_alloc
void initialise(Signal&, int64_t value);
void destroy_signal(Signal*);       // of make_signal()

// After a change of the value by our side.
void notify(Signal&);
// After a change of some signal, unknown which: an interrupt of a kernel.
void notify_all();
// What a packet processor does with a completion signal: subtracts one and notifies.
void complete(Signal&);

struct Condition {
  Signal* signal;
  hsa_signal_condition_t condition;
  int64_t value;
  bool holds() const;
  static bool holds(int64_t now, hsa_signal_condition_t, int64_t value);
};

inline constexpr uint64_t forever = UINT64_MAX;
inline constexpr uint64_t short_spin = 50'000; // nanoseconds; about what it takes to fall asleep and be woken up

// Waits until `ready`, which is asked again whenever one of the signals has changed, and now and then besides. Times in
// nanoseconds; `spin`: how long to look without sleeping. False after `timeout`.
bool wait_until(std::span<Signal* const> signals, const std::function<bool()>& ready, uint64_t timeout, uint64_t spin);
// Waits until one of the conditions holds; its index, or -1 after `timeout`, or when `give_up` has become true (whoever makes it so
// calls notify_all()).
int wait_any(std::span<const Condition> conditions, uint64_t timeout, uint64_t spin, const std::atomic<bool>* give_up = nullptr);

// Nanoseconds since the machine started: the clock of all time stamps (HSA_SYSTEM_INFO_TIMESTAMP, frequency 1 GHz).
uint64_t now();

} // namespace crosslane::hsa
