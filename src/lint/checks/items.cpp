// What instructions make of item values, and what is asked of them.
#include "lint/checks/items.h"
#include "isa/flow.h"
#include "isa/inline_constant.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::lint {

namespace {

using isa::Op;

// Plain arithmetic of up to three dwords.
enum class Sum : uint8_t {
  none,
  copy,
  add,
  sub,
  rsub,
  and_,
  or_,
  xor_,
  shl,
  rshl,
  shr,
  rshr,
  sar,
  rsar,
  mul,
  mul24,
  field,
  shl_add,
  add_shl,
  shl_or,
  and_or,
  or3,
  add3,
  mad24
};

Sum sum_of(Op op) {
  switch (op) {
  case Op::v_mov_b32:
  case Op::s_mov_b32: return Sum::copy;
  case Op::v_add_u32:
  case Op::v_add_co_u32:
  case Op::s_add_u32:
  case Op::s_add_i32: return Sum::add;
  case Op::v_sub_u32:
  case Op::v_sub_co_u32:
  case Op::s_sub_u32:
  case Op::s_sub_i32: return Sum::sub;
  case Op::v_subrev_u32:
  case Op::v_subrev_co_u32: return Sum::rsub;
  case Op::v_and_b32:
  case Op::s_and_b32: return Sum::and_;
  case Op::v_or_b32:
  case Op::s_or_b32: return Sum::or_;
  case Op::v_xor_b32:
  case Op::s_xor_b32: return Sum::xor_;
  case Op::v_lshl_b32:
  case Op::s_lshl_b32: return Sum::shl;
  case Op::v_lshlrev_b32: return Sum::rshl;
  case Op::v_lshr_b32:
  case Op::s_lshr_b32: return Sum::shr;
  case Op::v_lshrrev_b32: return Sum::rshr;
  case Op::s_ashr_i32: return Sum::sar;
  case Op::v_ashrrev_i32: return Sum::rsar;
  case Op::v_mul_lo_u32:
  case Op::s_mul_i32: return Sum::mul;
  case Op::v_mul_u32_u24: return Sum::mul24;
  case Op::v_bfe_u32: return Sum::field;
  case Op::v_lshl_add_u32: return Sum::shl_add;
  case Op::v_add_lshl_u32: return Sum::add_shl;
  case Op::v_lshl_or_b32: return Sum::shl_or;
  case Op::v_and_or_b32: return Sum::and_or;
  case Op::v_or3_b32: return Sum::or3;
  case Op::v_add3_u32: return Sum::add3;
  case Op::v_mad_u32_u24: return Sum::mad24;
  default: return Sum::none;
  }
}

constexpr uint32_t low24(uint32_t a) { return a & 0xffffff; }

uint32_t work_out(Sum sum, uint32_t a, uint32_t b, uint32_t c) {
  switch (sum) {
  case Sum::none: break;
  case Sum::copy: return a;
  case Sum::add: return a + b;
  case Sum::sub: return a - b;
  case Sum::rsub: return b - a;
  case Sum::and_: return a & b;
  case Sum::or_: return a | b;
  case Sum::xor_: return a ^ b;
  case Sum::shl: return a << (b & 31);
  case Sum::rshl: return b << (a & 31);
  case Sum::shr: return a >> (b & 31);
  case Sum::rshr: return b >> (a & 31);
  case Sum::sar: return uint32_t(int32_t(a) >> (b & 31));
  case Sum::rsar: return uint32_t(int32_t(b) >> (a & 31));
  case Sum::mul: return a * b;
  case Sum::mul24: return low24(a) * low24(b);
  case Sum::field: return a >> (b & 31) & ((1u << (c & 31)) - 1);
  case Sum::shl_add: return (a << (b & 31)) + c;
  case Sum::add_shl: return (a + b) << (c & 31);
  case Sum::shl_or: return a << (b & 31) | c;
  case Sum::and_or: return (a & b) | c;
  case Sum::or3: return a | b | c;
  case Sum::add3: return a + b + c;
  case Sum::mad24: return low24(a) * low24(b) + c;
  }
  return 0;
}

enum class Test : uint8_t { none, lt, le, gt, ge, eq, ne };
struct Comparison {
  Test test = Test::none;
  bool is_signed = false;
};

Comparison comparison_of(Op op) {
  switch (op) {
#define ALIKE(NAME, V, S)                                                                                              \
  case Op::v_cmp_##V##_u32:                                                                                            \
  case Op::s_cmp_##S##_u32: return {Test::NAME, false};                                                                \
  case Op::v_cmp_##V##_i32:                                                                                            \
  case Op::s_cmp_##S##_i32: return {Test::NAME, true};
    ALIKE(lt, lt, lt)
    ALIKE(le, le, le)
    ALIKE(gt, gt, gt)
    ALIKE(ge, ge, ge)
    ALIKE(eq, eq, eq)
    ALIKE(ne, ne, lg)
#undef ALIKE
  default: return {};
  }
}

bool holds(Comparison c, uint32_t a, uint32_t b) {
  if (c.is_signed)
    a ^= 0x80000000u, b ^= 0x80000000u;
  switch (c.test) {
  case Test::none: break;
  case Test::lt: return a < b;
  case Test::le: return a <= b;
  case Test::gt: return a > b;
  case Test::ge: return a >= b;
  case Test::eq: return a == b;
  case Test::ne: return a != b;
  }
  return false;
}

// Of masks, bit by bit.
enum class Bits : uint8_t { none, copy, and_, or_, xor_, and_not };
struct MaskStep {
  Bits bits = Bits::none;
  bool saves = false; // EXEC is a source and gets the result, the destination has what it was
};

MaskStep mask_step_of(Op op) {
  switch (op) {
  case Op::s_mov_b64: return {Bits::copy};
  case Op::s_and_b64: return {Bits::and_};
  case Op::s_or_b64: return {Bits::or_};
  case Op::s_xor_b64: return {Bits::xor_};
  case Op::s_andn2_b64: return {Bits::and_not};
  case Op::s_and_saveexec_b64: return {Bits::and_, true};
  case Op::s_or_saveexec_b64: return {Bits::or_, true};
  case Op::s_xor_saveexec_b64: return {Bits::xor_, true};
  case Op::s_andn2_saveexec_b64: return {Bits::and_not, true}; // its source without EXEC
  default: return {};
  }
}

uint32_t combined(Bits bits, uint32_t a, uint32_t b) {
  switch (bits) {
  case Bits::none:
  case Bits::copy: return a;
  case Bits::and_: return a & b;
  case Bits::or_: return a | b;
  case Bits::xor_: return a ^ b;
  case Bits::and_not: return a & ~b;
  }
  return 0;
}

// What names a function in ItemValues::made().
enum : uint32_t { sums = 0x000, tests = 0x100, masks = 0x200, other = 0x300 };
constexpr uint32_t key(uint32_t kind, auto which) { return kind + uint32_t(which); }
enum : uint32_t { both = other, either, only_first };

// What is asked of every instruction, by one look.
enum class Kind : uint8_t { other, sum, first_lane, compares, masks };

Kind kind_of(Op op) {
  static const auto kinds = [] {
    std::array<Kind, size_t(Op::count)> all{};
    for (size_t n = 0; n < all.size(); ++n) {
      const Op o = Op(n);
      all[n] = o == Op::v_readfirstlane_b32                    ? Kind::first_lane
               : o == Op::s_movk_i32 || sum_of(o) != Sum::none ? Kind::sum
               : comparison_of(o).test != Test::none           ? Kind::compares
               : mask_step_of(o).bits != Bits::none            ? Kind::masks
                                                               : Kind::other;
    }
    return all;
  }();
  return kinds[size_t(op)];
}

bool is_plain(const isa::Instruction& in) {
  return (in.form == isa::Form::base || in.form == isa::Form::vop3) && !in.neg && !in.abs && !in.op_sel && !in.omod &&
         !in.clamp;
}

bool is_exec(uint16_t code) { return code == isa::code::exec; }

} // namespace

