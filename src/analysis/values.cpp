// A forward walk over each part. A value is known for the lanes of a mask, that under which it was written: who reads
// it under a mask that is not part of that one knows nothing.
#include "analysis/values.h"
#include "analysis/forward.h"
#include "isa/inline_constant.h"
#include "isa/op.h"
#include <algorithm>
#include <array>
#include <optional>

namespace crosslane::analysis {

using isa::Op;
using isa::RegisterFile;
namespace code = isa::code;

namespace {

constexpr int vgprs = 256, sgprs = 128;

struct Value {
  bool known = false, has_base = false;
  bool lower_count = false; // v_mbcnt_lo of all lanes: no more than that
  int32_t stride = 0;
  uint32_t base = 0;
  MaskId mask = all_lanes; // the lanes for which it holds
  bool operator==(const Value&) const = default;
  bool uniform() const { return known && !lower_count && stride == 0; }
  bool affine() const { return known && !lower_count; }
};

Value uniform() {
  Value v;
  v.known = true;
  return v;
}
Value constant(uint32_t c) {
  Value v = uniform();
  v.has_base = true, v.base = c;
  return v;
}

struct State {
  bool reached = false;
  std::array<Value, vgprs> v;
  std::array<Value, sgprs> s; // constants
  bool operator==(const State&) const = default;
};

class Finder {
public:
  Finder(const Code& code, const Graph& graph, const ValueOptions& options, std::vector<ValueFact>& out)
      : code_(code), graph_(graph), options_(options), out_(out), place_(places_in_parts(graph)) {}

  void run() {
    if (graph_.skips_vectors || graph_.indexes_vgprs)
      return;
    PartCode part_code;
    for (const Part& part : graph_.parts) {
      blocks_ = graph_.blocks_of(part);
      decode_part(code_, graph_, part, {}, part_code);
      find_masks(graph_, part, part_code, masks_);
      end_.assign(blocks_.size(), {});
      walk_forward(end_, [&](uint32_t i, bool tell) -> const State& { return visit(i, tell); });
    }
    std::ranges::sort(out_, {}, [](const ValueFact& f) { return std::pair(f.pc, f.vgpr); });
  }

private:
  const Code& code_;
  const Graph& graph_;
  const ValueOptions& options_;
  std::vector<ValueFact>& out_;
  std::vector<uint32_t> place_; // of a block in its part
  std::span<const BlockId> blocks_;
  PartMasks masks_;
  std::vector<State> end_;
  State now_;
  MaskId exec_ = all_lanes;

  bool hangs_on(MaskId mask, MaskId other) const {
    if (mask == no_lanes)
      return false;
    for (; mask != all_lanes; mask = masks_.masks[mask].parent)
      if (mask == other)
        return true;
    return false;
  }

  void renew(MaskId mask) {
    for (Value& v : now_.v)
      if (v.known && hangs_on(v.mask, mask))
        v = {};
  }

  bool begins(MaskId mask, BlockId block) const {
    return mask > no_lanes && masks_.masks[mask].block == block && masks_.masks[mask].instruction == none;
  }

  void enter(uint32_t i) {
    const BlockId block = blocks_[i];
    now_ = {};
    exec_ = masks_.begin[i];
    const auto before = graph_.predecessors_of(block);
    const bool anew = graph_.blocks[block].entry || std::ranges::any_of(before, [&](BlockId p) {
                        const Exit exit = graph_.blocks[p].exit;
                        return exit == Exit::call || exit == Exit::fork || exit == Exit::join || exit == Exit::trap;
                      });
    if (anew) {
      now_.reached = true;
      const uint32_t f = graph_.function_at(graph_.blocks[block].begin);
      // On gfx90a work-item ids may be packed into v0.
      if (before.empty() && f != none && graph_.functions[f].kernel && options_.whole_rows &&
          isa::info(graph_.target).generation < isa::Generation::gfx90a) {
        now_.v[0] = uniform();
        now_.v[0].stride = 1, now_.v[0].mask = exec_;
      }
      return;
    }
    for (const BlockId p : before) {
      const State& from = end_[place_[p]];
      if (!from.reached)
        continue;
      if (!now_.reached) {
        now_.reached = true;
        for (int n = 0; n < vgprs; ++n)
          now_.v[n] = seen(from.v[n], p, block);
        now_.s = from.s;
        continue;
      }
      for (int n = 0; n < vgprs; ++n)
        if (now_.v[n].known)
          now_.v[n] = met(now_.v[n], seen(from.v[n], p, block));
      for (int n = 0; n < sgprs; ++n)
        if (!(now_.s[n] == from.s[n]))
          now_.s[n] = {};
    }
  }

