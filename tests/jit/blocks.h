// Owns BlockTrials: random straight-line blocks, run by the interpreter and as compiled code from the same wave. All
// that a wave has, LDS, scratch and memory must come out the same, and as many instructions must have been executed.
// What may differ is the payload of a NaN that comes of two or more NaNs (docs/decisions/0023-nan-payloads.md).
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace crosslane::test {

struct BlockResult {
  uint64_t blocks = 0, instructions = 0;
  uint64_t runs = 0;          // each block from several states
  uint64_t left = 0;          // of them: a guard failed, and the interpreter went on
  uint64_t faults = 0;        // of them: ended by a fault, in both
  uint64_t free_payloads = 0; // of them: differ by a payload that is free
  uint64_t units = 0;
  double compile_seconds = 0;
  std::vector<std::string> refused;    // units that were not compiled, and why
  std::vector<std::string> complaints; // one for each operation that is at fault: the shortest block and what differs
  uint64_t differences = 0;            // runs that differ otherwise
};

struct BlockSettings {
  uint64_t seed = 1;
  std::string level = {}; // of the compiled code; empty: the host's
  int optimize = -1;      // as jit::Request has it; -1: at random
  int states = 3;         // for each block
  bool breaks = false;    // changes what compiled code has left, to see that it is found
};

class BlockTrials {
public:
  explicit BlockTrials(isa::Target, BlockSettings = {});
  ~BlockTrials();
  BlockResult run(uint64_t blocks);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::test
