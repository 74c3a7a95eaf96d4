// Waiting is one futex for all signals, its word counting events: whoever waits says so in the signals it waits for, and only then
// does a change of their value cost more than a store. The pattern is Dekker's: the waiter announces itself and then
// looks at the value, the other side stores the value and then looks for waiters.
#include "hsa/signal.h"
#include "hsa/fork.h"
#include "machine/window.h"
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <linux/futex.h>
#include <mutex>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace crosslane::hsa {

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

// Who completes a signal looks for waiters after the value has changed, when the client may have destroyed it already. Its memory
// therefore stays that of a signal.
struct Unused {
  std::mutex mutex;
  std::vector<Signal*> signals;
};
static Unused& unused() {
  static auto& instance = *new Unused;
  return instance;
}

// Memory for one more, where kernels reach it. It is never given back.
static void* new_place() {
  constexpr uint64_t chunk_bytes = 64 << 10;
  static std::mutex mutex;
  static uint64_t next = 0, end = 0;
  const std::lock_guard lock(mutex);
  if (next == end) {
    next = machine::map_in_window(chunk_bytes, PROT_READ | PROT_WRITE);
    end = next ? next + chunk_bytes : 0;
    if (!next)
      throw std::bad_alloc();
  }
  static_assert(chunk_bytes % sizeof(Signal) == 0);
  next += sizeof(Signal);
  return reinterpret_cast<void*>(next - sizeof(Signal));
}

Signal* make_signal(int64_t value) {
  Signal* signal = nullptr;
  {
    const std::lock_guard lock(unused().mutex);
    if (auto& signals = unused().signals; !signals.empty()) {
      signal = signals.back();
      signals.pop_back();
    }
  }
  if (!signal)
    signal = new (new_place()) Signal;
  initialise(*signal, value);
  return signal;
}

void initialise(Signal& signal, int64_t value) {
  signal.amd = {};
  signal.amd.kind = AMD_SIGNAL_KIND_USER;
  signal.amd.value = value;
  // Where kernels write the event's number before they send the interrupt; nobody reads it.
  static const auto mailbox = reinterpret_cast<uint64_t>(new_place());
  signal.amd.event_mailbox_ptr = mailbox;
}

void destroy_signal(Signal* signal) {
  signal->amd.kind = AMD_SIGNAL_KIND_INVALID;
  const std::lock_guard lock(unused().mutex);
  unused().signals.push_back(signal);
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
    return found >= 0 || (give_up && *give_up);
  };
  wait_until({signals, conditions.size()}, ready, timeout, spin);
  return found;
}

} // namespace crosslane::hsa