void Items::part(const Steps& steps, bool) {
  watched_ = false;
  if (steps.all().empty())
    return;
  const Launch& launch = launches_.of(steps.all().front().block);
  uint32_t size[3] = {};
  for (const codeobject::Kernel* kernel : launch.kernels) {
    if (kernel != launch.kernels.front() && !std::ranges::equal(kernel->reqd_workgroup_size, size)) {
      size[0] = 0;
      break;
    }
    std::ranges::copy(kernel->reqd_workgroup_size, size);
  }
  values_.begin(size);
  watched_ = !subject_.graph.indexes_vgprs && std::ranges::any_of(steps.all(), [&](const Step& s) {
    return s.facts.unit == isa::Unit::lds || (s.op() == Op::s_barrier && values_.items() > wave_size);
  });
}

Items::State Items::enter(const analysis::Function& function) {
  State s;
  if (!function.kernel || function.address_taken)
    return s; // with whichever lanes
  s.exec = s.here = ItemValues::all;
  // Which value a number is, part() says before the part is walked.
  const Launch& launch = launches_.of(function.block);
  uint32_t ids = 3;
  bool sized = !launch.kernels.empty(), flat = true;
  for (const codeobject::Kernel* kernel : launch.kernels) {
    ids = std::min(ids, kernel->descriptor.enable_vgpr_workitem_id() + 1u);
    sized = sized && kernel->reqd_workgroup_size[0];
    flat = flat && kernel->reqd_workgroup_size[1] == 1 && kernel->reqd_workgroup_size[2] == 1;
  }
  if (!sized)
    return s;
  if (subject_.generation() >= isa::Generation::gfx90a) {
    if (flat || ids == 3) // of ids that are not asked for nobody says what is there, but 0 is all that they can be
      s.put({.slot = slot::vgpr, .value = ItemValues::packed});
    return s;
  }
  constexpr Id by_axis[] = {ItemValues::x, ItemValues::y, ItemValues::z};
  for (uint32_t n = 0; n < std::min(ids, 3u); ++n)
    s.put({.slot = uint16_t(slot::vgpr + n), .value = by_axis[n]});
  return s;
}

