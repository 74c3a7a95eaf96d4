// Operations of lanes. Most lanes of most registers are defined, so that only those whose sources are not are looked
// at.
#include "analysis/part_code.h"
#include "check/init/bits.h"
#include "check/init/judge.h"
#include "cross_lane/control.h"
#include "isa/classify.h"
#include "isa/inline_constant.h"
#include "isa/shape.h"

namespace crosslane::check::init {

namespace {

constexpr uint32_t gpr_index_enabled = 1u << 27; // of MODE

// The lanes that each lane reads, with DPP.
struct Lanes {
  bool moved = false;
  bool zero = false; // where there is none to read: else nothing is written
  cross_lane::Sources from{};
  uint64_t there = ~uint64_t(0); // lanes that have one
};

struct Source {
  bool vector = false;
  unsigned slot = slot::end; // of a register
  unsigned dwords = 1;
  Bits scalar;                   // of what is no vector register
  unsigned first = 0, count = 0; // the part that is read, extended; count 0: all of it
  bool sign = false;
};

class Vector {
public:
  explicit Vector(const At& at)
      : at_(at), in_(*at.i.in), row_(isa::row(in_.op)), shape_(isa::shape(in_.op, isa::info(in_.target).generation)),
        r_(at.registers) {}

  void follow() {
    judge_index();
    switch (at_.i.rule) {
    case Rule::read_lane:
    case Rule::read_first: return read_lane();
    case Rule::write_lane: return write_lane();
    case Rule::swap: return swap();
    case Rule::lds_lanes: return lds_lanes();
    case Rule::matrix: return matrix();
    case Rule::other_: return;
    default: return compute();
    }
  }

private:
  bool indexes(unsigned bit) const {
    return at_.wave.mode & gpr_index_enabled && at_.wave.s[isa::code::m0] >> (12 + bit) & 1;
  }
  void judge_index() {
    if (!at_.i.dynamic || !r_.undefined(slot::m0))
      return;
    at_.judge.tell(Matter::address, at_.wave, at_.i.pc, slot::m0, -1, 1, at_.origin(slot::m0));
    r_.set(slot::m0, 0);
  }
  // A vector register's slot, as M0 moves it; slot::end: beyond the file.
  unsigned moved(uint16_t c, unsigned bit, isa::Implicit relative) const {
    const uint32_t m0 = at_.wave.s[isa::code::m0];
    if (!isa::is_vgpr(c))
      return c;
    uint64_t n = c;
    if (isa::has(row_.implicit, relative))
      n += m0;
    else if (indexes(bit))
      n += m0 & 0xff;
    return n < slot::accvgpr ? unsigned(n) : slot::end;
  }

  Source source(int n) const {
    const uint16_t c = in_.src[n];
    const bool mask = n == 2 && shape_.mask_source;
    const isa::Type type = mask ? isa::Type::Mask : shape_.k ? row_.dst : row_.src[n];
    Source s;
    s.dwords = unsigned(std::max(1, isa::dwords(type)));
    if (c >= isa::code::vgpr0 && c < slot::end) {
      s.vector = true;
      s.slot = moved(c, unsigned(n), n == 0 ? isa::Implicit::src_rel : isa::Implicit::none);
      if (s.slot == slot::end)
        s.slot = slot::vgpr;
    } else if (isa::is_scalar_register(c)) {
      s.slot = c;
      s.scalar = s.dwords >= 2 ? Bits{at_.wave.pair(c), r_.undefined_pair(c)} : Bits{at_.wave.s[c], r_.undefined(c)};
    } else if (c == isa::code::scc) {
      s.slot = slot::scc, s.scalar = {at_.wave.scc, r_.undefined(slot::scc)};
    } else if (const auto constant = c == isa::code::none ? std::nullopt : isa::constant_source(in_, c, type)) {
      s.scalar = defined(s.dwords == 2 ? *constant : uint32_t(*constant));
    }
    part(s, n, type);
    return s;
  }
  void part(Source& s, int n, isa::Type type) const {
    if (in_.form == isa::Form::sdwa && n < 2) {
      const isa::SdwaSel sel = n == 0 ? in_.src0_sel : in_.src1_sel;
      s.sign = in_.sext >> n & 1;
      if (sel <= isa::SdwaSel::byte3)
        s.first = 8 * unsigned(sel), s.count = 8;
      else if (sel != isa::SdwaSel::dword)
        s.first = sel == isa::SdwaSel::word1 ? 16 : 0, s.count = 16;
      return;
    }
    const bool high = in_.op_sel >> n & 1;
    if (isa::is_mixed(row_)) {
      if (in_.op_sel_hi >> n & 1)
        s.first = high ? 16 : 0, s.count = 16;
    } else if (isa::is_16bit(type)) {
      s.first = in_.form == isa::Form::vop3 && high && s.vector ? 16 : 0, s.count = 16;
    } else if (reads_24_bits() && n < 2) {
      s.count = 24;
    }
  }
  bool reads_24_bits() const {
    using enum isa::Op;
    const isa::Op op = in_.op;
    return op == v_mul_u32_u24 || op == v_mul_i32_i24 || op == v_mul_hi_u32_u24 || op == v_mul_hi_i32_i24 ||
           op == v_mad_u32_u24 || op == v_mad_i32_i24;
  }

