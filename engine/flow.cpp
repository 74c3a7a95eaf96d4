// Program control: SOPP, branches, calls, saveexec, hardware registers, barriers and the ends of things.
// Source: GCN3 ISA manual, "Program flow control"; LLVM AMDGPUUsage, "Trap Handler ABI".
#include "engine/flow.h"
#include "engine/context.h"
#include "engine/hwreg.h"
#include "engine/raise.h"
#include "lanes/vec.h"
#include <cstring>

namespace crosslane::engine {

using isa::Op;
using machine::FaultKind;
using machine::WaveState;

CROSSLANE_CC void fault_illegal(const Uop* op, Wave* w) { raise(w, op, FaultKind::illegal_instruction); }
CROSSLANE_CC void fault_unimplemented(const Uop* op, Wave* w) { raise(w, op, FaultKind::unimplemented); }
CROSSLANE_CC void fault_bad_pc(const Uop* op, Wave* w) { raise(w, op, FaultKind::bad_pc, -1, w->bad_pc); }
CROSSLANE_CC void fault_left_code(const Uop* op, Wave* w) { raise(w, op, FaultKind::bad_pc, -1, op->k0); }
CROSSLANE_CC void link(const Uop* op, Wave* w) {
  w->instructions += op->imm;
  CROSSLANE_JUMP(op->target, w);
}

namespace {

uint64_t read64(const Wave* w, uint32_t offset, uint64_t k) {
  uint64_t v;
  std::memcpy(&v, reinterpret_cast<const char*>(w) + offset, 8);
  return v | k;
}
void write64(Wave* w, uint32_t offset, uint64_t v) { std::memcpy(reinterpret_cast<char*>(w) + offset, &v, 8); }
uint32_t read32(const Wave* w, uint32_t offset, uint64_t k) {
  uint32_t v;
  std::memcpy(&v, reinterpret_cast<const char*>(w) + offset, 4);
  return v | uint32_t(k);
}
void write32(Wave* w, uint32_t offset, uint32_t v) { std::memcpy(reinterpret_cast<char*>(w) + offset, &v, 4); }

enum class When { always, scc0, scc1, vccz, vccnz, execz, execnz };

template <When C> CROSSLANE_INLINE bool holds(const Wave* w) {
  switch (C) {
  case When::always: return true;
  case When::scc0: return w->scc == 0;
  case When::scc1: return w->scc != 0;
  case When::vccz: return w->vcc() == 0;
  case When::vccnz: return w->vcc() != 0;
  case When::execz: return w->exec() == 0;
  case When::execnz: return w->exec() != 0;
  }
}

// A wave that goes round in circles is preempted, so that every resident wave makes progress. `aux` is what an iteration
// counts for besides its instructions: loops that look like waiting use their budget up early.
CROSSLANE_INLINE bool must_yield(const Uop* op, Wave* w, const Uop* target) {
  w->deadline -= op->aux;
  if (__builtin_expect(w->instructions < w->deadline, 1)) return false;
  w->resume = target;
  w->state = WaveState::preempted;
  return true;
}
template <When C, bool Backward> CROSSLANE_CC void branch(const Uop* op, Wave* w) {
  if (holds<C>(w)) {
    w->instructions += op->imm;
    if constexpr (Backward)
      if (must_yield(op, w, op->target)) return;
    CROSSLANE_JUMP(op->target, w);
  }
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void endpgm(const Uop* op, Wave* w) {
  w->instructions += op->ordinal + 1;
  w->state = WaveState::ended;
}

CROSSLANE_CC void barrier(const Uop* op, Wave* w) {
  if (w->workgroup->wave_count > 1) {
    w->resume = op + 1;
    w->state = WaveState::barrier;
    return;
  }
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void sleep(const Uop* op, Wave* w) {
  w->resume = op + 1;
  w->state = WaveState::preempted;
}

CROSSLANE_CC void trap(const Uop* op, Wave* w) { raise(w, op, FaultKind::trap, -1, uint64_t(op->imm)); }

// Computed jumps: the count is settled as for a direct branch, with the target's ordinal looked up.
CROSSLANE_INLINE const Uop* jump_to(const Uop* op, Wave* w, uint64_t address) {
  const auto entry = context(w).program->at(address);
  w->bad_pc = address;
  w->instructions += int64_t(op->ordinal) + 1 - int64_t(entry.ordinal);
  return entry.uop;
}

template <bool Link> CROSSLANE_CC void setpc(const Uop* op, Wave* w) {
  const uint64_t address = read64(w, op->a, op->k0);
  if constexpr (Link) write64(w, op->dst, op->k1);
  const Uop* target = jump_to(op, w, address);
  if (must_yield(op, w, target)) return;
  CROSSLANE_JUMP(target, w);
}
CROSSLANE_CC void getpc(const Uop* op, Wave* w) {
  write64(w, op->dst, op->k1);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void call(const Uop* op, Wave* w) {
  write64(w, op->dst, op->k1);
  w->instructions += op->imm;
  if (must_yield(op, w, op->target)) return;
  CROSSLANE_JUMP(op->target, w);
}

// D = EXEC; EXEC = S0 op EXEC; SCC = EXEC != 0. The wrexec forms put the result in D too.
template <class F, bool WriteResult> CROSSLANE_CC void saveexec(const Uop* op, Wave* w) {
  const uint64_t exec = w->exec(), result = F{}(read64(w, op->a, op->k0), exec);
  w->set_pair(126, result);
  write64(w, op->dst, WriteResult ? result : exec);
  w->scc = result != 0;
  CROSSLANE_NEXT(op, w);
}

struct And { uint64_t operator()(uint64_t s, uint64_t e) const { return s & e; } };
struct Or { uint64_t operator()(uint64_t s, uint64_t e) const { return s | e; } };
struct Xor { uint64_t operator()(uint64_t s, uint64_t e) const { return s ^ e; } };
struct AndN2 { uint64_t operator()(uint64_t s, uint64_t e) const { return s & ~e; } };
struct OrN2 { uint64_t operator()(uint64_t s, uint64_t e) const { return s | ~e; } };
struct AndN1 { uint64_t operator()(uint64_t s, uint64_t e) const { return ~s & e; } };
struct OrN1 { uint64_t operator()(uint64_t s, uint64_t e) const { return ~s | e; } };
struct Nand { uint64_t operator()(uint64_t s, uint64_t e) const { return ~(s & e); } };
struct Nor { uint64_t operator()(uint64_t s, uint64_t e) const { return ~(s | e); } };
struct Xnor { uint64_t operator()(uint64_t s, uint64_t e) const { return ~(s ^ e); } };

struct SaveExec {
  Op op;
  Handler handler;
  uint64_t (*function)(uint64_t, uint64_t);
};
template <class F, bool W = false> constexpr SaveExec save(Op op) {
  return {op, saveexec<F, W>, [](uint64_t s, uint64_t e) { return F{}(s, e); }};
}
constexpr SaveExec saves[] = {
    save<And>(Op::s_and_saveexec_b64),     save<Or>(Op::s_or_saveexec_b64),       save<Xor>(Op::s_xor_saveexec_b64),
    save<AndN2>(Op::s_andn2_saveexec_b64), save<OrN2>(Op::s_orn2_saveexec_b64),   save<Nand>(Op::s_nand_saveexec_b64),
    save<Nor>(Op::s_nor_saveexec_b64),     save<Xnor>(Op::s_xnor_saveexec_b64),   save<AndN1>(Op::s_andn1_saveexec_b64),
    save<OrN1>(Op::s_orn1_saveexec_b64),   save<AndN1, true>(Op::s_andn1_wrexec_b64), save<AndN2, true>(Op::s_andn2_wrexec_b64),
};

// Relative scalar moves: M0 is added to the register number.
template <bool Source, int Dwords> CROSSLANE_CC void movrel(const Uop* op, Wave* w) {
  const uint32_t shift = (w->s[isa::code::m0] & 127) * 4;
  const uint32_t from = op->a + (Source ? shift : 0), to = op->dst + (Source ? 0 : shift);
  const uint32_t last = machine::sgpr_offset(128 - Dwords);
  if (from > last && Source) return raise(w, op, FaultKind::illegal_instruction);
  if (to > last) return raise(w, op, FaultKind::illegal_instruction);
  if constexpr (Dwords == 2) write64(w, to, read64(w, from, op->k0));
  else write32(w, to, read32(w, from, op->k0));
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void getreg(const Uop* op, Wave* w) {
  write32(w, op->dst, read_hwreg(*w, uint32_t(op->imm)));
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void setreg(const Uop* op, Wave* w) {
  write_hwreg(*w, uint32_t(op->imm), read32(w, op->a, op->k0));
  CROSSLANE_NEXT(op, w);
}
// M0[7:0] = S0[7:0], M0[15:12] = imm4 (s_set_gpr_idx_on) or M0[7:0] only (s_set_gpr_idx_idx).
CROSSLANE_CC void set_gpr_idx(const Uop* op, Wave* w) {
  uint32_t& m0 = w->s[isa::code::m0];
  m0 = (m0 & ~0xffu) | (read32(w, op->a, op->k0) & 0xff);
  if (op->aux) m0 = (m0 & ~0xf000u) | uint32_t(op->imm) << 12;
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void set_gpr_idx_mode(const Uop* op, Wave* w) {
  uint32_t& m0 = w->s[isa::code::m0];
  m0 = (m0 & ~0xf000u) | uint32_t(op->imm) << 12;
  CROSSLANE_NEXT(op, w);
}

// Event hooks, emitted only when a listener is attached.
enum EventKind : uint32_t { event_vcc, event_exec, event_scc0, event_scc1, event_save };
CROSSLANE_CC void event_branch(const Uop* op, Wave* w) {
  const auto& ctx = context(w);
  const uint64_t exec = w->exec();
  const auto* inst = reinterpret_cast<const isa::Instruction*>(op->target);
  events::Branch e{{ctx.program->address_of(op), inst}, w, exec, 0, true};
  switch (op->aux) {
  case event_vcc: e.condition = w->vcc() & exec; break;
  case event_exec: e.condition = exec, e.per_lane = false; break;
  case event_scc0: e.condition = w->scc == 0 ? exec : 0, e.per_lane = false; break;
  case event_scc1: e.condition = w->scc != 0 ? exec : 0, e.per_lane = false; break;
  default: {
    // The lanes that go on, of those that could: for s_or_saveexec the mask can only grow, and old is the smaller set.
    const auto& s = saves[op->aux - event_save];
    const uint64_t result = s.function(read64(w, op->a, op->k0), exec);
    e.exec = exec | result, e.condition = result;
  }
  }
  ctx.options->listener->branch(e);
  CROSSLANE_NEXT(op, w);
}

}  // namespace

CROSSLANE_CC void event_issued(const Uop* op, Wave* w) {
  const auto* block = reinterpret_cast<const events::Block*>(op->target);
  context(w).options->listener->issued({block, w, w->exec()});
  CROSSLANE_NEXT(op, w);
}

namespace {

void emit_event(Lowering& l, uint32_t kind, ScalarOperand a = {machine::sgpr_offset(machine::scalar_zero), 0}) {
  if (!l.branch_events) return;
  Uop& op = l.emit(event_branch);
  op.aux = kind, op.a = a.offset, op.k0 = a.k;
  op.target = reinterpret_cast<const Uop*>(l.sink.keep(l.inst));
}

template <When C> void emit_branch(Lowering& l) { l.emit(l.inst.imm < 0 ? branch<C, true> : branch<C, false>); }

bool lower_sopp(Lowering& l) {
  switch (l.inst.op) {
  case Op::s_nop: case Op::s_waitcnt: case Op::s_setprio: case Op::s_icache_inv: case Op::s_incperflevel:
  case Op::s_decperflevel: case Op::s_ttracedata: case Op::s_wakeup:
  case Op::s_sendmsg:  // no host listens; messages that need an answer come with the HSA runtime
    return true;       // nothing to do, no Uop
  case Op::s_endpgm: case Op::s_endpgm_saved: case Op::s_sendmsghalt: l.emit(endpgm); return true;
  case Op::s_branch: emit_branch<When::always>(l); return true;
  case Op::s_cbranch_scc0: emit_event(l, event_scc0); emit_branch<When::scc0>(l); return true;
  case Op::s_cbranch_scc1: emit_event(l, event_scc1); emit_branch<When::scc1>(l); return true;
  case Op::s_cbranch_vccz: emit_event(l, event_vcc); emit_branch<When::vccz>(l); return true;
  case Op::s_cbranch_vccnz: emit_event(l, event_vcc); emit_branch<When::vccnz>(l); return true;
  case Op::s_cbranch_execz: emit_event(l, event_exec); emit_branch<When::execz>(l); return true;
  case Op::s_cbranch_execnz: emit_event(l, event_exec); emit_branch<When::execnz>(l); return true;
  case Op::s_barrier: l.emit(barrier); return true;
  case Op::s_sleep: l.emit(sleep); return true;
  case Op::s_trap:
    if ((l.inst.imm & 0xff) == 3) return true;  // llvm.debugtrap without a debugger is a no-op
    l.emit(trap).imm = l.inst.imm & 0xff;
    return true;
  case Op::s_set_gpr_idx_off: l.gpr_idx = 0; return true;
  case Op::s_set_gpr_idx_mode:
    l.gpr_idx = uint8_t(l.inst.imm & 0xf);
    l.emit(set_gpr_idx_mode).imm = l.inst.imm & 0xf;
    return true;
  default: return false;
  }
}

}  // namespace

bool lower_flow(Lowering& l) {
  if (l.row.encoding == isa::Encoding::SOPP) return lower_sopp(l);
  const auto& inst = l.inst;
  const auto source = [&](isa::Type type) { return staged_scalar(l, inst.src[0], type, 0); };
  for (uint32_t i = 0; i < std::size(saves); ++i)
    if (saves[i].op == inst.op) {
      const auto a = source(isa::Type::B64);
      emit_event(l, event_save + i, a);
      Uop& op = l.emit(saves[i].handler);
      op.a = a.offset, op.k0 = a.k, op.dst = machine::sgpr_offset(inst.dst);
      return true;
    }
  switch (inst.op) {
  case Op::s_getpc_b64: {
    Uop& op = l.emit(getpc);
    op.dst = machine::sgpr_offset(inst.dst), op.k1 = l.address + 4;
    return true;
  }
  case Op::s_setpc_b64: case Op::s_swappc_b64: {
    const auto a = source(isa::Type::B64);
    Uop& op = l.emit(inst.op == Op::s_setpc_b64 ? setpc<false> : setpc<true>);
    op.a = a.offset, op.k0 = a.k, op.k1 = l.address + inst.size;
    if (inst.op == Op::s_swappc_b64) op.dst = machine::sgpr_offset(inst.dst);
    return true;
  }
  case Op::s_call_b64: {
    Uop& op = l.emit(call);
    op.dst = machine::sgpr_offset(inst.dst), op.k1 = l.address + 4;
    return true;
  }
  case Op::s_movrels_b32: case Op::s_movrels_b64: case Op::s_movreld_b32: case Op::s_movreld_b64: {
    const bool wide = inst.op == Op::s_movrels_b64 || inst.op == Op::s_movreld_b64;
    const bool from = inst.op == Op::s_movrels_b32 || inst.op == Op::s_movrels_b64;
    const auto a = source(wide ? isa::Type::B64 : isa::Type::B32);
    Uop& op = l.emit(from ? (wide ? movrel<true, 2> : movrel<true, 1>) : (wide ? movrel<false, 2> : movrel<false, 1>));
    op.a = a.offset, op.k0 = a.k, op.dst = machine::sgpr_offset(inst.dst);
    return true;
  }
  case Op::s_getreg_b32: {
    if (!hwreg_readable(uint32_t(inst.imm) & 0x3f)) return false;
    Uop& op = l.emit(getreg);
    op.dst = machine::sgpr_offset(inst.dst), op.imm = inst.imm & 0xffff;
    return true;
  }
  case Op::s_setreg_b32: case Op::s_setreg_imm32_b32: {
    if (!hwreg_writable(uint32_t(inst.imm) & 0x3f)) return false;
    Uop& op = l.emit(setreg);
    op.imm = inst.imm & 0xffff;
    if (inst.op == Op::s_setreg_b32) op.a = machine::sgpr_offset(inst.dst);
    else op.k0 = inst.literal;
    return true;
  }
  case Op::s_set_gpr_idx_on: case Op::s_set_gpr_idx_idx: {
    const auto a = source(isa::Type::B32);
    Uop& op = l.emit(set_gpr_idx);
    op.a = a.offset, op.k0 = a.k;
    if (inst.op == Op::s_set_gpr_idx_on) op.aux = 1, op.imm = inst.imm & 0xf, l.gpr_idx = uint8_t(inst.imm & 0xf);
    return true;
  }
  default: return false;
  }
}

Flow flow_of(const isa::Instruction& inst, const isa::Row& row, uint32_t pc) {
  using isa::has;
  using isa::Implicit;
  Flow flow;
  switch (inst.op) {
  case Op::s_branch: flow.falls_through = false; [[fallthrough]];
  case Op::s_cbranch_scc0: case Op::s_cbranch_scc1: case Op::s_cbranch_vccz: case Op::s_cbranch_vccnz:
  case Op::s_cbranch_execz: case Op::s_cbranch_execnz: case Op::s_call_b64:
    flow.branches = true;
    flow.target = uint32_t(int64_t(pc) + 1 + inst.imm);
    return flow;
  case Op::s_setpc_b64: flow.falls_through = false; return flow;
  default: flow.falls_through = !has(row.implicit, Implicit::ends) && inst.op != Op::s_sendmsghalt; return flow;
  }
}

bool ends_block(const isa::Instruction& inst, const isa::Row& row, const Flow& flow) {
  using isa::Implicit;
  constexpr Implicit ends = Implicit::branch | Implicit::ends | Implicit::barrier | Implicit::exec_w;
  const auto is_exec = [](uint16_t c) { return c == isa::code::exec || c == isa::code::exec + 1; };
  const bool relative = inst.op == Op::s_movreld_b32 || inst.op == Op::s_movreld_b64;  // M0 may point it at EXEC
  return flow.branches || !flow.falls_through || isa::has(row.implicit, ends) || is_exec(inst.dst) || is_exec(inst.sdst) ||
         relative || inst.op == Op::s_sleep;
}

}  // namespace crosslane::engine