Items::Id Items::source(const State& s, const isa::Instruction& in, int n) const {
  const uint16_t code = in.src[n];
  if (const auto value = isa::constant_source(in, code, isa::Type::B32))
    return values_.constant(uint32_t(*value));
  const bool vector = isa::is_vgpr(code);
  if (!vector && code >= isa::code::exec)
    return ItemValues::unknown;
  const auto* one = s.find(vector ? uint16_t(slot::vgpr + code - isa::code::vgpr0) : code, false);
  return one ? one->value : ItemValues::unknown;
}

Items::Id Items::source_mask(const State& s, uint16_t code) const {
  if (is_exec(code))
    return s.exec;
  if (code == isa::code::inline_int0)
    return values_.constant(0);
  if (code == isa::code::inline_int0 + 65) // -1
    return ItemValues::all;
  const auto* one = code < isa::code::exec ? s.find(code, true) : nullptr;
  return one ? one->value : ItemValues::unknown;
}

// What v_readfirstlane has of it: of the first item of each wave that is on.
Items::Id Items::first_of_waves(const State& s, Id value) const {
  if (!value || !s.exec)
    return ItemValues::unknown;
  const auto from = values_[value], on = values_[s.exec];
  std::vector<uint32_t> firsts(values_.items());
  const bool lacks = values_.any_wave([&](uint32_t first, uint32_t end) {
    uint32_t n = first;
    while (n < end && !on[n])
      ++n;
    std::fill(firsts.begin() + first, firsts.begin() + end, n < end ? from[n] : 0);
    return n == end;
  });
  return lacks ? ItemValues::unknown : values_.of(firsts);
}