  const uint32_t* values(unsigned slot) const {
    const unsigned n = slot < slot::accvgpr ? slot - slot::vgpr : slot - slot::accvgpr + machine::max_vgprs;
    return const_cast<machine::Wave&>(at_.wave).vgpr(n);
  }
  Bits value(const Source& s, int lane) const {
    Bits b = s.scalar;
    if (s.vector) {
      b = {values(s.slot)[lane], r_.undefined(s.slot, lane)};
      if (s.dwords >= 2 && s.slot + 1 < slot::end)
        b.value |= uint64_t(values(s.slot + 1)[lane]) << 32, b.undefined |= uint64_t(r_.undefined(s.slot + 1, lane))
                                                                            << 32;
    }
    return s.count ? field(b, s.first, s.count, s.sign, 32) : b;
  }
  // Lanes in which any of it is undefined.
  uint64_t undefined_lanes(const Source& s) const {
    if (!s.vector)
      return s.scalar.undefined ? ~uint64_t(0) : 0;
    uint64_t lanes = 0;
    for (unsigned n = s.slot; n < s.slot + s.dwords && n < slot::end; ++n)
      lanes |= r_.lanes(n);
    return lanes;
  }
  Origin origin(const Source& s) const {
    if (s.slot == slot::end)
      return {};
    for (unsigned n = s.slot; n < s.slot + s.dwords && n < slot::end; ++n)
      if (holds(r_.dirty(), n))
        return at_.origin(n);
    return {};
  }

  Lanes lanes() const {
    Lanes l;
    if (in_.form != isa::Form::dpp)
      return l;
    l.moved = true, l.zero = in_.bound_ctrl, l.from = cross_lane::dpp_sources(in_.dpp_ctrl), l.there = 0;
    for (int n = 0; n < machine::lanes_per_wave; ++n)
      if (const int from = l.from[size_t(n)]; from != cross_lane::no_lane && at_.exec >> from & 1)
        l.there |= uint64_t(1) << n;
    return l;
  }
  uint64_t written_lanes(const Lanes& l) const {
    if (!l.moved)
      return at_.exec;
    uint64_t lanes = at_.exec & (l.zero ? ~uint64_t(0) : l.there);
    for (int n = 0; n < machine::lanes_per_wave; ++n)
      if (!(in_.row_mask >> n / 16 & 1) || !(in_.bank_mask >> n % 16 / 4 & 1))
        lanes &= ~(uint64_t(1) << n);
    return lanes;
  }

