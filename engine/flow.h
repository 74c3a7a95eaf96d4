// Owns the Uops that tie decoded runs together, and those of faults. Emitted by engine/program.cpp.
#pragma once
#include "engine/lowering.h"

namespace crosslane::engine {

CROSSLANE_CC void fault_illegal(const Uop* op, Wave* w);
CROSSLANE_CC void fault_unimplemented(const Uop* op, Wave* w);
CROSSLANE_CC void fault_bad_pc(const Uop* op, Wave* w);
CROSSLANE_CC void fault_left_code(const Uop*, Wave*);  // ... to the address in k0
CROSSLANE_CC void link(const Uop* op, Wave* w);  // falls through into another run: `imm` is added to the count
CROSSLANE_CC void event_issued(const Uop* op, Wave* w);  // tells the listener of the events::Block in `target`

// A direct branch's target as a dword index, if the instruction has one; and whether execution may continue after it.
struct Flow {
  bool branches = false;
  uint32_t target = 0;
  bool falls_through = true;
};
Flow flow_of(const isa::Instruction&, const isa::Row&, uint32_t pc);
// Whether an events::Block ends after this instruction.
bool ends_block(const isa::Instruction&, const isa::Row&, const Flow&);

}  // namespace crosslane::engine
