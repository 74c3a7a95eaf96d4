// By what an instruction writes, from its row: new rows need nothing here.
#include "isa/divergence.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::isa {

namespace {

bool is_exec(uint16_t c) { return c == code::exec || c == code::exec + 1; }

bool is_salu(Encoding e) { return e == Encoding::SOP1 || e == Encoding::SOP2 || e == Encoding::SOPK; }

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

SiteKind site_kind(const Instruction& i) {
  switch (i.op) {
  case Op::s_cbranch_scc0: return SiteKind::scc0;
  case Op::s_cbranch_scc1: return SiteKind::scc1;
  case Op::s_cbranch_execz: return SiteKind::execz;
  case Op::s_cbranch_execnz: return SiteKind::execnz;
  case Op::s_cbranch_vccz:
  case Op::s_cbranch_vccnz: return SiteKind::vcc;
  case Op::s_cbranch_i_fork:
  case Op::s_cbranch_g_fork: return SiteKind::fork;
  case Op::s_cbranch_join: // gives back the lanes that waited
    return SiteKind::none;
  default: break;
  }
  const Row& r = row(i.op);
  if (saves_exec(i) && is_constant(i.src[0])) // whole wave mode
    return SiteKind::none;
  if (has(r.implicit, Implicit::exec_w))
    return SiteKind::exec;
  return is_salu(r.encoding) && is_exec(i.dst) ? of_exec_write(i) : SiteKind::none;
}

bool saves_exec(const Instruction& i) {
  const Row& r = row(i.op);
  return r.encoding == Encoding::SOP1 && has(r.implicit, Implicit::exec_r) && has(r.implicit, Implicit::exec_w) &&
         i.op != Op::s_andn1_wrexec_b64 && i.op != Op::s_andn2_wrexec_b64;
}

SiteKind SiteFinder::next(const Instruction& i) {
  SiteKind kind = site_kind(i);
  if (i.op == Op::s_mov_b64 && i.dst == code::exec && is_scalar_register(i.src[0]) && saved_[i.src[0]])
    kind = SiteKind::none;
  remember(i);
  return kind;
}

void SiteFinder::remember(const Instruction& i) {
  if (i.op == Op::s_swappc_b64 || i.op == Op::s_call_b64)
    return void(saved_.reset()); // what comes back is the callee's
  const bool copies =
      i.op == Op::s_mov_b64 && is_scalar_register(i.src[0]) && (i.src[0] == code::exec || saved_[i.src[0]]);
  const Row& r = row(i.op);
  const auto forget = [&](uint16_t first, int count) {
    for (int c = std::max(first - 1, 0); c < std::min(first + count, 128); ++c) // a pair may begin before it
      saved_.reset(static_cast<size_t>(c));
  };
  if (has(r.implicit, Implicit::vcc_w))
    forget(code::vcc, 2);
  for (const uint16_t written : {i.dst, i.sdst})
    if (is_scalar_register(written))
      forget(written, std::max({dwords(r.dst), dwords(r.sdst), 2}));
  if ((saves_exec(i) || copies) && is_scalar_register(i.dst))
    saved_.set(i.dst);
}

} // namespace crosslane::isa
