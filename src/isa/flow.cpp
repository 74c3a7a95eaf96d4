// Source: Vega ISA manual, chapter 4 "Program flow control" and the descriptions of SOP1, SOP2, SOPK and SOPP.
#include "isa/flow.h"
#include "isa/op.h"

namespace crosslane::isa {

namespace {

Flow branch(const Instruction& i, Condition condition) {
  Flow f;
  f.kind = FlowKind::branch, f.condition = condition, f.falls_through = condition != Condition::always;
  f.direct = true, f.offset = 4 + 4 * i.imm;
  return f;
}

Flow leaves(FlowKind kind, uint16_t address = code::none) {
  Flow f;
  f.kind = kind, f.address = address, f.falls_through = false;
  return f;
}

Flow comes_back(FlowKind kind, uint16_t address = code::none, uint16_t link = code::none) {
  Flow f;
  f.kind = kind, f.address = address, f.link = link;
  return f;
}

} // namespace

Flow flow(const Instruction& i) {
  switch (i.op) {
  case Op::s_branch: return branch(i, Condition::always);
  case Op::s_cbranch_scc0: return branch(i, Condition::scc0);
  case Op::s_cbranch_scc1: return branch(i, Condition::scc1);
  case Op::s_cbranch_vccz: return branch(i, Condition::vccz);
  case Op::s_cbranch_vccnz: return branch(i, Condition::vccnz);
  case Op::s_cbranch_execz: return branch(i, Condition::execz);
  case Op::s_cbranch_execnz: return branch(i, Condition::execnz);
  case Op::s_cbranch_cdbgsys: return branch(i, Condition::debug_system);
  case Op::s_cbranch_cdbguser: return branch(i, Condition::debug_user);
  case Op::s_cbranch_cdbgsys_or_user: return branch(i, Condition::debug_either);
  case Op::s_cbranch_cdbgsys_and_user: return branch(i, Condition::debug_both);
  case Op::s_cbranch_i_fork: {
    Flow f = branch(i, Condition::lanes);
    f.kind = FlowKind::fork;
    return f;
  }
  case Op::s_cbranch_g_fork: {
    Flow f = comes_back(FlowKind::fork, i.src[1]);
    f.condition = Condition::lanes;
    return f;
  }
  case Op::s_cbranch_join: return comes_back(FlowKind::join);
  case Op::s_call_b64: {
    Flow f = branch(i, Condition::always);
    f.kind = FlowKind::call, f.falls_through = true, f.link = i.dst;
    return f;
  }
  case Op::s_swappc_b64: return comes_back(FlowKind::call, i.src[0], i.dst);
  case Op::s_setpc_b64: return leaves(FlowKind::jump, i.src[0]);
  case Op::s_trap: return comes_back(FlowKind::trap);
  case Op::s_rfe_b64:
  case Op::s_rfe_restore_b64: return leaves(FlowKind::trap_end, i.src[0]);
  case Op::s_sendmsghalt: return leaves(FlowKind::halt);
  case Op::s_setkill: return i.imm & 1 ? leaves(FlowKind::end) : Flow{};
  default: return has(row(i.op).implicit, Implicit::ends) ? leaves(FlowKind::end) : Flow{};
  }
}

} // namespace crosslane::isa