Items::Made Items::evaluate(const State& s, const Step& step) const {
  const isa::Instruction& in = *step.instruction;
  if (!is_plain(in) && in.encoding >= isa::Encoding::VOP1 && in.encoding <= isa::Encoding::VOP3P)
    return {};
  const auto dst = [&] { return isa::is_vgpr(in.dst) ? uint16_t(slot::vgpr + in.dst - isa::code::vgpr0) : in.dst; };
  if (in.op == Op::v_readfirstlane_b32)
    return {.slot = dst(), .value = first_of_waves(s, source(s, in, 0))};
  if (in.op == Op::s_movk_i32)
    return {.slot = dst(), .value = values_.constant(uint32_t(in.imm))};
  if (const Sum sum = sum_of(in.op); sum != Sum::none) {
    const Id a = source(s, in, 0);
    if (sum == Sum::copy)
      return {.slot = dst(), .value = a};
    if (!a)
      return {};
    const Id b = source(s, in, 1), c = in.src[2] == isa::code::none ? Id(ItemValues::all) : source(s, in, 2);
    return {.slot = dst(), .value = values_.made(key(sums, sum), a, b, c, [&](uint32_t u, uint32_t v, uint32_t w) {
              return work_out(sum, u, v, w);
            })};
  }
  if (const Comparison test = comparison_of(in.op); test.test != Test::none) {
    const bool scalar = in.encoding == isa::Encoding::SOPC;
    const Id a = source(s, in, 0), b = a ? source(s, in, 1) : Id(0), on = scalar ? Id(ItemValues::all) : s.exec;
    const Id value = values_.made(key(tests + (test.is_signed ? 16 : 0), test.test), a, b, on,
                                  [&](uint32_t u, uint32_t v, uint32_t w) { return uint32_t(holds(test, u, v) && w); });
    return {.slot = scalar ? uint16_t(slot::scc) : in.dst, .value = value, .mask = !scalar, .compares = true};
  }
  const MaskStep m = mask_step_of(in.op);
  if (m.bits == Bits::none)
    return {};
  const Id a = source_mask(s, in.src[0]);
  const Id b = m.bits == Bits::copy ? Id(ItemValues::all) : m.saves ? s.exec : source_mask(s, in.src[1]);
  Id value = values_.made(key(masks, m.bits), a, b, ItemValues::all,
                          [&](uint32_t u, uint32_t v, uint32_t) { return combined(m.bits, u, v); });
  if (m.bits == Bits::or_ && (a == ItemValues::all || b == ItemValues::all))
    value = ItemValues::all;
  return {.slot = in.dst, .value = value, .mask = true, .saved = m.saves ? s.exec : Id(0)};
}

bool Items::step(State& s, const Step& step) {
  if (!watched_)
    return false;
  const isa::Instruction& in = *step.instruction;
  const bool branch = step.facts.unit == isa::Unit::branch;
  const bool found = (branch && values_.counted() && goes_apart(s, taken(s, in))) ||
                     (step.facts.unit == isa::Unit::lds && lds_size_.may_go_beyond(s, values_, step));
  const bool to_exec = step.facts.writes_exec();
  const bool to_vgpr = has(step.facts.written, isa::hazards::Registers::vgpr);
  if (!to_exec && !to_vgpr && !step.facts.writes_scalar && step.facts.unit != isa::Unit::salu) // which may write SCC
    return found;
  const Kind kind = kind_of(in.op);
  const bool works_out = kind == Kind::sum || (kind != Kind::other && values_.counted());
  const Made made = works_out ? evaluate(s, step) : Made{};
  if (s.count)
    for (const Use& u : step.uses)
      if (u.written && s.may_hold(u.first, u.end()))
        s.keep_if([&](const KnownItems::One& one) { return !u.overlaps(one.slot, one.end()); });
  const bool saves = kind == Kind::masks && mask_step_of(in.op).saves;
  if (to_exec) {
    s.exec = saves || is_exec(made.slot) ? made.value : Id(0);
    if (!isa::narrows_exec(in)) // lanes that come back hold what they held before
      s.keep_if([](const KnownItems::One& one) { return !one.partial; });
  }
  if (saves) {
    if (made.saved)
      s.put({.slot = made.slot, .value = made.saved, .mask = true});
    return found;
  }
  if (!made.value || is_exec(made.slot) || (made.slot > slot::scc && made.slot < slot::vgpr))
    return found;
  s.put({.slot = made.slot,
         .value = made.value,
         .mask = made.mask,
         .partial = made.slot >= slot::vgpr && s.exec != ItemValues::all});
  if (made.compares)
    s.compared_pc = step.pc;
  return found;
}