  // A value at the end of block `p`, with its mask as `to` sees it.
  Value seen(Value v, BlockId p, BlockId to) const {
    if (!v.known)
      return v;
    const MaskId given = masks_.begin[place_[to]];
    bool renewed = false; // the block gives it, or one that it is part of, anew
    for (MaskId m = v.mask; m > no_lanes; m = masks_.masks[m].parent)
      renewed |= begins(m, to);
    const bool holds = masks_.part_of(masks_.end[place_[p]], v.mask);
    if (begins(given, to) && holds && (renewed || !masks_.part_of(given, v.mask))) {
      v.mask = given; // EXEC of before, by its new name
      return v;
    }
    return renewed ? Value{} : v;
  }

  Value met(Value a, const Value& b) const {
    if (!b.known || a.stride != b.stride || a.lower_count != b.lower_count)
      return {};
    if (!(a.has_base && b.has_base && a.base == b.base))
      a.has_base = false, a.base = 0;
    if (masks_.part_of(b.mask, a.mask))
      a.mask = b.mask;
    else if (!masks_.part_of(a.mask, b.mask))
      return {};
    return a;
  }

  const State& visit(uint32_t i, bool tell) {
    enter(i);
    if (!now_.reached)
      return now_;
    uint32_t change = masks_.first_change[i], index = 0;
    each_instruction(code_, graph_.blocks[blocks_[i]], [&](uint64_t pc, const isa::Instruction& in) {
      const isa::Operands operands = isa::operands(in);
      if (tell)
        tell_sources(pc, operands);
      step(in, operands);
      for (; change < masks_.first_change[i + 1] && masks_.changes[change].instruction == index; ++change) {
        if (masks_.changes[change].defines != all_lanes)
          renew(masks_.changes[change].defines);
        exec_ = masks_.changes[change].after;
      }
      ++index;
    });
    return now_;
  }

  Value vgpr(unsigned n) const {
    const Value& v = now_.v[n];
    return v.known && masks_.part_of(exec_, v.mask) ? v : Value{};
  }

  void tell_sources(uint64_t pc, const isa::Operands& operands) {
    for (const auto& o : operands)
      if (o.read && o.file == RegisterFile::vgpr && o.masked && o.extent == isa::Extent::exact)
        for (unsigned n = o.first; n < unsigned(o.first) + o.dwords; ++n)
          if (const Value v = vgpr(n); v.affine())
            out_.push_back({pc, uint16_t(n), v.has_base, v.stride, v.base});
  }

  Value source(const isa::Instruction& in, int n) const {
    const uint16_t c = in.src[n];
    if (isa::is_vgpr(c))
      return vgpr(unsigned(c - code::vgpr0));
    if (const auto value = isa::constant_source(in, c, isa::Type::B32))
      return constant(uint32_t(*value));
    if (c < sgprs)
      return now_.s[c].known ? now_.s[c] : uniform();
    return {};
  }

  static Value sum(const Value& a, const Value& b, bool minus) {
    if (!a.affine() || !b.affine())
      return {};
    Value v = uniform();
    v.stride = int32_t(minus ? uint32_t(a.stride) - uint32_t(b.stride) : uint32_t(a.stride) + uint32_t(b.stride));
    v.has_base = a.has_base && b.has_base;
    v.base = !v.has_base ? 0 : minus ? a.base - b.base : a.base + b.base;
    return v;
  }
  static Value product(const Value& a, const Value& b) {
    if (!a.affine() || !b.affine())
      return {};
    const Value& factor = a.uniform() && a.has_base ? a : b;
    const Value& other = &factor == &a ? b : a;
    if (factor.uniform() && factor.has_base) {
      Value v = other;
      v.stride = int32_t(uint32_t(v.stride) * factor.base), v.base *= factor.base;
      return v;
    }
    return a.uniform() && b.uniform() ? uniform() : Value{};
  }
  static Value shifted(const Value& a, const Value& by) {
    if (by.uniform() && by.has_base)
      return product(a, constant(1u << (by.base & 31)));
    return a.uniform() && by.uniform() ? uniform() : Value{};
  }