  const isa::Operand* written(isa::Role role) const {
    for (const isa::Operand& o : at_.i.operands)
      if (o.role == role && o.written)
        return &o;
    return nullptr;
  }
  // What VCC decides without being a source.
  uint64_t implicit_vcc() const {
    for (const isa::Operand& o : at_.i.operands)
      if (o.role == isa::Role::implicit && o.read && o.file == isa::RegisterFile::scalar && o.first == slot::vcc)
        return r_.undefined_pair(slot::vcc);
    return 0;
  }

  void compute() {
    const Lanes l = lanes();
    const Source s[3] = {source(0), source(1), source(2)};
    const uint64_t mask = shape_.mask_source ? s[2].scalar.undefined : implicit_vcc();
    const bool cancels = in_.src[0] == in_.src[1] && in_.src[0] != isa::code::none && !l.moved && cancel();
    uint64_t touched = mask;
    Origin from{};
    for (int n = 0; n < 3; ++n) {
      if ((n == 2 && shape_.mask_source) || (cancels && n < 2))
        continue;
      uint64_t lanes = undefined_lanes(s[n]);
      if (lanes && n == 0 && l.moved)
        lanes = permuted(lanes, l);
      if (lanes & at_.exec && from.kind == Origin::Kind::none)
        from = origin(s[n]);
      touched |= lanes;
    }
    if (mask && from.kind == Origin::Kind::none)
      from = shape_.mask_source ? origin(s[2]) : origin({.slot = slot::vcc, .dwords = 2});
    const isa::Operand* d = written(isa::Role::dst);
    const unsigned to = d && in_.dst >= isa::code::vgpr0 ? moved(in_.dst, 3, isa::Implicit::dst_rel) : slot::end;
    const bool accumulates = d && d->read && to != slot::end;
    if (accumulates)
      for (unsigned n = to; n < to + d->dwords; ++n) {
        touched |= r_.lanes(n);
        if (r_.lanes(n) & at_.exec && from.kind == Origin::Kind::none)
          from = at_.origin(n);
      }
    touched &= at_.exec;

    std::array<std::array<uint32_t, 4>, machine::lanes_per_wave> result;
    uint64_t carries = 0;
    for (uint64_t left = touched; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const int other = l.moved ? (l.there >> lane & 1 ? l.from[size_t(lane)] : -1) : lane;
      const Bits a = cancels     ? Bits()
                     : other < 0 ? Bits()
                                 : value(s[0], other),
                 b = cancels ? Bits() : value(s[1], lane),
                 c = shape_.mask_source ? Bits{s[2].scalar.value >> lane & 1, s[2].scalar.undefined >> lane & 1}
                                        : value(s[2], lane);
      const uint32_t old = accumulates ? r_.undefined(to, lane) : 0;
      result[size_t(lane)] = undefined(a, b, c, old, mask >> lane & 1, accumulates ? to : slot::end, s, other, lane);
      if ((a.undefined | b.undefined | c.undefined) || mask >> lane & 1)
        carries |= uint64_t(1) << lane;
    }
    if (d && to != slot::end)
      write(*d, to, written_lanes(l), touched, result, from);
    if (d && isa::is_scalar_register(in_.dst)) // a compare
      compare(touched, result, from);
    if (isa::has(row_.implicit, isa::Implicit::exec_w))
      write_exec(at_, condition(touched, result), from);
    if (isa::is_scalar_register(in_.sdst))
      write_scalar(at_, in_.sdst, 2, carries, from);
  }

  // The same whatever is in the register that is both sources.
  bool cancel() const {
    using enum isa::Op;
    switch (in_.op) {
    case v_xor_b32:
    case v_xnor_b32:
    case v_sub_u32:
    case v_subrev_u32:
    case v_sub_co_u32:
    case v_subrev_co_u32: return in_.form != isa::Form::sdwa;
    default: return false;
    }
  }

  static uint64_t permuted(uint64_t lanes, const Lanes& l) {
    uint64_t to = 0;
    for (uint64_t left = l.there; left; left &= left - 1)
      if (const int n = std::countr_zero(left); lanes >> l.from[size_t(n)] & 1)
        to |= uint64_t(1) << n;
    return to;
  }

