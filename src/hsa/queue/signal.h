// Owns Signal: amd_signal_t, as kernels read and write it, and how threads of the host wait for one. A store through
// the API wakes a waiter at once, and so does a kernel that sends an interrupt. A plain write to the value, which
// nobody reports, is seen by looking again at growing intervals (20 us to 5 ms, an eighth of the time waited so far).
// A handle is the address of a place that stays mapped for ever (hsa/slots.h): Signal::live() tells without a lock
// whether there is a signal, and a Signal* that is held while the client destroys the signal can still be read; its
// generation then differs. Source: HSA runtime specification 1.2, 2.4 "Signals"; amd_hsa_signal.h.
#pragma once
#include "hsa/slots.h"
#include <atomic>
#include <cstdint>
#include <functional>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <span>
#include <vector>

namespace crosslane::hsa {

// A page for each signal that other processes map too; all others.
extern Slots ipc_signal_slots, signal_slots;

class Interceptor; // intercept_queue.h

struct alignas(128) Signal {
  amd_signal_t amd; // first: the handle is its address
  // In a cache line of its own: who waits looks at the value all the time, and to read that line before a store takes
  // it over twice.
  std::atomic<uint32_t> waiters{0};
  std::atomic<bool> there{false};                 // between initialise and destroy_signal
  std::atomic<uint32_t> generation{0};            // how many signals have been here before
  bool internal = false;                          // of a queue: not the client's to destroy
  std::atomic<Interceptor*> interceptor{nullptr}; // that takes what is stored here: it is its doorbell

  // Null unless the handle is that of a signal, which it may cease to be at any time.
  static Signal* live(hsa_signal_t handle) {
    if (!signal_slots.contains(handle.handle) && !ipc_signal_slots.contains(handle.handle)) [[unlikely]]
      return nullptr;
    Signal* const signal = from(handle);
    return signal->is_live() ? signal : nullptr;
  }
  bool is_live() const { return there.load(std::memory_order_relaxed); }
  // Of a handle that was looked at before.
  static Signal* from(hsa_signal_t handle) { return reinterpret_cast<Signal*>(handle.handle); }
  hsa_signal_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
  std::atomic_ref<int64_t> value() { return std::atomic_ref<int64_t>(const_cast<int64_t&>(amd.value)); }
};

Signal* make_signal(int64_t value); // where kernels reach it; throws std::bad_alloc
void initialise(Signal&, int64_t value);
// Of make_signal(), or shared with other processes. Those who wait for it give up. False: it has been destroyed
// already.
bool destroy_signal(Signal*);
void destroy_all_signals(); // of clients, at the end of the runtime

// After a change of the value by our side.
void notify(Signal&);
// After a change of some signal, unknown which: an interrupt of a kernel.
void notify_all();
// What a packet processor does with a completion signal: subtracts one and notifies.
void complete(Signal&);

// What hsa_signal_group_t means.
struct SignalGroup {
  std::vector<Signal*> signals;
};

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
// Waits until one of the conditions holds; its index, or -1 after `timeout`, when one of the signals has been
// destroyed, or when `give_up` has become true (whoever makes it so calls notify_all()).
int wait_any(std::span<const Condition> conditions, uint64_t timeout, uint64_t spin,
             const std::atomic<bool>* give_up = nullptr);

// Nanoseconds since the machine started: the clock of all time stamps (HSA_SYSTEM_INFO_TIMESTAMP, frequency 1 GHz).
uint64_t now();
// The clock of a card, which s_memrealtime reads and whose ticks signals keep: 100 MHz, counting from the same moment.
inline constexpr uint64_t nanoseconds_per_tick = 10;
// Where the cycle model runs (CROSSLANE_TIME) it is where that has come to; else 0.
extern std::atomic<uint64_t> modelled_now; // nanoseconds
inline uint64_t agent_now() {
  const uint64_t modelled = modelled_now.load(std::memory_order_relaxed);
  return (modelled ? modelled : now()) / nanoseconds_per_tick;
}
inline uint64_t to_system(uint64_t agent_tick) { return agent_tick * nanoseconds_per_tick; }

} // namespace crosslane::hsa
