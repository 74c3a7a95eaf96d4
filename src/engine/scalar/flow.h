// Owns the Uops that tie decoded runs together, and those of faults. Emitted by engine/decode/run_decoder.cpp.
#pragma once
#include "engine/decode/lowering.h"

namespace crosslane::engine {

CROSSLANE_CC void fault_illegal(const Uop* op, Wave* w); // k0: its address
CROSSLANE_CC void fault_registers(const Uop* op, Wave* w);
CROSSLANE_CC void fault_unimplemented(const Uop* op, Wave* w);
CROSSLANE_CC void fault_bad_pc(const Uop* op, Wave* w);
CROSSLANE_CC void fault_left_code(const Uop*, Wave*);   // ... to the address in k0
CROSSLANE_CC void link(const Uop* op, Wave* w);         // falls through into another run: `imm` is added to the count
CROSSLANE_CC void event_issued(const Uop* op, Wave* w); // tells the listener of the events::Block in `target`

void emit_step_event(Lowering&, const isa::Instruction*); // tells the listener of each instruction
void emit_repeated(Lowering&); // goes over to the code that tells listeners, where Wave::counted says

// engine/scalar/flow_wait.cpp: tells the listener before s_barrier (`barriers`), s_waitcnt and s_sleep (`waits`).
void emit_wait_event(Lowering&, const isa::Instruction* kept, bool barriers, bool waits);

// engine/scalar/flow_pace.cpp: asks Options::pace before an instruction that depends on time. True: it reads a clock,
// and is executed by that.
bool emit_pace(Lowering&, const isa::Instruction* kept);

// Around an instruction that is a site by what it writes to EXEC (isa::SiteKind::exec). Other sites tell of themselves.
void emit_keep_exec(Lowering&);
void emit_exec_event(Lowering&, const isa::Instruction*);

// isa::Flow for a run of decoded code: a direct branch's target as a dword index, and whether the run goes on.
struct Flow {
  bool branches = false;
  uint32_t target = 0;
  bool falls_through = true;
};
Flow flow_of(const isa::Instruction&, uint32_t pc);
// Whether an events::Block ends after this instruction.
bool ends_block(const isa::Instruction&, const isa::Row&, const Flow&);

// Whether the instruction may leave the wave in another DecodeMode than its lowering says. If so it ends with the Uop
// of emit_reconsider, which looks at the wave and goes on in code decoded for what it finds.
bool may_change_mode(const Lowering&);
void emit_reconsider(Lowering&);

// Without privilege, writes to trap registers are ignored: the destination becomes one that nobody reads. True: a copy
// of the old value has to be there first (emit_discarded).
bool discard_privileged_write(isa::Instruction&, const isa::Row&, uint16_t& old);
void emit_discarded(Lowering&, uint16_t old);

// Parts of lower_flow.
bool lower_state(Lowering&); // engine/scalar/flow_state.cpp: hardware registers, VGPR indexing, VSKIP, HALT, messages
bool lower_trap(Lowering&);  // engine/scalar/flow_trap.cpp: s_trap, s_rfe
void emit_fork(Lowering&, ScalarOperand a, ScalarOperand b); // engine/scalar/flow_fork.cpp

// Enters the trap handler, if the dispatch has one, from the instruction at `pc`; nullptr: it has none.
const Uop* enter_trap(const Uop* op, Wave* w, uint64_t pc, uint32_t id);

} // namespace crosslane::engine