  uint64_t condition(uint64_t touched, const auto& result) const {
    uint64_t bits = 0;
    for (uint64_t left = touched; left; left &= left - 1)
      if (const int lane = std::countr_zero(left); result[size_t(lane)][0])
        bits |= uint64_t(1) << lane;
    return bits;
  }
  void compare(uint64_t touched, const auto& result, const Origin& from) {
    write_scalar(at_, in_.dst, 2, condition(touched, result), from);
  }

  // Undefined bits of a lane's result, before it is put into its place.
  std::array<uint32_t, 4> undefined(Bits a, Bits b, Bits c, uint32_t old, bool mask, unsigned accumulator,
                                    const Source (&s)[3], int other, int lane) const {
    const isa::Type type = row_.dst;
    const unsigned width = isa::is_16bit(type) ? 16 : isa::dwords(type) == 2 ? 64 : 32;
    if (at_.i.rule == Rule::halves)
      return halves(s, other, lane, accumulator);
    if (at_.i.rule == Rule::move_pair)
      return {uint32_t(a.undefined >> (in_.op_sel & 1 ? 32 : 0)), uint32_t(b.undefined >> (in_.op_sel & 2 ? 32 : 0))};
    uint64_t u = 0;
    const uint64_t all = a.undefined | b.undefined | c.undefined | old | uint64_t(mask);
    const Bits &amount = at_.i.reversed ? a : b, &shifted = at_.i.reversed ? b : a;
    switch (at_.i.rule) {
    case Rule::copy: u = a.undefined; break;
    case Rule::inverted: u = a.undefined; break;
    case Rule::both: u = both(a, b).undefined; break;
    case Rule::either: u = either(a, b).undefined; break;
    case Rule::differ: u = a.undefined | b.undefined; break;
    case Rule::either_both: u = either(both(a, b), c).undefined; break;
    case Rule::either3: u = either(either(a, b), c).undefined; break;
    case Rule::either_left: u = either(shifted_left(a, b, 32), c).undefined; break;
    case Rule::bit_select: u = selected(a, c, b).undefined; break;
    case Rule::left: u = shifted_left(shifted, amount, width).undefined; break;
    case Rule::right: u = shifted_right(shifted, amount, width).undefined; break;
    case Rule::arithmetic: u = shifted_arithmetically(shifted, amount, width).undefined; break;
    case Rule::reversed: u = reversed(a, 32).undefined; break;
    case Rule::field:
      u = (b.undefined | c.undefined) & 31
              ? ones(32)
              : field(a, b.value & 31, c.value & 31, in_.op == isa::Op::v_bfe_i32, 32).undefined;
      break;
    case Rule::perm: u = picked(a, b, c).undefined; break;
    case Rule::align_bit:
    case Rule::align_byte: {
      const unsigned unit = at_.i.rule == Rule::align_bit ? 1 : 8, most = 32 / unit - 1;
      u = c.undefined & most ? ones(32) : uint32_t((a.undefined << 32 | b.undefined) >> (c.value & most) * unit);
      break;
    }
    case Rule::byte: u = a.undefined >> 8 * at_.i.aux & 0xff ? ones(32) : 0; break;
    case Rule::choose: u = selected({c.value ? ones(32) : 0, c.undefined ? ones(32) : 0}, a, b).undefined; break;
    case Rule::equal: u = unsure_if_equal(a, b); break;
    case Rule::pack: {
      const bool moves = in_.op == isa::Op::v_pack_b32_f16;
      u = (moves ? a.undefined & 0xffff : any(a.undefined, 16).undefined) |
          (moves ? b.undefined & 0xffff : any(b.undefined, 16).undefined) << 16;
      break;
    }
    case Rule::carried: u = carried(all, width).undefined; break;
    default:
      if (isa::dwords(type) > 2)
        return all ? std::array{~0u, ~0u, ~0u, ~0u} : std::array<uint32_t, 4>{};
      u = any(all, width).undefined;
    }
    return {uint32_t(u), uint32_t(u >> 32)};
  }

