// Owns liveness: which registers hold something at the beginning of a block that may still be read. SGPRs (VCC, M0 and
// EXEC among them), SCC, VGPRs and AccVGPRs; a vector register is live if any of its lanes is. A write of a vector
// register ends its life only for the lanes that EXEC has there: what is read later under a mask that is part of that
// one (analysis/masks.h) is dead before, all else lives on.
//
// Functions are followed: a call needs what the callee reads, and the callee's returns need what any of its callers
// reads behind the call. Behind what is unknown (UnknownKind), before s_trap, and behind returns of functions that
// somebody unknown may call, everything is live.
#pragma once
#include "analysis/masks.h"
#include <array>
#include <functional>

namespace crosslane::analysis {

struct RegisterSet {
  std::array<uint64_t, slot::end / 64> words{};
  bool has(uint32_t slot) const { return words[slot / 64] >> (slot % 64) & 1; }
  void add(uint32_t slot) { words[slot / 64] |= uint64_t(1) << (slot % 64); }
  void remove(uint32_t slot) { words[slot / 64] &= ~(uint64_t(1) << (slot % 64)); }
  uint32_t count(uint32_t first, uint32_t end) const; // both multiples of 64, or `end` the end of a file
  static RegisterSet everything();
  bool operator==(const RegisterSet&) const = default;
};

struct Liveness {
  std::vector<RegisterSet> begin; // of each block
  uint32_t tangled_parts = 0;     // whose masks were given up: there, writes under EXEC end no life that crosses blocks
};

Liveness liveness(const Code&, const Graph&);

// What is live before each instruction of `wanted` blocks, and behind the last one: f(block, instruction in it, live),
// from the end of a block to its beginning.
using LiveVisitor = std::function<void(BlockId, uint32_t, const RegisterSet&)>;
Liveness liveness(const Code&, const Graph&, const std::vector<bool>& wanted, const LiveVisitor& f);

} // namespace crosslane::analysis