bool Items::join(State& into, const State& from) {
  if (!watched_)
    return false;
  const uint8_t before = into.count;
  bool changed = false;
  into.keep_if([&](KnownItems::One& one) {
    const auto* other = from.find(one.slot, one.mask);
    if (!other || other->value != one.value)
      return false;
    changed |= other->partial && !one.partial;
    one.partial |= other->partial;
    return true;
  });
  changed |= into.count != before;
  if (into.exec && into.exec != from.exec)
    into.exec = 0, changed = true;
  const Id here = values_.made(either, into.here, from.here, ItemValues::all,
                               [](uint32_t a, uint32_t b, uint32_t) { return a | b; });
  changed |= here != into.here;
  into.here = here;
  return changed;
}

// Of each item, whether its wave takes the branch.
Items::Id Items::taken(const State& s, const isa::Instruction& in) const {
  const isa::Flow flow = isa::flow(in);
  if (flow.kind != isa::FlowKind::branch)
    return ItemValues::unknown;
  const auto by_waves = [&](Id mask, bool none) -> Id {
    if (!mask)
      return ItemValues::unknown;
    std::vector<uint32_t> taken(values_.items());
    const auto on = values_[mask];
    values_.any_wave([&](uint32_t first, uint32_t end) {
      const bool any = std::any_of(on.begin() + first, on.begin() + end, [](uint32_t v) { return v != 0; });
      std::fill(taken.begin() + first, taken.begin() + end, uint32_t(any != none));
      return false;
    });
    return values_.of(taken);
  };
  const auto* scc = s.find(slot::scc, false);
  switch (flow.condition) {
  case isa::Condition::execz: return by_waves(s.exec, true);
  case isa::Condition::execnz: return by_waves(s.exec, false);
  case isa::Condition::vccz: return by_waves(source_mask(s, slot::vcc), true);
  case isa::Condition::vccnz: return by_waves(source_mask(s, slot::vcc), false);
  case isa::Condition::scc0: return scc ? by_waves(scc->value, true) : Id(0);
  case isa::Condition::scc1: return scc ? by_waves(scc->value, false) : Id(0);
  default: return ItemValues::unknown;
  }
}

// Whether some waves that come here take it and others do not.
bool Items::goes_apart(const State& s, Id taken) const {
  if (!taken || !s.here)
    return false;
  const auto go = values_[taken], here = values_[s.here];
  bool some = false, none = false;
  for (uint32_t n = 0; n < values_.items(); ++n)
    if (here[n])
      (go[n] ? some : none) = true;
  return some && none;
}

bool Items::edge(State& s, const Step& last, const analysis::Edge& e) {
  if (!watched_ || !values_.counted() || !s.here || last.facts.unit != isa::Unit::branch)
    return true;
  const Id go = taken(s, *last.instruction);
  if (!goes_apart(s, go))
    return true;
  const bool taken = e.kind == analysis::EdgeKind::branch;
  s.here = values_.made(taken ? both : only_first, s.here, go, ItemValues::all,
                        [&](uint32_t a, uint32_t b, uint32_t) { return taken ? a & b : a & ~b; });
  return true;
}

void Items::report(const State& s, const Step& step) {
  if (!watched_)
    return;
  if (step.facts.unit == isa::Unit::lds)
    lds_size_.report(s, values_, step);
  else if (step.facts.unit == isa::Unit::branch && values_.counted() && goes_apart(s, taken(s, *step.instruction)))
    barriers_.goes_apart(step, s.compared_pc);
}

} // namespace crosslane::lint