  // Each half, or dword, of a packed pair by itself.
  std::array<uint32_t, 4> halves(const Source (&s)[3], int other, int lane, unsigned accumulator) const {
    std::array<uint32_t, 4> result{};
    const bool wide = isa::dwords(row_.dst) == 2, chooses = row_.encoding == isa::Encoding::VOP3P;
    const unsigned width = wide ? 32 : 16;
    for (unsigned half = 0; half < 2; ++half) {
      uint64_t u = 0;
      for (unsigned n = 0; n < 3; ++n) {
        const int of = n == 0 ? other : lane;
        if (in_.src[n] == isa::code::none || of < 0)
          continue;
        const bool high = chooses ? (half ? in_.op_sel_hi : in_.op_sel) >> n & 1 : half;
        u |= value(s[n], of).undefined >> (high ? width : 0) & ones(width);
      }
      if (accumulator != slot::end)
        u |= r_.undefined(accumulator, lane) >> (half ? 16 : 0) & 0xffff;
      if (!u)
        continue;
      if (wide)
        result[half] = ~0u;
      else
        result[0] |= 0xffffu << 16 * half;
    }
    return result;
  }

  void write(const isa::Operand& d, unsigned to, uint64_t lanes, uint64_t touched, const auto& result,
             const Origin& from) {
    const bool part = d.partial && d.bits != ~0u;
    uint32_t field = part ? d.bits : ~0u;
    bool sign = false;
    if (!part && in_.form == isa::Form::sdwa && in_.dst_sel != isa::SdwaSel::dword) { // the rest is 0, or the sign
      const auto sel = unsigned(in_.dst_sel);
      field = sel < 4 ? 0xffu << 8 * sel : sel == 4 ? 0xffffu : 0xffff0000u;
      sign = in_.dst_unused == isa::SdwaUnused::sext;
    }
    const int shift = std::countr_zero(field);
    for (unsigned n = 0; n < d.dwords && to + n < slot::end; ++n) {
      const unsigned slot = to + n;
      if (!part)
        r_.define(slot, lanes & ~touched);
      // Of defined lanes, those whose old value counts.
      for (uint64_t left = part && holds(r_.dirty(), slot) ? lanes : lanes & touched; left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const uint32_t raw = touched >> lane & 1 ? result[size_t(lane)][std::min(n, 3u)] : 0;
        uint32_t u = raw << shift & field;
        if (part)
          u |= r_.undefined(slot, lane) & ~field;
        if (sign && u >> (31 - std::countl_zero(field)) & 1)
          u |= ~field & ~((1u << shift) - 1);
        r_.set(slot, lane, u);
      }
      if (touched && holds(r_.dirty(), slot) && from.kind != Origin::Kind::none)
        r_.origin(slot) = from;
    }
  }

  void read_lane() {
    const Source s = source(0), by = source(1);
    const int lane =
        at_.i.rule == Rule::read_first ? (at_.exec ? std::countr_zero(at_.exec) : 0) : int(by.scalar.value & 63);
    uint32_t u = s.vector ? r_.undefined(s.slot, lane) : uint32_t(s.scalar.undefined);
    Origin from = u ? origin(s) : Origin();
    if (at_.i.rule == Rule::read_lane && by.scalar.undefined & 63 && !u && s.vector)
      u = ~0u, from = origin(by);
    if (isa::is_scalar_register(in_.dst))
      write_scalar(at_, in_.dst, 1, u, from);
  }
  void write_lane() {
    const Source s = source(0), by = source(1);
    const unsigned to = moved(in_.dst, 3, isa::Implicit::none);
    if (to == slot::end || by.scalar.undefined & 63)
      return;
    const auto u = uint32_t(s.scalar.undefined);
    const bool dirty = holds(r_.dirty(), to);
    r_.set(to, int(by.scalar.value & 63), u);
    if (u && !dirty)
      r_.origin(to) = origin(s);
  }
  void swap() {
    const unsigned a = in_.dst, b = in_.src[0];
    const bool dirty_a = holds(r_.dirty(), a), dirty_b = holds(r_.dirty(), b);
    const Origin of_a = dirty_a ? at_.origin(a) : Origin(), of_b = dirty_b ? at_.origin(b) : Origin();
    for (uint64_t left = at_.exec & (r_.lanes(a) | r_.lanes(b)); left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint32_t was = r_.undefined(a, lane);
      r_.set(a, lane, r_.undefined(b, lane)), r_.set(b, lane, was);
    }
    if (dirty_b && holds(r_.dirty(), a))
      r_.origin(a) = of_b;
    if (dirty_a && holds(r_.dirty(), b))
      r_.origin(b) = of_a;
  }

