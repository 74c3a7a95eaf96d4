// Random intervals between timed hooks, and what one timed hook stands for.
#include "engine/hook_clock.h"
#include <algorithm>

namespace crosslane::engine {

namespace {

// One of so many on average: two readings of the clock, some 20 ns, are then next to nothing.
constexpr uint64_t longest_mean = 64;
// Longer than any hook takes. So much is lost only by a thread that is not running, whose time does not count here.
constexpr uint64_t longest_hook = 100'000;

// From one reading to the next.
uint64_t smallest_difference() {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 100; ++i) {
    const uint64_t begin = HookClock::begin();
    least = std::min<uint64_t>(least, __rdtsc() - begin);
  }
  return least;
}

} // namespace

void HookClock::end(uint64_t begin) {
  const uint64_t taken = __rdtsc() - begin;
  static const uint64_t own = smallest_difference();
  if (taken < longest_hook) {
    hooks += interval;
    ticks += (taken - std::min(taken, own)) * interval;
  }
  const uint64_t mean = std::min(++samples, longest_mean);
  random = random * 6364136223846793005 + 1442695040888963407; // Knuth's MMIX
  left = interval = uint32_t(std::max<uint64_t>(1, mean / 2 + (random >> 33) % (mean + 1)));
}

uint64_t HookClock::all_ticks() const {
  return hooks ? uint64_t(double(ticks) * double(hooks + (interval - left)) / double(hooks)) : 0;
}

} // namespace crosslane::engine
