// Owns Coverage: which instructions of a kernel's code waves have executed, for a compiler that shall leave out the
// rest. The interpreter marks them, in a Program of its own (engine/decode/program.h).
#pragma once
#include "engine/uop.h"
#include <atomic>
#include <cstdint>
#include <vector>

namespace crosslane::engine {

class Coverage {
public:
  // With which EXEC an instruction was executed: bits.
  enum : uint8_t { with_all_lanes = 1, with_fewer = 2 };
  explicit Coverage(size_t dwords) : marks_(dwords) {}
  uint8_t of(uint32_t pc) const { return marks_[pc].load(std::memory_order_relaxed); } // a dword index
  std::atomic<uint8_t>& mark(uint32_t pc) { return marks_[pc]; }

private:
  std::vector<std::atomic<uint8_t>> marks_;
};

// A Uop in front of an instruction, whose mark `target` is.
CROSSLANE_CC void mark_executed(const Uop*, Wave*);

} // namespace crosslane::engine