  // Lanes that are off give 0.
  void lds_lanes() {
    const bool swizzle = row_.access == isa::Access::swizzle, push = row_.access == isa::Access::permute;
    const uint16_t c = swizzle ? in_.addr : in_.data;
    if (c < isa::code::vgpr0 || in_.dst < isa::code::vgpr0)
      return;
    const cross_lane::Sources pattern =
        swizzle ? cross_lane::swizzle_sources(uint32_t(in_.imm), isa::info(in_.target).generation)
                : cross_lane::Sources();
    std::array<uint32_t, machine::lanes_per_wave> result{};
    const Origin from = r_.lanes(c) ? at_.origin(c) : !swizzle && r_.lanes(in_.addr) ? at_.origin(in_.addr) : Origin();
    for (uint64_t left = at_.exec; left; left &= left - 1) {
      const auto lane = size_t(std::countr_zero(left));
      const uint32_t address = swizzle ? 0 : values(in_.addr)[lane] + uint32_t(in_.imm);
      const bool unsure = !swizzle && r_.undefined(in_.addr, int(lane)) & 0xfc;
      const int other = swizzle ? pattern[lane] : int(address >> 2 & 63);
      if (push)
        result[size_t(other)] = r_.undefined(c, int(lane));
      else if (unsure)
        result[lane] = ~0u;
      else if (other != cross_lane::no_lane && at_.exec >> other & 1)
        result[lane] = r_.undefined(c, other);
    }
    for (uint64_t left = at_.exec; left; left &= left - 1)
      r_.set(in_.dst, std::countr_zero(left), result[size_t(std::countr_zero(left))]);
    if (holds(r_.dirty(), in_.dst) && from.kind != Origin::Kind::none)
      r_.origin(in_.dst) = from;
  }

  // Which items of A and B meet is the shape's matter; undefined is what nobody has defined any of, or the sums.
  void matrix() {
    const Source a = source(0), b = source(1), c = source(2);
    const uint64_t launched = at_.wave.launched;
    const bool whole_a = (undefined_lanes(a) & launched) == launched,
               whole_b = (undefined_lanes(b) & launched) == launched;
    const isa::Operand* d = written(isa::Role::dst);
    if (!d || in_.dst < isa::code::vgpr0)
      return;
    const Origin from = whole_a ? origin(a) : whole_b ? origin(b) : origin(c);
    for (unsigned n = 0; n < d->dwords; ++n) {
      const unsigned slot = in_.dst + n;
      if (slot == c.slot + n && c.vector && !whole_a && !whole_b)
        continue; // as it was
      for (int lane = 0; lane < machine::lanes_per_wave; ++lane) {
        const uint32_t u = !(launched >> lane & 1) ? 0
                           : whole_a || whole_b    ? ~0u
                           : c.vector              ? r_.undefined(c.slot + n, lane)
                                                   : 0;
        r_.set(slot, lane, u);
      }
      if (holds(r_.dirty(), slot) && from.kind != Origin::Kind::none)
        r_.origin(slot) = from;
    }
  }

  const At& at_;
  const isa::Instruction& in_;
  const isa::Row& row_;
  const isa::Shape& shape_;
  Registers& r_;
};

} // namespace

void follow_vector(const At& at) { Vector(at).follow(); }

} // namespace crosslane::check::init
