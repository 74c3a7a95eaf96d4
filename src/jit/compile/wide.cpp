// Addresses that differ from lane to lane, as compilers work them out in two halves: an offset is shifted, a pointer is
// added. What is computed stays as it is; noted besides is which number of 64 bits the halves are of, so that gathers
// take offsets of 32 bits from one base.
#include "isa/op.h"
#include "jit/compile/emitter.h"

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
    if (!w || w->base)
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

} // namespace crosslane::jit
