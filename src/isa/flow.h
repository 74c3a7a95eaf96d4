// Owns where control may go from an instruction: what a control-flow graph, a decoder of runs and a profile need to
// know of branches, calls and ends. Plain data; nothing here looks at registers or code.
//
// A return is no kind of its own: s_setpc_b64 of a link register is an indirect jump, and only who knows the register's
// value can tell. The hardware has no call stack; a call is a jump that leaves the address behind it in a link.
#pragma once
#include "isa/instruction.h"

namespace crosslane::isa {

enum class FlowKind : uint8_t {
  next,     // nothing: the next instruction
  branch,   // s_branch, s_cbranch_*: the target if the condition holds, else the next instruction
  fork,     // s_cbranch_i_fork and _g_fork: either side first, the other when s_cbranch_join takes it from the stack
  join,     // s_cbranch_join: what waits on the stack, else the next instruction
  jump,     // s_setpc_b64
  call,     // s_call_b64, s_swappc_b64: the callee, which may come back to the next instruction
  trap,     // s_trap: the trap handler, which may come back
  trap_end, // s_rfe_b64, s_rfe_restore_b64: out of the trap handler
  end,      // s_endpgm and relatives, s_setkill 1: the wave ends
  halt,     // s_sendmsghalt: the wave stands still; only a debugger could let it go on
};

enum class Condition : uint8_t {
  always,
  scc0,
  scc1,
  vccz,
  vccnz,
  execz,
  execnz,
  debug_system, // STATUS.COND_DBG_SYS and _USER
  debug_user,
  debug_either,
  debug_both,
  lanes, // last, as no branch has it. Of a fork: those whose bit is set in its mask go to the target
};

struct Flow {
  FlowKind kind = FlowKind::next;
  Condition condition = Condition::always;
  bool falls_through = true;     // the next instruction may be reached, be it when a call or a trap has come back
  bool direct = false;           // the target is in the instruction
  int32_t offset = 0;            // direct: bytes from the instruction's address to its target
  uint16_t address = code::none; // not direct: the first of two SGPRs that hold the target (join, trap: none)
  uint16_t link = code::none;    // gets the address of the next instruction: the first of two SGPRs

  constexpr uint64_t target(uint64_t pc) const { return pc + uint64_t(int64_t(offset)); } // direct
  // Whether a basic block ends after it. A call ends one: what comes back has been elsewhere.
  constexpr bool ends_basic_block() const { return kind != FlowKind::next; }
};

Flow flow(const Instruction&);

} // namespace crosslane::isa
