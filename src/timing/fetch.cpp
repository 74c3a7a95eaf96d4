// The rules of the document, in its order.
#include "timing/fetch.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/op.h"
#include "isa/operands.h"
#include <algorithm>

namespace crosslane::timing {

namespace {

constexpr uint32_t penalty = 4, scalar_delay = 16;
constexpr uint32_t dword_of(uint64_t address) { return uint32_t(address / 4 % 8); }

// "any integer V_ADD*, V_SUB*, V_FIRSTREADLINE_B32, V_READLANE_B32".
bool delays_scalar(const isa::Instruction& i) {
  if (i.op == isa::Op::v_readlane_b32 || i.op == isa::Op::v_readfirstlane_b32)
    return true;
  switch (i.op) {
    using enum isa::Op;
  case v_add3_u32:
  case v_add_co_u32:
  case v_add_i16:
  case v_add_i32:
  case v_add_lshl_u32:
  case v_add_u16:
  case v_add_u32:
  case v_addc_co_u32:
  case v_sub_co_u32:
  case v_sub_i16:
  case v_sub_i32:
  case v_sub_u16:
  case v_sub_u32:
  case v_subb_co_u32:
  case v_subbrev_co_u32:
  case v_subrev_co_u32:
  case v_subrev_u16:
  case v_subrev_u32: return true;
  default: return false;
  }
}

} // namespace

bool has_fetch_penalties(isa::Target t) { return isa::info(t).generation <= isa::Generation::gfx7; }

uint32_t size_penalty(uint64_t address, uint32_t bytes, double cycles, bool behind_long) {
  const uint32_t n = dword_of(address);
  if (bytes < 8 || n < 3)
    return 0;
  if (cycles > 4 && n >= 8 - std::min(8u, uint32_t(cycles / 4)))
    return 0;
  return n == 4 && behind_long ? 0 : penalty;
}

uint32_t target_penalty(uint64_t address) { return std::max(4u, dword_of(address)) * penalty - 4 * penalty; }

uint32_t not_taken_penalty(uint64_t address) { return std::max(3u, dword_of(address)) * penalty - 3 * penalty; }

double SchedulingDelays::before(const isa::Instruction& i, double now) const {
  if (isa::unit(i) == isa::Unit::salu)
    return std::max(0.0, scalar_ready_ - now);
  switch (isa::flow(i).condition) {
  case isa::Condition::vccz:
  case isa::Condition::vccnz:
  case isa::Condition::execz:
  case isa::Condition::execnz: return wrote_vcc_ || wrote_exec_ ? penalty : 0;
  case isa::Condition::scc0:
  case isa::Condition::scc1: return wrote_scc_ || wrote_exec_ || wrote_vcc_ ? penalty : 0;
  default: return 0;
  }
}

void SchedulingDelays::issued(const isa::Instruction& i, double end) {
  wrote_vcc_ = wrote_exec_ = wrote_scc_ = false;
  for (const isa::Operand& o : isa::operands(i)) {
    if (!o.written)
      continue;
    wrote_vcc_ |=
        o.holds(isa::RegisterFile::scalar, isa::code::vcc) || o.holds(isa::RegisterFile::scalar, isa::code::vcc + 1);
    wrote_exec_ |=
        o.holds(isa::RegisterFile::scalar, isa::code::exec) || o.holds(isa::RegisterFile::scalar, isa::code::exec + 1);
    wrote_scc_ |= o.holds(isa::RegisterFile::special, isa::special::scc);
  }
  if (delays_scalar(i))
    scalar_ready_ = end + scalar_delay;
}

} // namespace crosslane::timing
