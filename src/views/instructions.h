// Owns counting executed instructions: how many waves issued each one, and for how many lanes. One call per block of
// straight-line code; what is asked of single instructions is added up afterwards.
#pragma once
#include "events/listener.h"
#include "isa/op.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace crosslane::views {

struct InstructionCount {
  uint64_t waves = 0; // wave-instructions
  uint64_t lanes = 0; // sum of the lanes in EXEC, also for scalar instructions
};

struct InstructionSite {
  uint64_t pc = 0; // address in loaded code
  isa::Instruction instruction;
  InstructionCount count;
};

struct OperationCount {
  isa::Op op{};
  InstructionCount count;
};

// Attach to one dispatch or several whose code is still there when it is read; read when none is running.
class Instructions final : public events::Listener {
public:
  Instructions();
  ~Instructions() override;
  bool wants_issued() const override { return true; }
  void issued(const events::Issued&) override;
  bool takes_counts() const override { return true; }
  void counted(const events::Counted&) override;

  std::vector<InstructionSite> sites() const;     // by pc
  std::vector<OperationCount> operations() const; // most frequent first
  InstructionCount total() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
