// The rules of isa/classify.h.
#include "isa/classify.h"
#include "isa/access.h"
#include "isa/flow.h"
#include "isa/operands.h"

namespace crosslane::isa {

namespace {

using enum Encoding;

// SOPP that neither branches nor talks to others; what changes MODE and M0 (s_set_gpr_idx_*) is scalar arithmetic.
Unit unit_of_sopp(const Row& r) {
  if (has(r.implicit, Implicit::branch))
    return Unit::branch;
  if (r.timing == Timing::message)
    return Unit::message;
  return has(r.implicit, Implicit::mode_w) ? Unit::salu : Unit::internal;
}

Space spaces(const Instruction& i, const Row& r) {
  const Space lds = i.lds ? Space::lds : Space::none;
  switch (r.encoding) {
  case SMEM:
    return r.memory == Type::None || r.access == Access::time ? Space::none
           : is_scalar_scratch(i.op)                          ? Space::scratch
                                                              : Space::global;
  case DS: return i.gds ? Space::gds : Space::lds;
  case FLAT: return Space::global | Space::scratch | Space::lds;
  case GLOBAL: return Space::global | lds;
  case SCRATCH: return Space::scratch | lds;
  case MUBUF:
  case MTBUF: return Space::global | Space::scratch | lds;
  case MIMG: return Space::global;
  default: return Space::none;
  }
}

bool is_exec(uint16_t c) { return c == code::exec || c == code::exec + 1; }

} // namespace

Unit unit(const Instruction& i) {
  const Row& r = row(i.op);
  switch (r.encoding) {
  case SOPP: return unit_of_sopp(r);
  case SOP1:
  case SOP2:
  case SOPK:
  case SOPC: return has(r.implicit, Implicit::branch) ? Unit::branch : Unit::salu;
  case SMEM: return Unit::smem;
  case DS: return i.gds ? Unit::gds : Unit::lds;
  case FLAT:
  case GLOBAL:
  case SCRATCH: return Unit::flat;
  case MUBUF:
  case MTBUF:
  case MIMG: return Unit::vmem;
  case EXP: return Unit::export_;
  case VOP1:
  case VOP2:
  case VOPC:
  case VOP3:
  case VOP3P:
  case VINTRP: return Unit::valu;
  }
  return Unit::valu;
}

MemoryUse memory_use(const Instruction& i) {
  const Row& r = row(i.op);
  MemoryUse m;
  m.atomic = is_atomic(r.access);
  m.loads = m.atomic || is_load(r.access);
  m.stores = m.atomic || is_store(r.access);
  if (!m.loads && !m.stores)
    return m;
  m.spaces = spaces(i, r);
  m.returns = i.dst != code::none || (r.encoding == MIMG && m.atomic && i.glc);
  if (i.lds || has_operand_in_lds(r))
    m.loads = m.stores = true;
  return m;
}

bool depends_on_time(const Instruction& i) {
  if (row(i.op).access == Access::time || unit(i) == Unit::gds)
    return true;
  const MemoryUse use = memory_use(i);
  return use.returns && i.glc && has(use.spaces, Space::global);
}

bool shows_to_others(const Instruction& i) {
  const MemoryUse use = memory_use(i);
  return use.stores && has(use.spaces, Space::global);
}

bool Waits::raises(Counter c) const {
  for (const Raised& r : *this)
    if (r.counter == c)
      return true;
  return false;
}

Waits waits(const Instruction& i) {
  const Row& r = row(i.op);
  Waits w;
  switch (unit(i)) {
  case Unit::smem: w.add(Counter::lgkm, Counted::smem); break;
  case Unit::lds: w.add(Counter::lgkm, Counted::lds); break;
  case Unit::gds:
    w.add(Counter::lgkm, Counted::gds);
    w.add(Counter::exp, Counted::gds_data);
    break;
  case Unit::flat:
    if (r.encoding == FLAT) {
      w.add(Counter::vm, Counted::flat);
      w.add(Counter::lgkm, Counted::flat);
    } else {
      w.add(Counter::vm, Counted::vmem);
    }
    break;
  case Unit::vmem:
    if (r.access == Access::cache && i.op != Op::buffer_wbl2)
      break; // invalidates at once
    w.add(Counter::vm, Counted::vmem);
    if (info(i.target).generation == Generation::gfx6 && i.data != code::none)
      w.add(Counter::exp, Counted::store_data);
    break;
  case Unit::export_: w.add(Counter::exp, Counted::export_); break;
  case Unit::message: w.add(Counter::lgkm, Counted::message); break;
  case Unit::salu:
  case Unit::valu:
  case Unit::branch:
  case Unit::internal: break;
  }
  return w;
}

MaskOp exec_mask_op(Op op) {
  switch (op) {
  case Op::s_and_saveexec_b64: return MaskOp::and_;
  case Op::s_or_saveexec_b64: return MaskOp::or_;
  case Op::s_xor_saveexec_b64: return MaskOp::xor_;
  case Op::s_andn2_saveexec_b64:
  case Op::s_andn2_wrexec_b64: return MaskOp::andn2;
  case Op::s_orn2_saveexec_b64: return MaskOp::orn2;
  case Op::s_nand_saveexec_b64: return MaskOp::nand;
  case Op::s_nor_saveexec_b64: return MaskOp::nor;
  case Op::s_xnor_saveexec_b64: return MaskOp::xnor;
  case Op::s_andn1_saveexec_b64:
  case Op::s_andn1_wrexec_b64: return MaskOp::andn1;
  case Op::s_orn1_saveexec_b64: return MaskOp::orn1;
  default: return MaskOp::none;
  }
}

bool saves_exec(const Instruction& i) {
  return exec_mask_op(i.op) != MaskOp::none && i.op != Op::s_andn1_wrexec_b64 && i.op != Op::s_andn2_wrexec_b64;
}

bool narrows_exec(const Instruction& i) {
  const Row& r = row(i.op);
  if (const MaskOp op = exec_mask_op(i.op); op != MaskOp::none)
    return op == MaskOp::and_ || op == MaskOp::andn1;
  if (has(r.implicit, Implicit::exec_w))
    return r.encoding == VOPC || flow(i).kind == FlowKind::fork; // a side of those that came
  if (!is_exec(i.dst))
    return false;
  switch (i.op) {
  case Op::s_and_b32:
  case Op::s_and_b64: return i.src[0] == i.dst || i.src[1] == i.dst;
  case Op::s_andn2_b32:
  case Op::s_andn2_b64:
  case Op::s_mov_b32:
  case Op::s_mov_b64: return i.src[0] == i.dst;
  default: return false;
  }
}

bool writes_exec(const Instruction& i) {
  const Operands all = operands(i);
  return all.writes(RegisterFile::scalar, code::exec) || all.writes(RegisterFile::scalar, code::exec + 1);
}

bool writes_hwreg(const Row& r) {
  return has(r.implicit, Implicit::mode_w) && (r.src[0] == Type::HwReg || r.src[1] == Type::HwReg);
}

bool is_transcendental(const Row& r) {
  return r.encoding == VOP1 && (r.timing == Timing::valu_quarter || r.timing == Timing::valu_f64_trans);
}

bool is_mixed(const Row& r) { return r.encoding == VOP3P && r.src[0] == Type::F32; }

} // namespace crosslane::isa
