// Owns what the handlers of program control share: scalar operands by offset, computed jumps, preemption.
#pragma once
#include "engine/context.h"
#include "lanes/vec.h"
#include <cstring>

namespace crosslane::engine {

inline uint64_t read64(const Wave* w, uint32_t offset, uint64_t k) {
  uint64_t v;
  std::memcpy(&v, reinterpret_cast<const char*>(w) + offset, 8);
  return v | k;
}
inline void write64(Wave* w, uint32_t offset, uint64_t v) { std::memcpy(reinterpret_cast<char*>(w) + offset, &v, 8); }
inline uint32_t read32(const Wave* w, uint32_t offset, uint64_t k) {
  uint32_t v;
  std::memcpy(&v, reinterpret_cast<const char*>(w) + offset, 4);
  return v | uint32_t(k);
}
inline void write32(Wave* w, uint32_t offset, uint32_t v) { std::memcpy(reinterpret_cast<char*>(w) + offset, &v, 4); }

// A wave that goes round in circles is preempted, so that every resident wave makes progress. `aux` is what an
// iteration counts for besides its instructions: loops that look like waiting use their budget up early.
CROSSLANE_INLINE bool must_yield(const Uop* op, Wave* w, const Uop* target) {
  w->deadline -= op->aux;
  if (__builtin_expect(w->instructions < w->deadline, 1))
    return false;
  w->resume = target;
  w->state = machine::WaveState::preempted;
  return true;
}

// Computed jumps: the count is settled as for a direct branch, with the target's ordinal looked up.
inline const Uop* jump_to(const Uop* op, Wave* w, uint64_t address) {
  const auto entry = find_code(w, address);
  w->bad_pc = address;
  w->instructions += int64_t(op->ordinal) + 1 - int64_t(entry.ordinal);
  return entry.uop;
}

} // namespace crosslane::engine
