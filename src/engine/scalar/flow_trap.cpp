// Traps: into the handler that the dispatch brought along, and back.
// Source: Vega ISA manual, "Trap and Exception registers", S_TRAP and S_RFE_B64; amdgpu's cwsr_trap_handler_gfx9.asm
// and the ROCm runtime's trap handler for how handlers use it (the saved PC is that of the s_trap itself).
#include "engine/raise.h"
#include "engine/scalar/flow.h"
#include "engine/scalar/flow_common.h"

namespace crosslane::engine {

using isa::Op;
using machine::FaultKind;

const Uop* enter_trap(const Uop* op, Wave* w, uint64_t pc, uint32_t id) {
  const auto& ctx = context(w);
  const Programs& of = programs(w);
  if (!of.trap)
    return nullptr;
  // {TTMP1, TTMP0} = {0, PC_rewind[3:0], HT, trap id[7:0], PC[47:0]}; nothing is in flight here, so that the rewind is
  // 0.
  const int ttmp0 = isa::first_ttmp(isa::info(of.kernel->target()).generation);
  w->set_pair(ttmp0, (pc & 0xffffffffffff) | uint64_t(id & 0xff) << 48);
  w->status |= status_bit::priv;
  return jump_to(op, w, ctx.options->trap_handler_address);
}

namespace {

CROSSLANE_CC void trap(const Uop* op, Wave* w) {
  if (const Uop* handler = enter_trap(op, w, op->k1, uint32_t(op->imm)))
    CROSSLANE_JUMP(handler, w);
  if (op->imm == 3)
    CROSSLANE_NEXT(op, w); // llvm.debugtrap without a debugger is a no-op
  raise(w, op, FaultKind::trap, -1, uint64_t(op->imm));
}

CROSSLANE_CC void rfe(const Uop* op, Wave* w) {
  w->status &= ~status_bit::priv;
  if (w->status & status_bit::halt)
    return raise(w, op, FaultKind::halted);
  const Uop* target = jump_to(op, w, read64(w, op->a, op->k0) & 0xffffffffffff);
  if (must_yield(op, w, target))
    return;
  CROSSLANE_JUMP(target, w);
}

} // namespace

bool lower_trap(Lowering& l) {
  switch (l.inst.op) {
  case Op::s_trap: {
    Uop& op = l.emit(UopKind::trap, trap);
    op.imm = l.inst.imm & 0xff, op.k1 = l.address;
    return true;
  }
  // The second source of s_rfe_restore_b64 is ignored.
  case Op::s_rfe_b64:
  case Op::s_rfe_restore_b64: {
    if (!l.mode.has(DecodeMode::privileged)) {
      l.emit(UopKind::fault, fault_illegal).k0 = l.address;
      return true;
    }
    const auto a = staged_scalar(l, l.inst.src[0], isa::Type::B64, 0);
    Uop& op = l.emit(UopKind::trap_return, rfe);
    op.a = a.offset, op.k0 = a.k;
    return true;
  }
  default: return false;
  }
}

} // namespace crosslane::engine
