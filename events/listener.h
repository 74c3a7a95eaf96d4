// Owns what happened: the events a dispatch can report and the interface that hears them. A listener is attached to a dispatch;
// only then does the engine decode with event hooks, so that nothing costs anything when nobody listens.
// Calls come from several threads at once, one wave at a time per thread.
#pragma once
#include "isa/instruction.h"
#include "machine/wave.h"
#include <cstdint>

namespace crosslane::events {

// One instruction in loaded code.
struct Site {
  uint64_t pc;
  const isa::Instruction* instruction;
};

// A conditional branch or a saveexec, before it executes.
struct Branch {
  Site site;
  const machine::Wave* wave;
  uint64_t exec;       // lanes that arrive
  uint64_t condition;  // lanes whose own condition holds (subset of exec); see views/branches.h for each kind
  bool per_lane;       // false: the instruction decides for the wave as a whole (SCC)
};

class Listener {
public:
  virtual ~Listener() = default;
  virtual bool wants_branches() const { return false; }
  virtual void branch(const Branch&) {}
};

}  // namespace crosslane::events
