// Units by isa/classify.h, cycles of vector instructions by timing/issue_cycles.h.
#include "timing/replay/rows.h"
#include "isa/access.h"
#include "isa/classify.h"
#include "isa/matrix.h"
#include "isa/op.h"
#include "timing/issue_cycles.h"
#include <algorithm>

namespace crosslane::timing::replay {

namespace {

using isa::Op;

uint8_t byte(uint32_t n) { return uint8_t(std::min(n, 255u)); }

// Stays in the instruction buffer: no unit has it.
Row internal(const isa::Instruction& instruction, const Machine& machine) {
  Row r{.port = Port::none, .period = byte(machine.wave_period)};
  switch (instruction.op) {
  case Op::s_nop: r.period = byte(machine.wave_period * (uint32_t(instruction.imm & 15) + 1)); return r;
  case Op::s_sleep: r.what = What::sleep, r.vm = uint8_t(instruction.imm & 127); return r;
  case Op::s_barrier: r.what = What::barrier; return r;
  case Op::s_waitcnt: {
    const isa::Generation generation = isa::info(instruction.target).generation;
    const isa::WaitCounts asked = isa::wait_counts(generation, uint32_t(instruction.imm));
    const isa::WaitCounts most = isa::most_waits(generation);
    r.what = What::wait;
    r.vm = asked.vm < most.vm ? asked.vm : uint8_t(0xff), r.lgkm = asked.lgkm < most.lgkm ? asked.lgkm : uint8_t(0xff);
    return r;
  }
  default:
    if (isa::has(isa::row(instruction.op).implicit, isa::Implicit::ends))
      r.what = What::end;
    return r;
  }
}

Row vector(const isa::Instruction& instruction, const Machine& machine) {
  const uint8_t busy = byte(issue_cycles(instruction, machine.rates));
  if (isa::is_matrix(instruction.op)) // others of the wave may follow when it has read its operands
    return {.port = Port::matrix, .busy = busy, .period = byte(machine.valu_period)};
  return {.port = Port::valu, .busy = busy, .period = std::max(byte(machine.valu_period), busy)};
}

Row row_of(const isa::Instruction& instruction, const Machine& machine) {
  const uint8_t period = byte(machine.wave_period);
  switch (isa::unit(instruction)) {
  case isa::Unit::salu: {
    const bool hwreg = isa::writes_hwreg(isa::row(instruction.op)) || isa::saves_exec(instruction);
    return {.port = Port::salu, .period = hwreg ? uint8_t(2 * period) : period};
  }
  case isa::Unit::valu: return vector(instruction, machine);
  case isa::Unit::smem: {
    const isa::Access access = isa::row(instruction.op).access;
    return {.port = Port::salu, .what = access == isa::Access::time ? What::time : What::scalar, .period = period};
  }
  case isa::Unit::vmem:
  case isa::Unit::flat: {
    bool vm = false, lgkm = false;
    for (const isa::Raised& raised : isa::waits(instruction))
      vm |= raised.counter == isa::Counter::vm, lgkm |= raised.counter == isa::Counter::lgkm;
    const bool invalidates = isa::row(instruction.op).access == isa::Access::cache;
    return {.port = Port::vmem,
            .what = vm            ? What::vector
                    : invalidates ? What::invalidate
                                  : What::plain,
            .period = period,
            .flat = lgkm,
            .past_l1 = instruction.glc && !isa::is_atomic(isa::row(instruction.op).access)};
  }
  case isa::Unit::lds: return {.port = Port::lds, .what = What::lds, .period = period};
  case isa::Unit::gds: return {.port = Port::lds, .what = What::counted, .period = period};
  case isa::Unit::export_: return {.port = Port::message, .what = What::plain, .period = period};
  case isa::Unit::branch: return {.port = Port::branch, .period = period};
  case isa::Unit::message: return {.port = Port::message, .what = What::counted, .period = period};
  case isa::Unit::internal: return internal(instruction, machine);
  }
  return {};
}

} // namespace

BlockRows rows_of(const events::Block& block, const Machine& machine, uint32_t first) {
  BlockRows out{.pc = block.sites.front().pc, .first = first, .block = &block};
  out.rows.reserve(block.sites.size());
  for (const events::Site& site : block.sites) {
    Row r = row_of(*site.instruction, machine);
    if (isa::has(isa::row(site.instruction->op).implicit, isa::Implicit::ends))
      r.what = What::end;
    r.dwords = uint8_t(site.instruction->size / 4);
    out.bytes += site.instruction->size;
    out.rows.push_back(r);
  }
  return out;
}

} // namespace crosslane::timing::replay
