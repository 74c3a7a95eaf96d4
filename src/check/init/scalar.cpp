// Scalar operations, SCC, branches and EXEC.
#include "check/init/bits.h"
#include "check/init/judge.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/inline_constant.h"

namespace crosslane::check::init {

namespace {

constexpr int message_interrupt = 1;

struct Source : Bits {
  Origin origin{};
};

Source source(const At& at, int n) {
  const isa::Instruction& in = *at.i.in;
  const isa::Type type = isa::row(in.op).src[n];
  const uint16_t c = in.src[n];
  Source s;
  if (isa::is_scalar_register(c)) {
    const bool wide = isa::dwords(type) == 2;
    s.value = wide ? at.wave.pair(c) : at.wave.s[c];
    s.undefined = wide ? at.registers.undefined_pair(c) : at.registers.undefined(c);
    if (s.undefined)
      s.origin = at.origin(uint32_t(s.undefined) ? c : c + 1u);
  } else if (c == isa::code::scc) {
    s.value = at.wave.scc, s.undefined = at.registers.undefined(slot::scc);
    if (s.undefined)
      s.origin = at.origin(slot::scc);
  } else if (c == isa::code::vccz) {
    s.value = at.wave.vcc() == 0;
    s.undefined = unsure_if_zero({at.wave.vcc(), at.registers.undefined_pair(isa::code::vcc)});
    if (s.undefined)
      s.origin = at.origin(at.registers.undefined(isa::code::vcc) ? isa::code::vcc : isa::code::vcc + 1u);
  } else if (c == isa::code::execz) {
    s.value = at.exec == 0;
  } else if (const auto constant = isa::constant_source(in, c, type)) {
    s.value = *constant;
  } else if (type == isa::Type::Simm16 || type == isa::Type::Uimm16) {
    s.value = uint64_t(int64_t(in.imm));
  }
  if (isa::dwords(type) < 2)
    s.value = uint32_t(s.value);
  return s;
}

struct Result : Bits {
  bool by_zero = false; // SCC is whether it is not 0
};

Result computed(const At& at, const Source& a, const Source& b, unsigned width) {
  const uint64_t undefined = a.undefined | b.undefined;
  const auto by_zero = [](Bits r) { return Result{r, true}; };
  switch (at.i.rule) {
  case Rule::copy: return {a};
  case Rule::inverted: return by_zero(inverted(a, width));
  case Rule::both: return by_zero(both(a, b));
  case Rule::both_n: return by_zero(both(a, inverted(b, width)));
  case Rule::not_both: return by_zero(inverted(both(a, b), width));
  case Rule::either: return by_zero(either(a, b));
  case Rule::either_n: return by_zero(either(a, inverted(b, width)));
  case Rule::not_either: return by_zero(inverted(either(a, b), width));
  case Rule::differ: {
    const bool same = at.i.in->src[0] == at.i.in->src[1]; // whatever is there
    const Bits r = same ? Bits() : differ(a, b);
    return by_zero(at.i.in->op == isa::Op::s_xnor_b32 || at.i.in->op == isa::Op::s_xnor_b64 ? inverted(r, width) : r);
  }
  case Rule::left: return by_zero(shifted_left(a, b, width));
  case Rule::right: return by_zero(shifted_right(a, b, width));
  case Rule::arithmetic: return by_zero(shifted_arithmetically(a, b, width));
  case Rule::reversed: return {reversed(a, width)};
  case Rule::packed_field: {
    const isa::Type type = isa::row(at.i.in->op).dst;
    if (b.undefined & 0x7f003f)
      return by_zero(any(1, width));
    return by_zero(
        field(a, b.value & (width - 1), b.value >> 16 & 0x7f, type == isa::Type::I32 || type == isa::Type::I64, width));
  }
  case Rule::sign8: return {field(a, 0, 8, true, width)};
  case Rule::sign16: return {field(a, 0, 16, true, width)};
  case Rule::choose: {
    const uint64_t scc = at.registers.undefined(slot::scc) ? ones(width) : 0;
    return {selected({at.wave.scc ? ones(width) : 0, scc}, b, a)};
  }
  case Rule::pack: {
    const unsigned low = at.i.aux == 3 ? 16 : 0, high = at.i.aux >= 2 ? 16 : 0;
    return {{(a.value >> low & 0xffff) | (b.value >> high & 0xffff) << 16,
             (a.undefined >> low & 0xffff) | (b.undefined >> high & 0xffff) << 16}};
  }
  case Rule::carried: return {carried(undefined, width)};
  default: return {any(undefined, width)};
  }
}

uint64_t old_value(const At& at, unsigned slot, unsigned dwords) {
  return dwords == 2 ? at.registers.undefined_pair(slot) : at.registers.undefined(slot);
}

void saveexec(const At& at, isa::MaskOp op, const Source& s) {
  const Bits exec = defined(at.exec), a = s;
  Bits r;
  using enum isa::MaskOp;
  switch (op) {
  case none: break;
  case and_: r = both(a, exec); break;
  case andn1: r = both(inverted(a, 64), exec); break;
  case andn2: r = both(a, inverted(exec, 64)); break;
  case or_: r = either(a, exec); break;
  case orn1: r = either(inverted(a, 64), exec); break;
  case orn2: r = either(a, inverted(exec, 64)); break;
  case xor_: r = differ(a, exec); break;
  case xnor: r = inverted(differ(a, exec), 64); break;
  case nand: r = inverted(both(a, exec), 64); break;
  case nor: r = inverted(either(a, exec), 64); break;
  }
  write_exec(at, r.undefined, s.origin);
  write_scalar(at, at.i.in->dst, 2, 0, {}); // EXEC, of before or as it is now
  at.registers.set(slot::scc, 0);
}

void judge_flow(const At& at, const isa::Flow& flow) {
  const auto tell = [&](unsigned slot) {
    at.judge.tell(Matter::branch, at.wave, at.i.pc, slot, -1, 1, at.origin(slot));
  };
  Registers& r = at.registers;
  if (flow.kind == isa::FlowKind::branch) {
    if ((flow.condition == isa::Condition::scc0 || flow.condition == isa::Condition::scc1) && r.undefined(slot::scc)) {
      tell(slot::scc);
      r.set(slot::scc, 0);
    }
    if (flow.condition == isa::Condition::vccz || flow.condition == isa::Condition::vccnz)
      if (unsure_if_zero({at.wave.vcc(), r.undefined_pair(slot::vcc)})) {
        tell(r.undefined(slot::vcc) ? slot::vcc : slot::vcc + 1u);
        r.set_pair(slot::vcc, 0);
      }
    return;
  }
  const uint16_t c = flow.kind == isa::FlowKind::fork ? at.i.in->src[0] : flow.address;
  if (flow.kind != isa::FlowKind::next && isa::is_scalar_register(c) && r.undefined_pair(c)) {
    tell(r.undefined(c) ? c : c + 1u);
    r.set_pair(c, 0);
  }
}

// s_movrel*: M0 is added to the number; what lies beyond SGPRs is the first of them, or nobody.
unsigned moved(const At& at, unsigned slot) {
  const uint64_t n = uint64_t(slot) + at.wave.s[isa::code::m0];
  return n < isa::code::flat_scratch ? unsigned(n) : slot::end;
}
void move_relative(const At& at) {
  const isa::Instruction& in = *at.i.in;
  const bool wide = isa::row(in.op).dst == isa::Type::B64;
  const bool from = isa::has(isa::row(in.op).implicit, isa::Implicit::src_rel);
  Registers& r = at.registers;
  if (r.undefined(slot::m0)) {
    at.judge.tell(Matter::address, at.wave, at.i.pc, slot::m0, -1, 1, at.origin(slot::m0));
    r.set(slot::m0, 0);
  }
  unsigned to = in.dst, of = in.src[0];
  if (from && (of = moved(at, of)) == slot::end)
    of = 0;
  if (!from && (to = moved(at, to)) == slot::end)
    return;
  uint64_t undefined = 0;
  Origin origin{};
  if (isa::is_scalar_register(uint16_t(of))) {
    undefined = wide ? r.undefined_pair(of) : r.undefined(of);
    if (undefined)
      origin = at.origin(uint32_t(undefined) ? of : of + 1);
  }
  write_scalar(at, to, wide ? 2 : 1, undefined, origin);
}

} // namespace

void write_exec(const At& at, uint64_t undefined, const Origin& origin) {
  undefined &= at.wave.launched; // nobody is in the others
  if (undefined)
    at.judge.tell(Matter::exec, at.wave, at.i.pc, slot::exec + (uint32_t(undefined) ? 0u : 1u),
                  std::countr_zero(undefined), uint64_t(std::popcount(undefined)), origin);
}

void write_scalar(const At& at, unsigned first, unsigned dwords, uint64_t undefined, const Origin& origin) {
  if (first == slot::exec || first == slot::exec + 1u)
    return write_exec(at, first == slot::exec ? undefined : undefined << 32, origin);
  for (unsigned n = 0; n < dwords && first + n < slot::exec; ++n) {
    at.registers.set(first + n, uint32_t(undefined >> 32 * n));
    at.registers.origin(first + n) = origin;
  }
}

void follow_scalar(const At& at) {
  const isa::Instruction& in = *at.i.in;
  const isa::Row& row = isa::row(in.op);
  Registers& r = at.registers;
  if (const isa::Flow flow = isa::flow(in); flow.kind != isa::FlowKind::next) {
    judge_flow(at, flow);
    if (isa::is_scalar_register(in.dst))
      write_scalar(at, in.dst, unsigned(isa::dwords(row.dst)), 0, {});
    return;
  }
  if (row.encoding == isa::Encoding::SOPP) {
    if (isa::unit(in) == isa::Unit::message && (in.imm & 15) == message_interrupt && r.undefined(slot::m0)) {
      at.judge.tell(Matter::message, at.wave, at.i.pc, slot::m0, -1, 1, at.origin(slot::m0));
      r.set(slot::m0, 0);
    }
    return;
  }
  if (isa::has(row.implicit, isa::Implicit::src_rel) || isa::has(row.implicit, isa::Implicit::dst_rel))
    return move_relative(at);
  const Source a = source(at, 0), b = source(at, 1);
  if (const isa::MaskOp mask = isa::exec_mask_op(in.op); mask != isa::MaskOp::none)
    return saveexec(at, mask, a);
  if (isa::has(row.implicit, isa::Implicit::m0_w)) { // VGPR indexing: the index
    r.set(slot::m0, (r.undefined(slot::m0) & ~0xf0ffu) | (uint32_t(a.undefined) & 0xff));
    r.origin(slot::m0) = a.origin;
    return;
  }
  const unsigned dwords = unsigned(isa::dwords(row.dst)), width = dwords == 2 ? 64 : 32;
  const bool reads_scc = isa::has(row.implicit, isa::Implicit::scc_r);
  const bool keeps = isa::has(row.implicit, isa::Implicit::dst_r);
  const uint32_t scc = reads_scc ? r.undefined(slot::scc) : 0;
  const uint64_t old = keeps ? old_value(at, in.dst, dwords) : 0;
  Origin origin = a.undefined ? a.origin : b.origin;
  if (!(a.undefined | b.undefined) && old)
    origin = at.origin(uint32_t(old) ? in.dst : in.dst + 1u);
  if (!(a.undefined | b.undefined | old) && scc)
    origin = at.origin(slot::scc);

  Result result = computed(at, a, b, width);
  bool unsure = (a.undefined | b.undefined | scc) != 0; // SCC, if it is written
  if (keeps && reads_scc) {                             // s_cmov
    const Bits was{dwords == 2 ? at.wave.pair(in.dst) : at.wave.s[in.dst], old};
    static_cast<Bits&>(result) = selected({at.wave.scc ? ones(width) : 0, scc ? ones(width) : 0}, was, result);
  } else if (at.i.rule == Rule::set_bit) {
    if (a.undefined & (width - 1))
      result.undefined = ones(width);
    else
      result.undefined = old & ~(uint64_t(1) << (a.value & (width - 1)));
  } else if (keeps) { // s_addk, s_mulk
    result.undefined = carried(old, width).undefined, unsure = old != 0;
  } else if (reads_scc && at.i.rule != Rule::choose && scc) { // s_addc, s_subb
    result.undefined = ones(width);
  }
  if (at.i.rule == Rule::equal)
    unsure = unsure_if_equal(a, b);
  else if (at.i.rule == Rule::test)
    unsure = b.undefined & 63 ? true : a.undefined >> (b.value & (isa::dwords(row.src[0]) == 2 ? 63 : 31)) & 1;
  else if (result.by_zero)
    unsure = unsure_if_zero(result);

  if (isa::is_scalar_register(in.dst) && dwords)
    write_scalar(at, in.dst, dwords, result.undefined, origin);
  if (isa::has(row.implicit, isa::Implicit::scc_w)) {
    r.set(slot::scc, unsure);
    r.origin(slot::scc) = origin;
  }
}

} // namespace crosslane::check::init
