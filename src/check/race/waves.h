// Owns what is known of waves while they run: which of their memory instructions are done, and what happens before they
// go on.
#pragma once
#include "check/race/clock.h"
#include <vector>

namespace crosslane::check::race {

// Of instructions that one counter of s_waitcnt counts, and that come back in order.
struct InFlight {
  uint32_t issued = 0, done = 0; // done: known to be, because the wave has waited
  // A counter that is full holds the next one back.
  uint32_t begin(uint32_t most) {
    ++issued;
    wait(most);
    return issued;
  }
  void wait(uint32_t left) {
    if (issued - done > left)
      done = issued - left;
  }
  // Of something that this counter does not count: as if it were done.
  uint32_t begin_uncounted() {
    if (issued == done)
      ++issued, ++done;
    return done;
  }
};

// A place that was looked at as atomics do: what was published there happens before the wave goes on once the
// instruction is done, and the cache invalidated.
struct Look {
  uint64_t address = 0;
  uint32_t count = 0;
};

struct WaveState {
  uint32_t index = nobody;
  InFlight memory, lds;
  Clock others; // of global memory; what its own workgroup's barriers order is not in it
  std::array<uint32_t, waves_per_group> limit{}; // of LDS: the other waves' instructions that happen before
  std::vector<Look> looks, lds_looks;
  Clock looked; // what was published where older looks were

  // Of an access that is its instruction `count`.
  Record record(Kind kind, uint32_t site, uint32_t count, uint32_t interval, bool of_lds) const {
    const InFlight& in_flight = of_lds ? lds : memory;
    Record r;
    r.wave = index, r.count = count, r.interval = interval & ((1u << 26) - 1), r.site = site, r.kind = uint32_t(kind);
    r.is_atomic = kind == Kind::atomic;
    r.lag = count > in_flight.done ? std::min(count - 1 - in_flight.done, 63u) : 0;
    return r;
  }
};

// What of the wave's own instructions its release at this one publishes; the one itself too if nothing is under way.
inline uint32_t published_count(const Record& r) { return r.lag ? r.count - 1 - r.lag : r.count; }

} // namespace crosslane::check::race
