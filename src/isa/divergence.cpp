// By what an instruction writes, from its row: new rows need nothing here.
#include "isa/divergence.h"
#include "isa/classify.h"
#include "isa/operands.h"
#include <algorithm>

namespace crosslane::isa {

namespace {

bool is_exec(uint16_t c) { return c == code::exec || c == code::exec + 1; }

bool is_constant(uint16_t c) { return c == code::none || c == code::literal || is_inline_constant(c); }

// A scalar instruction whose destination is EXEC, or half of it.
SiteKind of_exec_write(const Instruction& i) {
  const bool combines = is_exec(i.src[0]) || is_exec(i.src[1]);
  switch (i.op) {
  case Op::s_or_b32:
  case Op::s_or_b64:
  case Op::s_xor_b32:
  case Op::s_xor_b64:
  case Op::s_not_b32:
  case Op::s_not_b64:
  case Op::s_wqm_b32:
  case Op::s_wqm_b64:
  case Op::s_mov_b32: // of itself
  case Op::s_mov_b64:
    if (combines)
      return SiteKind::none;
    break;
  case Op::s_orn2_b32:
  case Op::s_orn2_b64:
    if (is_exec(i.src[0]))
      return SiteKind::none;
    break;
  default: break;
  }
  // What keeps some of its destination (s_bitset0_b64, s_cmov_b64) has a condition even in a constant.
  const bool keeps = has(row(i.op).implicit, Implicit::dst_r | Implicit::scc_r);
  return !keeps && std::ranges::all_of(i.src, is_constant) ? SiteKind::none : SiteKind::exec;
}

} // namespace

SiteKind site_kind(Condition c) {
  switch (c) {
  case Condition::always:
  case Condition::debug_system:
  case Condition::debug_user:
  case Condition::debug_either:
  case Condition::debug_both: return SiteKind::none;
  case Condition::scc0:
  case Condition::scc1:
  case Condition::execz:
  case Condition::execnz: return SiteKind::decision;
  case Condition::vccz:
  case Condition::vccnz: return SiteKind::vcc;
  case Condition::lanes: return SiteKind::fork;
  }
}

SiteKind site_kind(const Instruction& i) {
  const Flow f = flow(i);
  if (const SiteKind of_condition = site_kind(f.condition); of_condition != SiteKind::none)
    return of_condition;
  if (f.kind == FlowKind::join) // gives back the lanes that waited
    return SiteKind::none;
  const Row& r = row(i.op);
  if (saves_exec(i) && is_constant(i.src[0])) // whole wave mode
    return SiteKind::none;
  if (has(r.implicit, Implicit::exec_w))
    return SiteKind::exec;
  return !is_vector(r.encoding) && r.encoding != Encoding::SMEM && is_exec(i.dst) ? of_exec_write(i) : SiteKind::none;
}

SiteKind SiteFinder::next(const Instruction& i) {
  SiteKind kind = site_kind(i);
  if (i.op == Op::s_mov_b64 && i.dst == code::exec && is_scalar_register(i.src[0]) && saved_[i.src[0]])
    kind = SiteKind::none;
  remember(i);
  return kind;
}

void SiteFinder::remember(const Instruction& i) {
  if (flow(i).kind == FlowKind::call)
    return void(saved_.reset()); // what comes back is the callee's
  const bool copies =
      i.op == Op::s_mov_b64 && is_scalar_register(i.src[0]) && (i.src[0] == code::exec || saved_[i.src[0]]);
  for (const Operand& o : operands(i))
    if (o.written && o.file == RegisterFile::scalar)
      for (int c = std::max(o.first - 1, 0); c < o.first + o.dwords; ++c) // a pair may begin before it
        saved_.reset(static_cast<size_t>(c));
  if ((saves_exec(i) || copies) && is_scalar_register(i.dst))
    saved_.set(i.dst);
}

} // namespace crosslane::isa