  // Of one dword, by plain arithmetic modulo 2^32.
  Value exact(const isa::Instruction& in) const {
    const auto s = [&](int n) { return source(in, n); };
    switch (in.op) {
    case Op::v_mov_b32: return s(0);
    case Op::v_add_u32:
    case Op::v_add_co_u32: return sum(s(0), s(1), false);
    case Op::v_sub_u32:
    case Op::v_sub_co_u32: return sum(s(0), s(1), true);
    case Op::v_subrev_u32:
    case Op::v_subrev_co_u32: return sum(s(1), s(0), true);
    case Op::v_add3_u32: return sum(sum(s(0), s(1), false), s(2), false);
    case Op::v_lshlrev_b32: return shifted(s(1), s(0));
    case Op::v_lshl_add_u32: return sum(shifted(s(0), s(1)), s(2), false);
    case Op::v_add_lshl_u32: return shifted(sum(s(0), s(1), false), s(2));
    case Op::v_mul_lo_u32: return product(s(0), s(1));
    case Op::v_mbcnt_lo_u32_b32: {
      const Value mask = s(0), before = s(1);
      if (!mask.uniform() || mask.base != ~0u || !before.uniform() || !before.has_base || before.base != 0)
        return {};
      Value v;
      v.known = v.lower_count = true;
      return v;
    }
    case Op::v_mbcnt_hi_u32_b32: {
      const Value mask = s(0), low = s(1);
      if (!mask.uniform() || mask.base != ~0u || !low.lower_count)
        return {};
      Value v = constant(0);
      v.stride = 1;
      return v;
    }
    default: return {};
    }
  }

  // The low dword of a result of two, likewise.
  Value exact_low(const isa::Instruction& in) const {
    const auto low = [&](int n) { // of a pair; constants may be floats of 64 bits
      const uint16_t c = in.src[n];
      return isa::is_vgpr(c) || c < sgprs || c <= code::inline_int0 + 80 ? source(in, n) : Value{};
    };
    const auto left = [&](const Value& a, const Value& by) {
      return by.uniform() && by.has_base && by.base < 32 ? shifted(a, by) : Value{};
    };
    switch (in.op) {
    case Op::v_lshlrev_b64: return left(low(1), source(in, 0));
    case Op::v_lshl_b64: return left(low(0), source(in, 1));
    case Op::v_mad_u64_u32:
    case Op::v_mad_i64_i32: return sum(product(source(in, 0), source(in, 1)), low(2), false);
    default: return {};
    }
  }

  static bool plain(const isa::Instruction& in) {
    return (in.form == isa::Form::base || in.form == isa::Form::vop3) && !in.neg && !in.abs && !in.op_sel && !in.omod &&
           !in.clamp;
  }

  // Each lane by itself computes the same from the same.
  bool repeats(const isa::Instruction& in, const isa::Operands& operands) const {
    if (in.encoding < isa::Encoding::VOP1 || in.encoding > isa::Encoding::VOP3P || in.form == isa::Form::dpp ||
        in.op == Op::v_mbcnt_lo_u32_b32 || in.op == Op::v_mbcnt_hi_u32_b32 || isa::row(in.op).src[1] == isa::Type::Attr)
      return false;
    return std::ranges::all_of(operands, [&](const isa::Operand& o) {
      if (o.extent != isa::Extent::exact || (o.written && o.partial))
        return false;
      if (!o.read)
        return true;
      switch (o.file) {
      case RegisterFile::vgpr:
        for (unsigned n = o.first; n < unsigned(o.first) + o.dwords; ++n)
          if (!o.masked || !vgpr(n).uniform())
            return false;
        return true;
      case RegisterFile::scalar: // VCC and the like: a bit for each lane
        return o.first == code::exec || (o.role != isa::Role::mask && o.role != isa::Role::implicit);
      case RegisterFile::special: return o.first >= isa::special::hwreg0;
      case RegisterFile::agpr: return false;
      }
      return false;
    });
  }

  void step(const isa::Instruction& in, const isa::Operands& operands) {
    Value result = plain(in) ? exact(in) : Value{};
    if (!result.known && repeats(in, operands))
      result = uniform();
    result.mask = exec_;
    Value first = plain(in) ? exact_low(in) : Value{};
    first.mask = exec_;
    Value scalar;
    if (in.op == Op::s_mov_b32)
      if (const auto value = isa::constant_source(in, in.src[0], isa::Type::B32))
        scalar = constant(uint32_t(*value));
    if (in.op == Op::s_movk_i32)
      scalar = constant(uint32_t(in.imm));
    for (const auto& o : operands) {
      if (!o.written)
        continue;
      for (unsigned n = o.first; n < unsigned(o.first) + o.dwords; ++n)
        if (o.file == RegisterFile::vgpr)
          now_.v[n] = o.partial || !o.masked ? Value{} : o.dwords == 1 ? result : n == o.first ? first : Value{};
        else if (o.file == RegisterFile::scalar)
          now_.s[n] = scalar;
    }
  }
};

} // namespace

std::vector<ValueFact> value_facts(const Code& code, const Graph& graph, const ValueOptions& options) {
  std::vector<ValueFact> facts;
  Finder(code, graph, options, facts).run();
  return facts;
}

} // namespace crosslane::analysis
