// Owns FlowTrials: random kernels with branches, loops, LDS and barriers, dispatched twice from the same memory: by the
// interpreter and compiled. What they leave in memory, the instructions executed and the fault must be the same; also
// where guards are made to fail, waves are preempted at each backward branch, or a page is missing.
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::test {

struct FlowResult {
  uint64_t kernels = 0, instructions = 0;     // of the kernels as written
  uint64_t runs = 0, executed = 0;            // wave-instructions, of one of the two
  uint64_t entered = 0, left = 0, ranged = 0; // waves
  uint64_t faults = 0;                        // runs
  uint64_t too_large = 0;                     // to be compiled, as the compiler says: likewise
  uint64_t differences = 0;
  std::vector<std::string> refused;    // kernels that were not compiled, and why
  std::vector<std::string> complaints; // the shortest kernel, and what differs
};

struct FlowSettings {
  uint64_t seed = 1;
  int states = 2;      // of memory, for each kernel
  bool breaks = false; // changes what compiled code has left, to see that it is found
  bool counts = false; // listeners count: compiled code by itself, the interpreter by hooks. What they have must be the
                       // same, but where a run ends by a fault
};

// CROSSLANE_JIT must be `always`.
class FlowTrials {
public:
  explicit FlowTrials(isa::Target, FlowSettings = {});
  ~FlowTrials();
  FlowResult run(uint64_t kernels);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::test
