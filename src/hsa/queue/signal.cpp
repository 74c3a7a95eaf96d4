// Waiting is one futex for all signals, its word counting events: whoever waits says so in the signals it waits for,
// and only then does a change of their value cost more than a store. The pattern is Dekker's: the waiter announces
// itself and then looks at the value, the other side stores the value and then looks for waiters.
#include "hsa/queue/signal.h"
#include "engine/guard.h"
#include "hsa/fork.h"
#include "hsa/memory/ipc.h"
#include "hsa/queue/operations.h"
#include "jit/jit.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <linux/futex.h>
#include <memory>
#include <new>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace crosslane::hsa {

std::atomic<uint64_t> modelled_now{0};
std::atomic<check::Order*> operations{nullptr};

check::Order& follow_operations() {
  static auto& all = *new std::vector<std::unique_ptr<check::Order>>; // a runtime after the first has one of its own
  operations = all.emplace_back(std::make_unique<check::Order>()).get();
  return *all.back();
}

namespace {

std::atomic<uint32_t> events{0};
std::atomic<uint32_t> sleepers{0};

void wake() {
  if (in_forked_child()) // who waits here was a thread of the parent
    end_forked_child();
  events.fetch_add(1);
  syscall(SYS_futex, &events, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

// Returns when an event came after `seen`, after `nanoseconds`, or for no reason.
void sleep_until_event(uint32_t seen, uint64_t nanoseconds) {
  const timespec time{time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
  syscall(SYS_futex, &events, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

} // namespace

uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

// A freed signal's handle is refused until 1,024 others have been freed.
[[clang::no_destroy]] constinit Slots signal_slots(sizeof(Signal), uint64_t(1) << 27, 1024);
[[clang::no_destroy]] constinit Slots ipc_signal_slots(4096, uint64_t(1) << 14, 64);

Signal* make_signal(int64_t value) {
  auto* signal = static_cast<Signal*>(signal_slots.take()); // its generation stays
  if (!signal)
    throw std::bad_alloc();
  initialise(*signal, value);
  return signal;
}

void initialise(Signal& signal, int64_t value) {
  // Where kernels write the event's number before they send the interrupt; nobody reads it.
  static const auto mailbox = reinterpret_cast<uint64_t>(signal_slots.take());
  amd_signal_t amd{};
  amd.kind = AMD_SIGNAL_KIND_USER;
  amd.value = value;
  amd.event_mailbox_ptr = mailbox;
  signal.amd = amd;
  signal.internal = false;
  signal.interceptor = nullptr;
  signal.there.store(true, std::memory_order_release);
}

bool destroy_signal(Signal* signal) {
  const auto address = reinterpret_cast<uint64_t>(signal);
  if (ipc_signal_slots.contains(address)) // the signal itself may be another process's as well
    return free_shared(signal);
  if (!signal->there.exchange(false, std::memory_order_acq_rel))
    return false; // another thread was first
  signal->amd.kind = AMD_SIGNAL_KIND_INVALID;
  ++signal->generation;
  notify(*signal);
  return signal_slots.give_back(address);
}

void destroy_all_signals() {
  for (Slots* slots : {&signal_slots, &ipc_signal_slots})
    for (const uint64_t address : slots->taken())
      if (auto* signal = reinterpret_cast<Signal*>(address); signal->is_live() && !signal->internal)
        destroy_signal(signal);
}

void notify(Signal& signal) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (signal.waiters.load(std::memory_order_relaxed))
    wake();
}

void notify_all() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_relaxed))
    wake();
}

void complete(Signal& signal) {
  signal.value().fetch_sub(1);
  notify(signal);
}

bool Condition::holds() const { return holds(signal->value().load(std::memory_order_acquire), condition, value); }

bool Condition::holds(int64_t now, hsa_signal_condition_t condition, int64_t value) {
  switch (condition) {
  case HSA_SIGNAL_CONDITION_EQ: return now == value;
  case HSA_SIGNAL_CONDITION_NE: return now != value;
  case HSA_SIGNAL_CONDITION_LT: return now < value;
  case HSA_SIGNAL_CONDITION_GTE: return now >= value;
  }
  return false;
}

namespace {

constexpr uint64_t shortest_sleep = 20'000, longest_sleep = 5'000'000; // nanoseconds

// Announces a waiter in every signal as long as it lives.
class Announced {
public:
  explicit Announced(std::span<Signal* const> signals) : signals_(signals) {
    ++sleepers;
    for (Signal* signal : signals_)
      ++signal->waiters;
  }
  ~Announced() {
    for (Signal* signal : signals_)
      --signal->waiters;
    --sleepers;
  }
  Announced(const Announced&) = delete;

private:
  std::span<Signal* const> signals_;
};

} // namespace

bool wait_until(std::span<Signal* const> signals, const std::function<bool()>& ready, uint64_t timeout, uint64_t spin) {
  if (ready())
    return true;
  if (!timeout)
    return false;
  const uint64_t begin = now();
  const uint64_t end = timeout > forever - begin ? forever : begin + timeout;
  const uint64_t spin_end = begin + std::min(spin, timeout);
  while (now() < spin_end) {
    for (int i = 0; i < 16; ++i)
      __builtin_ia32_pause();
    if (ready())
      return true;
    // Whoever is to make it ready may have been woken on this very core.
    sched_yield();
  }
  if (in_forked_child())
    end_forked_child();
  // Memory of signals is read-only while a workgroup is tried (engine/dispatch/written_pages.h).
  if (jit::policy() == jit::Policy::verify) [[unlikely]]
    engine::unblock_faults();
  const Announced announced(signals);
  for (;;) {
    const uint32_t seen = events.load();
    if (ready())
      return true;
    const uint64_t time = now();
    if (time >= end)
      return false;
    // Who has waited long can wait a little longer for a write that nobody reports.
    const uint64_t nap = std::clamp((time - begin) / 8, shortest_sleep, longest_sleep);
    sleep_until_event(seen, std::min(nap, end - time));
  }
}

int wait_any(std::span<const Condition> conditions, uint64_t timeout, uint64_t spin, const std::atomic<bool>* give_up) {
  constexpr size_t few = 8;
  Signal* some[few];
  std::vector<Signal*> many;
  Signal** signals = some;
  if (conditions.size() > few) {
    many.resize(conditions.size());
    signals = many.data();
  }
  std::transform(conditions.begin(), conditions.end(), signals, [](const Condition& c) { return c.signal; });
  int found = -1;
  const auto ready = [&] {
    const auto it = std::find_if(conditions.begin(), conditions.end(), [](const Condition& c) { return c.holds(); });
    found = it == conditions.end() ? -1 : int(it - conditions.begin());
    return found >= 0 || (give_up && *give_up) ||
           std::any_of(conditions.begin(), conditions.end(), [](const Condition& c) { return !c.signal->is_live(); });
  };
  wait_until({signals, conditions.size()}, ready, timeout, spin);
  return found;
}

} // namespace crosslane::hsa
