// Owns the time of one wave along a way through code: instructions start in order, s_waitcnt waits for what was loaded.
// What other waves do to it is a matter of bounds (timing/bounds.h).
#pragma once
#include "timing/cost.h"
#include <span>
#include <vector>

namespace crosslane::timing {

// One instruction of a kernel, and what is known of it before it runs.
struct Row {
  uint64_t pc = 0; // in loaded code
  isa::Instruction instruction;
  Cost cost;
  // Of a wave that is alone:
  uint32_t fetch = 0; // cycles that its place in memory costs; gfx6 and gfx7
  double delay = 0;   // ... that it waits for the unit before, within its block
  // Wait states that are missing before it: the hardware does not hold it back.
  uint32_t missing_wait_states = 0;
};

struct Latencies { // cycles from the start of a load to its value
  double vmem = 0, lds = 0, smem = 0, memtime = 0;
};

struct Walk {
  const gpu::Machine& machine;
  Latencies latencies;
  Model model = Model::card;
  bool alone = true; // on its SIMD
};

struct Step {
  const Row* row = nullptr;
  bool jumps = false;     // a branch that is taken
  bool jumped_to = false; // by a jump from before it
};

struct PathTime {
  double cycles = 0;
  double vm = 0, lgkm = 0, exp = 0; // of those, waiting for these counters
  double delays = 0;                // ... for fetches and units, which other waves mask
};

// Of one round of `steps`, when it has been gone many times; or of a first one, if `repeated` is false. `most`: each
// instruction takes the most that it may.
PathTime path_time(std::span<const Step> steps, const Walk&, bool repeated, bool most);

struct PathRange {
  PathTime least, most;
};
inline PathRange path_range(std::span<const Step> steps, const Walk& walk, bool repeated) {
  return {path_time(steps, walk, repeated, false), path_time(steps, walk, repeated, true)};
}

} // namespace crosslane::timing
