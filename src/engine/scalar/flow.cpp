// Program control: branches, calls, saveexec, barriers and the ends of things.
// Source: GCN3 ISA manual, "Program flow control"; LLVM AMDGPUUsage, "Trap Handler ABI".
#include "engine/scalar/flow.h"
#include "engine/hook_clock.h"
#include "engine/raise.h"
#include "engine/scalar/flow_common.h"
#include "engine/scalar/hwreg.h"
#include "isa/classify.h"
#include "isa/divergence.h"
#include "isa/flow.h"
#include <array>
#include <utility>

namespace crosslane::engine {

using isa::Op;
using machine::FaultKind;
using machine::WaveState;

// An exception that cannot be masked: a trap handler hears of it, unless it is its own doing.
CROSSLANE_CC void fault_illegal(const Uop* op, Wave* w) {
  if (!(w->status & status_bit::priv)) {
    w->trapsts |= trapsts_illegal_inst;
    if (const Uop* handler = enter_trap(op, w, op->k0, 0))
      CROSSLANE_JUMP(handler, w);
  }
  raise(w, op, FaultKind::illegal_instruction);
}
CROSSLANE_CC void fault_registers(const Uop* op, Wave* w) { raise(w, op, FaultKind::register_out_of_range); }
CROSSLANE_CC void fault_unimplemented(const Uop* op, Wave* w) { raise(w, op, FaultKind::unimplemented); }
CROSSLANE_CC void fault_bad_pc(const Uop* op, Wave* w) { raise(w, op, FaultKind::bad_pc, -1, w->bad_pc); }
CROSSLANE_CC void fault_left_code(const Uop* op, Wave* w) { raise(w, op, FaultKind::bad_pc, -1, op->k0); }
CROSSLANE_CC void link(const Uop* op, Wave* w) {
  w->instructions += op->imm;
  CROSSLANE_JUMP(op->target, w);
}

namespace {

using isa::Condition;

bool has_status(const Wave* w, uint32_t bits) { return (w->status & bits) == bits; }

CROSSLANE_INLINE bool holds(Condition condition, const Wave* w) {
  switch (condition) {
  case Condition::always: return true;
  case Condition::scc0: return w->scc == 0;
  case Condition::scc1: return w->scc != 0;
  case Condition::vccz: return w->vcc() == 0;
  case Condition::vccnz: return w->vcc() != 0;
  case Condition::execz: return w->exec() == 0;
  case Condition::execnz: return w->exec() != 0;
  case Condition::debug_system: return has_status(w, status_bit::cond_dbg_sys);
  case Condition::debug_user: return has_status(w, status_bit::cond_dbg_user);
  case Condition::debug_either: return (w->status & (status_bit::cond_dbg_sys | status_bit::cond_dbg_user)) != 0;
  case Condition::debug_both: return has_status(w, status_bit::cond_dbg_sys | status_bit::cond_dbg_user);
  case Condition::lanes: return false; // of forks, which are no branches
  }
}

template <Condition C, bool Backward> CROSSLANE_CC void branch(const Uop* op, Wave* w) {
  if (holds(C, w)) {
    w->instructions += op->imm;
    if constexpr (Backward)
      if (must_yield(op, w, op->target))
        return;
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

template <bool Link> CROSSLANE_CC void setpc(const Uop* op, Wave* w) {
  const uint64_t address = read64(w, op->a, op->k0);
  if constexpr (Link)
    write64(w, op->dst, op->k1);
  const Uop* target = jump_to(op, w, address);
  if (must_yield(op, w, target))
    return;
  CROSSLANE_JUMP(target, w);
}
CROSSLANE_CC void getpc(const Uop* op, Wave* w) {
  write64(w, op->dst, op->k1);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void call(const Uop* op, Wave* w) {
  write64(w, op->dst, op->k1);
  w->instructions += op->imm;
  if (must_yield(op, w, op->target))
    return;
  CROSSLANE_JUMP(op->target, w);
}

template <isa::MaskOp O> CROSSLANE_INLINE uint64_t combined(uint64_t s, uint64_t exec) {
  using enum isa::MaskOp;
  switch (O) {
  case none: return exec; // no instruction
  case and_: return s & exec;
  case andn1: return ~s & exec;
  case andn2: return s & ~exec;
  case or_: return s | exec;
  case orn1: return ~s | exec;
  case orn2: return s | ~exec;
  case xor_: return s ^ exec;
  case xnor: return ~(s ^ exec);
  case nand: return ~(s & exec);
  case nor: return ~(s | exec);
  }
}

// D = EXEC; EXEC = S0 op EXEC; SCC = EXEC != 0. The wrexec forms put the result in D too.
template <isa::MaskOp O, bool SavesOld> CROSSLANE_CC void mask_exec(const Uop* op, Wave* w) {
  const uint64_t exec = w->exec(), result = combined<O>(read64(w, op->a, op->k0), exec);
  w->set_pair(126, result);
  write64(w, op->dst, SavesOld ? exec : result);
  w->scc = result != 0;
  CROSSLANE_NEXT(op, w);
}

// By operation: wrexec, saveexec.
template <size_t... O> constexpr auto mask_handlers(std::index_sequence<O...>) {
  return std::array{std::array<Handler, 2>{mask_exec<isa::MaskOp(O), false>, mask_exec<isa::MaskOp(O), true>}...};
}
constexpr auto masks = mask_handlers(std::make_index_sequence<isa::mask_op_count>());

// Relative scalar moves: M0 is added to the register number. Beyond the SGPRs (imm: how many there are) a source is
// SGPR 0 and a result is not written. Source: Vega ISA manual, "Out-of-Range behavior".
template <bool Source, int Dwords> CROSSLANE_CC void movrel(const Uop* op, Wave* w) {
  const uint32_t sgprs = uint32_t(op->imm);
  const uint32_t first = ((Source ? op->a : op->dst) - machine::sgpr_offset(0)) / 4;
  const uint64_t n = uint64_t(first) + w->s[isa::code::m0];
  // From a register that is no SGPR, indexing must stay among its like.
  const bool in_range = n + Dwords <= (first < sgprs ? sgprs : 128);
  if (!in_range && first >= sgprs)
    return raise(w, op, FaultKind::illegal_instruction);
  const uint32_t at = machine::sgpr_offset(in_range ? uint32_t(n) : 0);
  const uint32_t from = Source ? at : op->a, to = Source ? op->dst : at;
  if (Source || in_range) {
    if constexpr (Dwords == 2)
      write64(w, to, read64(w, from, op->k0));
    else
      write32(w, to, read32(w, from, op->k0));
  }
  CROSSLANE_NEXT(op, w);
}

// Event hooks, emitted only when a listener is attached. Branches and forks tell before they execute.
void tell_branch(const Uop* op, const Wave* w) {
  const uint64_t exec = w->exec();
  const auto* inst = reinterpret_cast<const isa::Instruction*>(op->target);
  const auto condition = Condition(op->aux);
  events::Branch e{{op->k1, inst}, w, exec, 0, isa::is_divergence(isa::site_kind(condition))};
  switch (condition) {
  case Condition::vccz:
  case Condition::vccnz: e.condition = w->vcc() & exec; break;
  case Condition::lanes: e.condition = read64(w, op->a, op->k0) & exec; break;
  case Condition::execz: e.condition = exec; break; // all lanes that there are, or none of none
  default: e.condition = holds(condition, w) ? exec : 0;
  }
  context(w).options->listener->branch(e);
}
CROSSLANE_CC void event_branch(const Uop* op, Wave* w) {
  hook(w, [&] { tell_branch(op, w); });
  CROSSLANE_NEXT(op, w);
}

// What writes EXEC tells when it has, however it does: EXEC of before waits in a scalar temporary that no staging uses.
constexpr int arrived = machine::scalar_tmp + 26;
CROSSLANE_CC void keep_exec(const Uop* op, Wave* w) {
  w->set_pair(arrived, w->exec());
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void event_exec(const Uop* op, Wave* w) {
  hook(w, [&] {
    // The lanes that go on, of those that could: where EXEC may grow as well, those that it gained are among them.
    const uint64_t exec = w->exec();
    const auto* inst = reinterpret_cast<const isa::Instruction*>(op->target);
    context(w).options->listener->branch({{op->k1, inst}, w, w->pair(arrived) | exec, exec, true});
  });
  CROSSLANE_NEXT(op, w);
}

} // namespace

CROSSLANE_CC void event_issued(const Uop* op, Wave* w) {
  const auto* block = reinterpret_cast<const events::Block*>(op->target);
  hook(w, [&] { context(w).options->listener->issued({block, w, w->exec()}); });
  CROSSLANE_NEXT(op, w);
}

namespace {
CROSSLANE_CC void event_step(const Uop* op, Wave* w) {
  hook(w, [&] {
    context(w).options->listener->step({{op->k1, reinterpret_cast<const isa::Instruction*>(op->target)}, w});
  });
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void repeated(const Uop* op, Wave* w) {
  if (w->instructions + int64_t(op->ordinal) < w->counted)
    CROSSLANE_NEXT(op, w);
  w->counted = 0;
  const auto entry = find_code(w, op->k1);
  w->instructions += int64_t(op->ordinal) - int64_t(entry.ordinal);
  CROSSLANE_JUMP(entry.uop, w);
}
} // namespace

void emit_repeated(Lowering& l) { l.emit(UopKind::event, repeated).k1 = l.address; }

void emit_step_event(Lowering& l, const isa::Instruction* kept) {
  Uop& op = l.emit(UopKind::event, event_step);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
}

void emit_keep_exec(Lowering& l) { l.emit(UopKind::event, keep_exec); }

void emit_exec_event(Lowering& l, const isa::Instruction* kept) {
  Uop& op = l.emit(UopKind::event, event_exec);
  op.k1 = l.address, op.target = reinterpret_cast<const Uop*>(kept);
}

namespace {

void emit_event(Lowering& l, ScalarOperand mask = {machine::sgpr_offset(machine::scalar_zero), 0}) {
  if (!l.branch_events)
    return;
  Uop& op = l.emit(UopKind::event, event_branch);
  op.aux = uint32_t(isa::flow(l.inst).condition), op.a = mask.offset, op.k0 = mask.k, op.k1 = l.address;
  op.target = reinterpret_cast<const Uop*>(l.sink.keep(l.inst));
}

// By condition, forwards and backwards.
template <size_t... C> constexpr auto branch_handlers(std::index_sequence<C...>) {
  return std::array{std::array<Handler, 2>{branch<Condition(C), false>, branch<Condition(C), true>}...};
}
constexpr auto branches = branch_handlers(std::make_index_sequence<size_t(Condition::lanes)>());

bool lower_sopp(Lowering& l) {
  if (const isa::Flow flow = isa::flow(l.inst); flow.kind == isa::FlowKind::branch) {
    if (isa::site_kind(flow.condition) != isa::SiteKind::none)
      emit_event(l);
    l.emit(UopKind::branch, branches[size_t(flow.condition)][l.inst.imm < 0]);
    return true;
  }
  switch (l.inst.op) {
  case Op::s_nop:
  case Op::s_waitcnt:
  case Op::s_wakeup:
  case Op::s_incperflevel:
  case Op::s_decperflevel:
  case Op::s_ttracedata: // STATUS says that nobody counts or traces
    return true;         // nothing to do, no Uop
  case Op::s_endpgm:
  case Op::s_endpgm_saved:
  case Op::s_endpgm_ordered_ps_done: l.emit(UopKind::end, endpgm); return true;
  case Op::s_setkill:
    if (l.inst.imm & 1)
      l.emit(UopKind::end, endpgm);
    return true;
  case Op::s_barrier: l.emit(UopKind::barrier, barrier); return true;
  case Op::s_sleep: l.emit(UopKind::sleep, sleep); return true;
  default: return lower_trap(l) || lower_state(l);
  }
}

} // namespace

bool lower_flow(Lowering& l) {
  if (l.row.encoding == isa::Encoding::SOPP)
    return lower_sopp(l);
  const auto& inst = l.inst;
  const auto source = [&](isa::Type type) { return staged_scalar(l, inst.src[0], type, 0); };
  if (const isa::MaskOp mask = isa::exec_mask_op(inst.op); mask != isa::MaskOp::none) {
    const auto a = source(isa::Type::B64);
    Uop& op = l.emit(UopKind::save_exec, masks[size_t(mask)][isa::saves_exec(inst)]);
    op.a = a.offset, op.k0 = a.k, op.dst = machine::sgpr_offset(inst.dst);
    return true;
  }
  switch (inst.op) {
  case Op::s_getpc_b64: {
    Uop& op = l.emit(UopKind::get_pc, getpc);
    op.dst = machine::sgpr_offset(inst.dst), op.k1 = l.address + 4;
    return true;
  }
  case Op::s_setpc_b64:
  case Op::s_swappc_b64: {
    const auto a = source(isa::Type::B64);
    Uop& op = l.emit(UopKind::jump, inst.op == Op::s_setpc_b64 ? setpc<false> : setpc<true>);
    op.a = a.offset, op.k0 = a.k, op.k1 = l.address + inst.size;
    if (inst.op == Op::s_swappc_b64)
      op.dst = machine::sgpr_offset(inst.dst);
    return true;
  }
  case Op::s_call_b64: {
    Uop& op = l.emit(UopKind::call, call);
    op.dst = machine::sgpr_offset(inst.dst), op.k1 = l.address + 4;
    return true;
  }
  case Op::s_movrels_b32:
  case Op::s_movrels_b64:
  case Op::s_movreld_b32:
  case Op::s_movreld_b64: {
    const bool wide = inst.op == Op::s_movrels_b64 || inst.op == Op::s_movreld_b64;
    const bool from = inst.op == Op::s_movrels_b32 || inst.op == Op::s_movrels_b64;
    const auto a = source(wide ? isa::Type::B64 : isa::Type::B32);
    Uop& op = l.emit(UopKind::move_relative,
                     from ? (wide ? movrel<true, 2> : movrel<true, 1>) : (wide ? movrel<false, 2> : movrel<false, 1>));
    op.a = a.offset, op.k0 = a.k, op.dst = machine::sgpr_offset(inst.dst);
    op.imm = isa::info(inst.target).generation >= isa::Generation::gfx8 ? 102 : 104;
    return true;
  }
  case Op::s_cbranch_g_fork:
  case Op::s_cbranch_i_fork:
  case Op::s_cbranch_join: {
    const auto a = source(inst.op == Op::s_cbranch_join ? isa::Type::B32 : isa::Type::B64);
    if (inst.op != Op::s_cbranch_join)
      emit_event(l, a);
    const auto b = inst.op == Op::s_cbranch_g_fork ? staged_scalar(l, inst.src[1], isa::Type::B64, 1) : ScalarOperand{};
    emit_fork(l, a, b);
    return true;
  }
  default: return lower_trap(l) || lower_state(l);
  }
}

Flow flow_of(const isa::Instruction& inst, uint32_t pc) {
  const isa::Flow f = isa::flow(inst);
  Flow flow;
  flow.branches = f.direct;
  if (f.direct)
    flow.target = uint32_t(int64_t(pc) + f.offset / 4);
  // Where these go on is looked up: another place, or other code in the same one.
  const bool looks_up = f.kind == isa::FlowKind::join || inst.op == Op::s_icache_inv;
  flow.falls_through = f.falls_through && !looks_up;
  return flow;
}

bool ends_block(const isa::Instruction& inst, const isa::Row& row, const Flow& flow) {
  return !flow.falls_through || isa::flow(inst).ends_basic_block() || isa::has(row.implicit, isa::Implicit::barrier) ||
         isa::writes_exec(inst) || inst.op == Op::s_sleep ||
         isa::writes_hwreg(row); // TRAPSTS.SAVECTX enters the trap handler
}

} // namespace crosslane::engine
