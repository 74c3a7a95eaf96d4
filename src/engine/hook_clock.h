// Owns the estimate of the time that event hooks take, listeners included: now and then one of a thread's hooks is
// timed, and stands for those before it. Intervals are random, so that no loop falls in step with them, and short at
// first, so that short dispatches have enough of them.
#pragma once
#include "machine/wave.h"
#include <x86intrin.h>

namespace crosslane::engine {

// Of one thread in one dispatch; machine::Wave::hooks points to it.
struct HookClock {
  uint32_t left = 1, interval = 1; // hooks until one is timed, and those that it stands for
  uint64_t hooks = 0, ticks = 0;   // those that were stood for, and what they took by the time stamp counter
  uint64_t samples = 0, random = 0;

  // Behind all that came before: what the wave still waits for, such as memory, is no cost of the hook.
  static uint64_t begin() {
    _mm_lfence();
    return __rdtsc();
  }
  void end(uint64_t begin);
  uint64_t all_ticks() const; // also of the hooks since one was timed last
};

// Listeners are compiled without AVX: what they write to a vector register keeps its upper part, and so waits for what
// a handler left there, which may still be under way from memory.
[[gnu::always_inline]] inline void forget_upper_halves() {
  if (__builtin_cpu_supports("avx"))
    asm volatile("vzeroupper");
}

template <class F> [[gnu::always_inline]] inline void hook(const machine::Wave* w, F tell) {
  forget_upper_halves();
  auto& clock = *static_cast<HookClock*>(w->hooks);
  if (--clock.left != 0) [[likely]]
    return tell();
  const uint64_t begin = HookClock::begin();
  tell();
  clock.end(begin);
}

} // namespace crosslane::engine
