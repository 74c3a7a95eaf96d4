// Addresses that differ from lane to lane, as compilers work them out in two halves: an offset is shifted, a pointer is
// added. What is computed stays as it is; noted besides is which number of 64 bits the halves are of, so that gathers
// take offsets of 32 bits from one base, and that of affine ones, which nothing but accesses reads, each access asks
// once where it is, instead of each half whether it wraps in some lane.
#include "isa/classify.h"
#include "isa/op.h"
#include "isa/operands.h"
#include "jit/compile/access.h"
#include "jit/compile/corners.h"

namespace crosslane::jit {

using isa::Op;

Emitter::Sources Emitter::sources_of(const engine::UnitUop& u) {
  const Uop& op = u.op;
  Sources s;
  if (dry_ || unit_.instructions[at_].count != 1)
    return s;
  switch (unit_.instructions[at_].inst.op) {
  case Op::v_addc_co_u32:
    if (const uint32_t pair = (op.c - machine::sgpr_offset(0)) / 8; !is_lane(op.c) && is_pair(op.c))
      s.carry = st_.m[pair];
    [[fallthrough]];
  case Op::v_add_co_u32: s.a = operand(op.a, op.k0), s.b = operand(op.b, op.k0); break;
  case Op::v_lshlrev_b64:
  case Op::v_lshl_b64:
    if (u.kind == engine::UopKind::shift && is_lane(op.b))
      s.b = read_lane(op.b), s.b_high = read_lane(op.b + machine::vgpr_bytes);
    break;
  case Op::v_ashrrev_i32:
    if (is_lane(op.b))
      s.b = read_lane(op.b);
    break;
  default: break;
  }
  return s;
}

// If it is known row by row.
void Emitter::have_half(uint32_t offset, Wide* wide, bool high) {
  Lane& l = st_.v[lane_index(offset)];
  if (l.kind == Lane::vector && !narrowed_)
    l.wide = wide, l.high_half = high;
}

void Emitter::note_wide(const engine::UnitUop& u, const Sources& s) {
  if (dry_ || unit_.instructions[at_].count != 1)
    return;
  const Uop& op = u.op;
  const auto up = [&](Value* v, uint64_t by) { return b_.CreateShl(b_.CreateZExt(v, int64_), by); };
  const bool constant = op.a == machine::sgpr_offset(machine::scalar_zero);
  switch (unit_.instructions[at_].inst.op) {
  case Op::v_ashrrev_i32: { // the sign of an offset
    if (!constant || (op.k0 & 31) != 31 || s.b.kind != Lane::vector || op.dst == op.b)
      return;
    wides_.push_back({.base = i64(0), .offset = s.b.row, .is_signed = true});
    st_.v[lane_index(op.b)].wide = &wides_.back(), st_.v[lane_index(op.b)].high_half = false;
    have_half(op.dst, &wides_.back(), true);
    return;
  }
  case Op::v_lshlrev_b64:
  case Op::v_lshl_b64: {
    const uint64_t by = op.k0 & 63;
    if (u.kind != engine::UopKind::shift || !constant || by < 1 || by > 3 || s.b.kind != Lane::vector)
      return;
    if (s.b_high.uniform())
      wides_.push_back({.base = up(s.b_high.base, 32 + by), .offset = s.b.row, .shift = uint32_t(by)});
    else if (const Wide* w = s.b.wide;
             w && w == s.b_high.wide && w->base && !s.b.high_half && s.b_high.high_half && w->shift + by <= 3)
      wides_.push_back({.base = b_.CreateShl(w->base, by),
                        .offset = w->offset,
                        .is_signed = w->is_signed,
                        .shift = w->shift + uint32_t(by)});
    else
      return;
    have_half(op.dst, &wides_.back(), false);
    have_half(op.dst + machine::vgpr_bytes, &wides_.back(), true);
    return;
  }
  case Op::v_add_co_u32: {
    const Lane &v = s.a.uniform() ? s.b : s.a, &added = s.a.uniform() ? s.a : s.b;
    const uint32_t pair = uint32_t(op.imm - int32_t(machine::sgpr_offset(0))) / 8;
    if (v.kind != Lane::vector || !added.uniform() || st_.m[pair].kind != Mask::rows)
      return;
    if (v.wide && v.wide->base && !v.high_half)
      wides_.push_back({.offset = v.wide->offset,
                        .is_signed = v.wide->is_signed,
                        .shift = v.wide->shift,
                        .of = v.wide,
                        .added = added.base});
    else
      wides_.push_back({.offset = v.row, .added = added.base});
    have_half(op.dst, &wides_.back(), false);
    st_.m[pair].wide = &wides_.back();
    return;
  }
  case Op::v_addc_co_u32: {
    Wide* w = s.carry.wide;
    if (end_address_sum(op, s) || !w || w->base)
      return;
    Value* base = b_.CreateZExt(w->added, int64_);
    if (w->of) {
      const Lane &v = s.a.uniform() ? s.b : s.a, &added = s.a.uniform() ? s.a : s.b;
      if (v.wide != w->of || !v.high_half || !added.uniform())
        return;
      w->base = b_.CreateAdd(w->of->base, b_.CreateAdd(up(added.base, 32), base));
    } else {
      if (!s.a.uniform() || !s.b.uniform())
        return;
      w->base = b_.CreateAdd(up(b_.CreateAdd(s.a.base, s.b.base), 32), base);
    }
    have_half(op.dst, w, true);
    return;
  }
  default: return;
  }
}

// ---- Affine addresses that nothing but accesses reads

namespace {

bool is_sum(Op op) { return op == Op::v_add_co_u32 || op == Op::v_addc_co_u32; }
bool is_shift(Op op) { return op == Op::v_lshlrev_b64 || op == Op::v_lshl_b64; }

// Loads and stores by addresses in two registers, without another part.
bool accesses_by_two(const engine::Unit& unit, const engine::UnitInstruction& u) {
  const isa::Access access = isa::row(u.inst.op).access;
  return u.way == engine::Way::lowered && u.count == 1 && unit.uops[u.first].kind == engine::UopKind::flat &&
         (loads_item(access) || stores_item(access)) && !isa::is_scalar_register(u.inst.saddr);
}

} // namespace

// Instructions whose results (halves of addresses and the carry between them) nothing but such accesses reads, and sums
// that are of this kind. Backwards, as sums come behind what they add to.
void Emitter::find_for_access() {
  for_access_.assign(unit_.instructions.size(), false);
  const auto only_for_access = [&](const engine::UnitBlock& block, uint32_t i) {
    const engine::UnitInstruction& u = unit_.instructions[i];
    const engine::UopKind kind = u.count == 1 ? unit_.uops[u.first].kind : engine::UopKind::copy;
    if (u.way != engine::Way::lowered ||
        !(is_sum(u.inst.op) ? kind == engine::UopKind::vector : is_shift(u.inst.op) && kind == engine::UopKind::shift))
      return false;
    const auto is_live = [&](uint32_t slot, uint32_t behind) {
      if (behind + 1 < block.first + block.count)
        return live_[behind + 1].test(slot);
      bool live = false;
      block.each_successor([&](uint32_t next) { live = live || live_in_[next].test(slot); });
      return live;
    };
    const auto read_well = [&](isa::RegisterFile file, uint32_t n) {
      const bool is_vgpr = file == isa::RegisterFile::vgpr, for_sums = is_vgpr || u.inst.op == Op::v_add_co_u32;
      const uint32_t slot = is_vgpr ? live_lane(lane_of_[n]) : scalar_slot(n);
      const auto holds = [&](const isa::Operand& o) {
        return o.holds(file, n) || (!is_vgpr && o.holds(isa::RegisterFile::special, isa::special::vccz));
      };
      for (uint32_t j = i + 1; j < block.first + block.count && is_live(slot, j - 1); ++j) {
        const engine::UnitInstruction& reader = unit_.instructions[j];
        if (reader.way != engine::Way::lowered || isa::writes_exec(reader.inst))
          return false;
        const isa::Operands all = isa::operands(reader.inst);
        for (const isa::Operand& o : all)
          if (holds(o) && (o.read || o.partial) && !(for_sums && is_sum(reader.inst.op) && for_access_[j]) &&
              !(is_vgpr && accesses_by_two(unit_, reader) && o.role == isa::Role::addr))
            return false;
        if (all.overwrites(file, n))
          return true;
      }
      return !is_live(slot, block.first + block.count - 1);
    };
    for (const isa::Operand& o : isa::operands(u.inst))
      for (uint32_t n = o.first; o.written && n < uint32_t(o.first) + o.dwords; ++n)
        if (o.file == isa::RegisterFile::agpr || (o.file != isa::RegisterFile::special && !read_well(o.file, n)))
          return false;
    return true;
  };
  for (const engine::UnitBlock& block : unit_.blocks)
    for (uint32_t k = block.count; k-- > 0;)
      for_access_[block.first + k] = only_for_access(block, block.first + k);
}

// Of a shifted offset, whose halves the instruction at hand writes. Null: each half is asked for, as ever.
Wide* Emitter::begin_address(const Lane& low) {
  if (dry_ || narrowed_ || !for_access_[at_])
    return nullptr;
  guard(does_not_wrap(low));
  return &wides_.emplace_back();
}

// The low half of a sum of such an address, or an offset, and what all lanes have. Null: it is none, and what was owed
// is asked for.
Wide* Emitter::begin_address_sum(const Lane& x, const Lane& y) {
  const Lane &varies = x.uniform() ? y : x, &added = x.uniform() ? x : y;
  const Wide* const of = varies.wide;
  if (dry_ || narrowed_ || !for_access_[at_] || !added.uniform() || added.wide ||
      (of && (!of->first || !of->base || varies.high_half))) {
    settle_owed(x), settle_owed(y);
    return nullptr;
  }
  if (of)
    return &wides_.emplace_back(Wide{.of = of, .added = added.base, .first = of->first, .owed = of->owed});
  guard(does_not_wrap(varies));
  return &wides_.emplace_back(Wide{.added = added.base, .first = b_.CreateZExt(varies.base, int64_)});
}

// The high half. False: there is nothing of this kind.
bool Emitter::end_address_sum(const Uop& op, const Sources& s) {
  Wide* const w = s.carry.wide;
  if (!w || !w->first) {
    settle_owed(s.a), settle_owed(s.b);
    return false;
  }
  const auto is_half = [&](const Lane& l) { return l.wide ? l.wide == w->of && l.high_half : !w->of && l.uniform(); };
  const auto is_more = [](const Lane& l) { return !l.wide && l.uniform(); };
  Lane& result = st_.v[lane_index(op.dst)];
  if (w->base || narrowed_ || !result.uniform() ||
      !((is_half(s.a) && is_more(s.b)) || (is_half(s.b) && is_more(s.a)))) {
    settle_owed(s.a), settle_owed(s.b), settle_owed(*w);
    return true;
  }
  if (w->of)
    w->base = b_.CreateAdd(w->of->base, join_halves(w->added, is_half(s.a) ? s.b.base : s.a.base));
  else
    w->base = join_halves(w->added, b_.CreateAdd(s.a.base, s.b.base));
  result.wide = w, result.high_half = true;
  return true;
}

// An access of such addresses, all within the window.
bool Emitter::access_address(const Lane& low, const Lane& high, Value* more, bool near, Access& a) {
  const Wide* const w = low.wide;
  Access there = a;
  there.offset = low, there.offset.base = i32(0), there.offset.wide = nullptr;
  const bool loads = loads_item(isa::row(unit_.instructions[at_].inst.op).access);
  if (!near || !w || !w->first || !w->base || high.wide != w || low.high_half || !high.high_half ||
      !there.plain(loads)) {
    settle_owed(low), settle_owed(high);
    return false;
  }
  Value *least = i64(uint64_t(below(low))), *most = i64(uint64_t(above(low)));
  if (low.dynamic) {
    Value* steps = b_.CreateMul(b_.CreateSExt(low.step, int64_), i64(low.most_times()));
    least = b_.CreateAdd(least, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, steps, i64(0)));
    most = b_.CreateAdd(most, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, steps, i64(0)));
  }
  const auto high_half = [&](Value* v) { return b_.CreateShl(b_.CreateZExt(v, int64_), 32); };
  // What does not change in loops is by itself.
  Value* from = b_.CreateAdd(w->first, b_.CreateAdd(b_.CreateSub(w->base, high_half(reach_first())), least));
  Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, high_half(reach_count()), b_.CreateSub(most, least));
  guard(b_.CreateICmpULT(from, end));
  there.base = b_.CreateAdd(b_.CreateAdd(w->first, w->base), more);
  a = there;
  return true;
}

// Guards of halves that something reads after all.
void Emitter::settle_owed(const Wide& w) {
  for (Value* ok : w.owed)
    guard(ok);
}
void Emitter::settle_owed(const Lane& l) {
  if (l.wide)
    settle_owed(*l.wide);
}
void Emitter::settle_owed() {
  for (uint32_t i = 0; i < first_tmp_ && !dry_; ++i)
    if (live_[at_].test(live_lane(i)))
      settle_owed(st_.v[i]);
}

} // namespace crosslane::jit
