// Instructions that set the wave's own state: hardware registers, VGPR indexing, VSKIP, priority, HALT, messages, the
// instruction cache. What changes the DecodeMode ends by going on in code decoded for the new one.
// Source: Vega ISA manual, chapters 3, 4 and 12; GCN3 ISA manual, "VGPR indexing".
#include "engine/dispatch/runner.h"
#include "engine/raise.h"
#include "engine/scalar/flow.h"
#include "engine/scalar/flow_common.h"
#include "engine/scalar/hwreg.h"
#include "isa/classify.h"
#include "isa/operands.h"

namespace crosslane::engine {

using isa::Op;
using machine::FaultKind;
namespace code = isa::code;

namespace {

// HW_ID, GPR_ALLOC, LDS_ALLOC.
constexpr bool hwreg_of_place(uint32_t hwreg) { return (hwreg & 0x3f) >= 4 && (hwreg & 0x3f) <= 6; }

CROSSLANE_CC void getreg(const Uop* op, Wave* w) {
  if (w->hw_id == unplaced && hwreg_of_place(uint32_t(op->imm))) [[unlikely]]
    find_place(*w);
  write32(w, op->dst, read_hwreg(*w, uint32_t(op->imm), op->k1));
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void setreg(const Uop* op, Wave* w) {
  write_hwreg(*w, uint32_t(op->imm), read32(w, op->a, op->k0));
  if (w->status & status_bit::trap_en) {
    // Exceptions of arithmetic are not gathered, so a handler that wants them would wait in vain.
    if (w->mode & (mode_bit::debug | mode_bit::excp_en))
      return raise(w, op, FaultKind::unimplemented);
    if ((w->trapsts & trapsts_savectx) && !(w->status & status_bit::priv))
      if (const Uop* handler = enter_trap(op, w, op->k1, 0))
        CROSSLANE_JUMP(handler, w);
  }
  CROSSLANE_NEXT(op, w);
}
// M0[7:0] = S0[7:0], M0[15:12] = imm4 (s_set_gpr_idx_on) or M0[7:0] only (s_set_gpr_idx_idx).
CROSSLANE_CC void set_gpr_idx(const Uop* op, Wave* w) {
  uint32_t& m0 = w->s[code::m0];
  m0 = (m0 & ~0xffu) | (read32(w, op->a, op->k0) & 0xff);
  if (op->aux) {
    m0 = (m0 & ~0xf000u) | uint32_t(op->imm) << 12;
    w->mode |= mode_bit::gpr_idx_en;
  }
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void set_gpr_idx_mode(const Uop* op, Wave* w) {
  uint32_t& m0 = w->s[code::m0];
  m0 = (m0 & ~0xf000u) | uint32_t(op->imm) << 12;
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void set_gpr_idx_off(const Uop* op, Wave* w) {
  w->mode &= ~mode_bit::gpr_idx_en;
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void setvskip(const Uop* op, Wave* w) {
  const uint32_t bit = read32(w, op->a, op->k0) >> (read32(w, op->b, op->k1) & 31) & 1;
  w->mode = bit ? w->mode | mode_bit::vskip : w->mode & ~mode_bit::vskip;
  CROSSLANE_NEXT(op, w);
}

// aux: the mode that the code after this was decoded for; k1: its address.
CROSSLANE_CC void reconsider(const Uop* op, Wave* w) {
  if (__builtin_expect(programs(w).kernel->mode_of(*w).bits == op->aux, 1))
    CROSSLANE_NEXT(op, w);
  const Uop* target = jump_to(op, w, op->k1);
  CROSSLANE_JUMP(target, w);
}

CROSSLANE_CC void setprio(const Uop* op, Wave* w) {
  w->status = (w->status & ~status_bit::wave_prio) | uint32_t(op->imm & 3) << 3;
  CROSSLANE_NEXT(op, w);
}
// A halted wave waits for a debugger; there is none. In the trap handler HALT counts from s_rfe on.
CROSSLANE_CC void sethalt(const Uop* op, Wave* w) {
  if (op->imm & 1)
    w->status |= status_bit::halt;
  else
    w->status &= ~status_bit::halt;
  if ((op->imm & 1) && !(w->status & status_bit::priv))
    return raise(w, op, FaultKind::halted);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void halt(const Uop* op, Wave* w) { raise(w, op, FaultKind::halted); }
// MSG_GET_DOORBELL answers in EXEC_LO, with bit 31 clear when the answer is there: doorbell 0.
// Called between two instructions, as any C++ that a handler needs: vector registers are in memory.
CROSSLANE_CC void interrupt(const Uop* op, Wave* w) {
  if (const auto notify = context(w).options->interrupt)
    notify();
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void get_doorbell(const Uop* op, Wave* w) {
  w->s[code::exec] = 0;
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void icache_inv(const Uop* op, Wave* w) {
  const auto& ctx = context(w);
  for (const Programs* of : {&ctx.plain, &ctx.observed, ctx.special.load(std::memory_order_acquire)}) {
    if (of && of->kernel)
      of->kernel->invalidate();
    if (of && of->trap)
      of->trap->invalidate();
  }
  forget_changed(*ctx.code);
  const Uop* target = jump_to(op, w, op->k1);
  if (must_yield(op, w, target))
    return;
  CROSSLANE_JUMP(target, w);
}
CROSSLANE_CC void copy_scalar(const Uop* op, Wave* w) {
  write64(w, op->dst, read64(w, op->a, 0));
  CROSSLANE_NEXT(op, w);
}

constexpr uint16_t discarded = 224; // scalar registers beyond those that code can name

enum Message : uint32_t { msg_interrupt = 1, msg_savewave = 4, msg_get_doorbell = 10 };

} // namespace

bool may_change_mode(const Lowering& l) {
  const auto& inst = l.inst;
  if (inst.op == Op::s_setvskip)
    return true;
  if (isa::writes_hwreg(l.row)) {
    const uint32_t first = uint32_t(inst.imm) >> 6 & 31, last = first + (uint32_t(inst.imm) >> 11 & 31);
    return (uint32_t(inst.imm) & 63) == hwreg_mode && first <= 28 && last >= 23;
  }
  // Lowering follows s_set_gpr_idx_*. Whatever else writes M0 may change which operands are indexed.
  return l.mode.has(DecodeMode::index_on) && !isa::has(l.row.implicit, isa::Implicit::m0_w) &&
         isa::operands(inst).writes(isa::RegisterFile::scalar, code::m0);
}
void emit_reconsider(Lowering& l) {
  Uop& op = l.emit(UopKind::mode_lookup, reconsider);
  op.aux = l.mode.bits, op.k1 = l.address + l.inst.size;
}

bool discard_privileged_write(isa::Instruction& inst, const isa::Row& row, uint16_t& old) {
  const auto privileged = [](uint16_t c) { return c >= 108 && c < code::m0; };
  if (privileged(inst.sdst))
    inst.sdst = discarded + 16;
  if (!privileged(inst.dst))
    return false;
  old = inst.dst;
  inst.dst = discarded;
  return isa::has(row.implicit, isa::Implicit::dst_r);
}
void emit_discarded(Lowering& l, uint16_t old) {
  Uop& op = l.emit(UopKind::discarded, copy_scalar);
  op.a = machine::sgpr_offset(old), op.dst = machine::sgpr_offset(discarded);
}

bool lower_state(Lowering& l) {
  const auto& inst = l.inst;
  const auto next = l.address + inst.size;
  switch (inst.op) {
  case Op::s_getreg_b32: {
    if (!hwreg_readable(uint32_t(inst.imm) & 0x3f, inst.target))
      return false;
    Uop& op = l.emit(UopKind::get_hwreg, getreg);
    op.dst = machine::sgpr_offset(inst.dst), op.imm = inst.imm & 0xffff, op.k1 = l.address;
    return true;
  }
  case Op::s_setreg_b32:
  case Op::s_setreg_imm32_b32: {
    if (!hwreg_writable(uint32_t(inst.imm) & 0x3f))
      return false;
    Uop& op = l.emit(UopKind::set_hwreg, setreg);
    op.imm = inst.imm & 0xffff, op.k1 = next;
    const auto a = scalar_operand(inst, inst.src[0], isa::Type::B32);
    op.a = a.offset, op.k0 = a.k;
    return true;
  }
  case Op::s_set_gpr_idx_on:
  case Op::s_set_gpr_idx_idx: {
    const auto a = staged_scalar(l, inst.src[0], isa::Type::B32, 0);
    Uop& op = l.emit(UopKind::gpr_index, set_gpr_idx);
    op.a = a.offset, op.k0 = a.k;
    if (inst.op == Op::s_set_gpr_idx_on)
      op.aux = 1, op.imm = inst.imm & 0xf, l.mode.set_gpr_idx(true, uint32_t(inst.imm));
    return true;
  }
  case Op::s_set_gpr_idx_off:
    l.emit(UopKind::gpr_index, set_gpr_idx_off);
    l.mode.set_gpr_idx(false, 0);
    return true;
  case Op::s_set_gpr_idx_mode:
    l.emit(UopKind::gpr_index, set_gpr_idx_mode).imm = inst.imm & 0xf;
    l.mode.set_gpr_idx(l.mode.has(DecodeMode::index_on), uint32_t(inst.imm));
    return true;
  case Op::s_setvskip: {
    const auto a = staged_scalar(l, inst.src[0], isa::Type::B32, 0),
               b = staged_scalar(l, inst.src[1], isa::Type::U32, 1);
    Uop& op = l.emit(UopKind::vskip, setvskip);
    op.a = a.offset, op.k0 = a.k, op.b = b.offset, op.k1 = b.k;
    // What follows is decoded for the likely outcome: constants say it, and VSKIP is mostly turned off by code that had
    // it on.
    const uint32_t zero = machine::sgpr_offset(machine::scalar_zero);
    const bool constant = a.offset == zero && b.offset == zero;
    l.mode.set(DecodeMode::vskip, constant && (a.k >> (b.k & 31) & 1));
    return true;
  }
  case Op::s_setprio: l.emit(UopKind::priority, setprio).imm = inst.imm; return true;
  case Op::s_sethalt: l.emit(UopKind::halt, sethalt).imm = inst.imm; return true;
  case Op::s_sendmsghalt: l.emit(UopKind::halt, halt); return true;
  case Op::s_sendmsg: { // interrupts reach the host; what needs an answer gets one or is a named fault
    const uint32_t id = uint32_t(inst.imm) & 0xf;
    if (id == msg_savewave)
      return false;
    if (id == msg_get_doorbell && isa::info(inst.target).generation >= isa::Generation::gfx9)
      l.emit(UopKind::message, get_doorbell);
    if (id == msg_interrupt)
      l.emit(UopKind::message, interrupt);
    return true;
  }
  case Op::s_icache_inv: l.emit(UopKind::icache_inv, icache_inv).k1 = next; return true;
  default: return false;
  }
}

} // namespace crosslane::engine
