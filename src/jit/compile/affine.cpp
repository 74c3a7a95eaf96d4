// Sums, products and shifts of lane numbers: rules that keep addresses scalar (affine values), and what is known of
// comparisons of them. What no rule fits is the library's (vector.cpp).
#include "isa/op.h"
#include "jit/compile/corners.h"
#include "jit/compile/emitter.h"
#include <bit>
#include <llvm/IR/Intrinsics.h>

namespace crosslane::jit {

using isa::Op;

namespace {

constexpr uint32_t vgpr_bytes = machine::vgpr_bytes;

// Without wrapping three steps are within 32 bits, so that one is a signed number.
bool steps_fit(const Lane& l) { return !l.dynamic || l.most_times() >= 3; }

} // namespace

// A source of 32 bits, whatever it is.
Lane Emitter::operand(uint32_t offset, uint64_t k) {
  if (is_lane(offset))
    return read_lane(offset);
  Lane l = uniform_lane(scalar_at(offset, k));
  if (offset == machine::sgpr_offset(machine::scalar_zero))
    l.may = uint32_t(k), l.constant = uint32_t(k);
  return l;
}

// As a true integer no lane leaves 32 bits, unsigned. `step`, of 64 bits: if it is another one than the lane's.
Value* Emitter::does_not_wrap(const Lane& l, Value* step) {
  if (l.no_wrap || l.uniform())
    return b_.getTrue();
  const int64_t low = below(l), high = above(l);
  if (!l.dynamic) {
    if ((high - low) >> 32)
      return b_.getFalse();
    Value* last = b_.CreateICmpULE(l.base, i32(~uint32_t(high)));
    return low ? b_.CreateAnd(last, b_.CreateICmpUGE(l.base, i32(uint32_t(-low)))) : last;
  }
  if (dry_)
    return poison(int1_);
  Value* base = b_.CreateZExt(l.base, int64_);
  Value* steps = b_.CreateMul(step ? step : b_.CreateSExt(l.step, int64_), i64(l.most_times()));
  Value* least = b_.CreateAdd(b_.CreateAdd(base, i64(uint64_t(low))),
                              b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, steps, i64(0)));
  Value* most = b_.CreateAdd(b_.CreateAdd(base, i64(uint64_t(high))),
                             b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, steps, i64(0)));
  return b_.CreateICmpULT(b_.CreateOr(least, most), i64(uint64_t(1) << 32)); // guards of this form are asked as one
}

std::optional<Lane> Emitter::sum(const Lane& x, const Lane& y, bool subtract, Value** carry) {
  if (x.kind != Lane::affine || y.kind != Lane::affine || (x.dynamic && y.dynamic && x.by != y.by))
    return std::nullopt;
  const auto apply = [&](Value* a, Value* b) { return subtract ? b_.CreateSub(a, b) : b_.CreateAdd(a, b); };
  bool fits = true;
  const auto constant = [&](int32_t a, int32_t b) {
    const int64_t v = subtract ? int64_t(a) - b : int64_t(a) + b;
    fits = fits && v == int32_t(v);
    return int32_t(v);
  };
  Lane out;
  out.kind = Lane::affine;
  out.base = apply(x.base, y.base);
  out.column = constant(x.column, y.column);
  for (size_t i = 0; i < out.fixed.size(); ++i)
    out.fixed[i] = constant(x.fixed[i], y.fixed[i]);
  if (!fits)
    return std::nullopt;
  if (x.dynamic || y.dynamic) {
    out.dynamic = true, out.by = x.dynamic ? x.by : y.by;
    out.step = apply(x.dynamic ? x.step : i32(0), y.dynamic ? y.step : i32(0));
  }
  out.no_wrap = out.uniform();
  out.zeros = std::min(x.known_zeros(), y.known_zeros());
  // All bits up to the highest of a sum, unless nothing can carry.
  const uint64_t most = uint64_t(x.may) + y.may;
  out.may = subtract || most >> 32 ? ~0u : x.may & y.may ? uint32_t(std::bit_ceil(most + 1) - 1) : x.may | y.may;
  if (!subtract && !(most >> 32) && x.no_wrap && y.no_wrap && steps_fit(out))
    out.no_wrap = true;
  if (carry) {
    *carry = subtract ? b_.CreateICmpULT(x.base, y.base) : b_.CreateICmpULT(out.base, x.base);
    // All lanes carry, or none does, if they keep their distances.
    guard(does_not_wrap(x));
    guard(does_not_wrap(y));
    Value* step = nullptr;
    if (out.dynamic) {
      const auto wide = [&](const Lane& l) { return l.dynamic ? b_.CreateSExt(l.step, int64_) : i64(0); };
      step = apply(wide(x), wide(y));
      guard(b_.CreateICmpEQ(b_.CreateSExt(out.step, int64_), step));
    }
    guard(does_not_wrap(out, step));
    out.no_wrap = true;
  }
  return out;
}

// Whether a comparison holds in all lanes, as the first and the last one say; null: they do not. It may hold where this
// does not say so.
Value* Emitter::holds_in_all(Op op, Compared x, Compared y, bool inverse) {
  using Predicate = llvm::CmpInst::Predicate;
  Predicate p;
  switch (op) {
  case Op::v_cmp_lt_u32:
  case Op::v_cmp_lt_u64: p = Predicate::ICMP_ULT; break;
  case Op::v_cmp_le_u32:
  case Op::v_cmp_le_u64: p = Predicate::ICMP_ULE; break;
  case Op::v_cmp_gt_u32:
  case Op::v_cmp_gt_u64: p = Predicate::ICMP_UGT; break;
  case Op::v_cmp_ge_u32:
  case Op::v_cmp_ge_u64: p = Predicate::ICMP_UGE; break;
  case Op::v_cmp_lt_i32:
  case Op::v_cmp_lt_i64: p = Predicate::ICMP_SLT; break;
  case Op::v_cmp_le_i32:
  case Op::v_cmp_le_i64: p = Predicate::ICMP_SLE; break;
  case Op::v_cmp_gt_i32:
  case Op::v_cmp_gt_i64: p = Predicate::ICMP_SGT; break;
  case Op::v_cmp_ge_i32:
  case Op::v_cmp_ge_i64: p = Predicate::ICMP_SGE; break;
  case Op::v_cmp_ne_u32:
  case Op::v_cmp_ne_i32:
  case Op::v_cmp_ne_u64:
  case Op::v_cmp_ne_i64: p = Predicate::ICMP_NE; break;
  case Op::v_cmp_eq_u32:
  case Op::v_cmp_eq_i32:
  case Op::v_cmp_eq_u64:
  case Op::v_cmp_eq_i64: p = Predicate::ICMP_EQ; break;
  default: return nullptr;
  }
  if (inverse)
    p = llvm::CmpInst::getInversePredicate(p);
  if (p == Predicate::ICMP_EQ)
    return nullptr;
  if (x.low.uniform())
    std::swap(x, y), p = llvm::CmpInst::getSwappedPredicate(p);
  const int64_t span = above(x.low);
  if (!rises(x.low) || !y.low.uniform() || span >> 31)
    return nullptr;
  const auto whole = [&](const Compared& c) { return c.high ? join_halves(c.low.base, c.high) : c.low.base; };
  Value *first = whole(x), *limit = whole(y);
  Value* distance = llvm::ConstantInt::get(first->getType(), uint64_t(span));
  Value* last = b_.CreateAdd(first, distance);
  const bool is_ne = p == Predicate::ICMP_NE;
  const bool of_last =
      p == Predicate::ICMP_ULT || p == Predicate::ICMP_ULE || p == Predicate::ICMP_SLT || p == Predicate::ICMP_SLE;
  // Of 64 bits, nothing is carried into the high half, which is that of all lanes.
  Value* in_order = x.high                       ? does_not_wrap(x.low)
                    : is_ne                      ? b_.getTrue()
                    : llvm::CmpInst::isSigned(p) ? b_.CreateICmpSLE(first, last)
                                                 : does_not_wrap(x.low);
  return b_.CreateAnd(in_order, is_ne ? b_.CreateICmpUGT(b_.CreateSub(limit, first), distance) // not among them
                                      : b_.CreateICmp(p, of_last ? last : first, limit));
}

// Of what differs between rows, or halves of them, only, and a uniform factor.
std::optional<Lane> Emitter::product(const Lane& x, const Lane& y) {
  if (x.uniform())
    return uniform_lane(b_.CreateMul(x.base, y.base));
  if (x.column)
    return std::nullopt;
  Lane out = x;
  int32_t k = 0; // of a step
  for (size_t i = 0, most = 1; i < x.fixed.size(); ++i) {
    k = k ? k : x.fixed[i];
    const int64_t times = k ? int64_t(x.fixed[i]) / k : 0;
    if (k && (x.dynamic || x.fixed[i] % k || times < 0 || times > int64_t(most)))
      return std::nullopt;
    if (!x.dynamic)
      out.by[i] = uint8_t(times);
    most *= k ? 2 : 1;
  }
  out.constant.reset();
  out.base = b_.CreateMul(x.base, y.base);
  out.step = b_.CreateMul(x.dynamic ? x.step : i32(uint32_t(k)), y.base);
  out.fixed = {};
  out.dynamic = true, out.no_wrap = false, out.may = ~0u, out.zeros = 0;
  return out;
}

std::optional<Lane> Emitter::scaled(const Lane& x, uint32_t factor) {
  if (x.kind != Lane::affine)
    return std::nullopt;
  bool fits = true;
  const auto constant = [&](int32_t v) {
    const int64_t p = int64_t(v) * int32_t(factor);
    fits = fits && p == int32_t(p);
    return int32_t(p);
  };
  Lane out = x;
  out.constant.reset();
  out.base = b_.CreateMul(x.base, i32(factor));
  out.zeros = std::min(x.known_zeros() + uint32_t(std::countr_zero(factor)), 32u);
  out.column = constant(x.column);
  for (int32_t& v : out.fixed)
    v = constant(v);
  if (!fits)
    return std::nullopt;
  if (x.dynamic)
    out.step = b_.CreateMul(x.step, i32(factor));
  const uint64_t most = uint64_t(x.may) * factor;
  out.may = std::has_single_bit(factor) ? uint32_t(most) : most >> 32 ? ~0u : uint32_t(std::bit_ceil(most + 1) - 1);
  out.no_wrap = out.uniform() || (!(most >> 32) && !(factor >> 31) && x.no_wrap && !x.dynamic);
  return out;
}

namespace {
// The constant that a scalar operand is, if it is one.
std::optional<uint32_t> constant(uint32_t offset, uint64_t k) {
  if (offset == machine::sgpr_offset(machine::scalar_zero))
    return uint32_t(k);
  return std::nullopt;
}
} // namespace

// Shift amounts and factors that are constants, broadcast or not.
std::optional<uint32_t> Emitter::known(uint32_t offset, uint64_t k) {
  return is_lane(offset) ? read_lane(offset).constant : constant(offset, k);
}

// The rules. False: none fits, nothing was written.
bool Emitter::affine(const Uop& op) {
  const Op name = unit_.instructions[at_].inst.op;
  const auto a = [&] { return operand(op.a, op.k0); };
  const auto b = [&] { return operand(op.b, op.k0); };
  const auto c = [&] { return operand(op.c, op.k0); };
  const auto put = [&](const std::optional<Lane>& l) {
    if (l)
      write_lane(op.dst, *l);
    return l.has_value();
  };
  const auto known = [&](uint32_t offset) { return this->known(offset, op.k0); };
  const auto with_carry = [&](const Lane& x, const Lane& y, bool subtract) {
    if (x.kind != Lane::affine || y.kind != Lane::affine || (x.uniform() && y.uniform())) {
      settle_owed(x), settle_owed(y);
      return false; // uniform ones are the library's
    }
    const uint32_t pair = uint32_t(op.imm - int32_t(machine::sgpr_offset(0))) / 8;
    const bool read = !is_unread(scalar_slot(2 * pair)) || !is_unread(scalar_slot(2 * pair + 1));
    Value* carry = nullptr;
    Wide* const address = subtract ? nullptr : begin_address_sum(x, y);
    owing_ = address ? &address->owed : nullptr;
    const auto l = sum(x, y, subtract, read ? &carry : nullptr);
    owing_ = nullptr;
    if (!l)
      return false;
    write_lane(op.dst, *l);
    Mask m;
    m.kind = Mask::uniform, m.bit = carry;
    if (read)
      write_mask(pair, masked_by_exec(m));
    if (address)
      st_.v[lane_index(op.dst)].wide = st_.m[pair].wide = address;
    return true;
  };
  switch (name) {
  case Op::v_mov_b32: write_lane(op.dst, a()); return true;
  case Op::v_add_u32: return put(sum(a(), b(), false, nullptr));
  case Op::v_sub_u32: return put(sum(a(), b(), true, nullptr));
  case Op::v_subrev_u32: return put(sum(b(), a(), true, nullptr));
  case Op::v_add_co_u32: return with_carry(a(), b(), false);
  case Op::v_sub_co_u32: return with_carry(a(), b(), true);
  case Op::v_subrev_co_u32: return with_carry(b(), a(), true);
  case Op::v_add3_u32:
    if (const auto l = sum(a(), b(), false, nullptr))
      return put(sum(*l, c(), false, nullptr));
    return false;
  case Op::v_lshlrev_b32:
    if (const auto k = known(op.a))
      return put(scaled(b(), 1u << (*k & 31)));
    return false;
  case Op::v_or_b32: { // a sum, where no bit is in both
    const Lane x = a(), y = b();
    return !(x.may & y.may) && put(sum(x, y, false, nullptr));
  }
  case Op::v_lshl_or_b32:
    if (const auto k = known(op.b))
      if (const auto l = scaled(a(), 1u << (*k & 31)); l && !(l->may & c().may))
        return put(sum(*l, c(), false, nullptr));
    return false;
  case Op::v_and_b32: { // all that can be set, or a field of it that is whole lanes' steps
    const auto k = known(op.a) ? known(op.a) : known(op.b);
    if (!k)
      return false;
    Lane x = known(op.a) ? b() : a();
    if ((x.may & ~*k) == 0) {
      write_lane(op.dst, x);
      return true;
    }
    return false;
  }
  case Op::v_lshl_add_u32:
    if (const auto k = known(op.b))
      if (const auto l = scaled(a(), 1u << (*k & 31)))
        return put(sum(*l, c(), false, nullptr));
    return false;
  case Op::v_add_lshl_u32:
    if (const auto k = known(op.c))
      if (const auto l = sum(a(), b(), false, nullptr))
        return put(scaled(*l, 1u << (*k & 31)));
    return false;
  case Op::v_mul_u32_u24:
  case Op::v_mad_u32_u24: { // the whole product, of what has no more than 24 bits
    Lane x = a(), y = b();
    const auto kx = known(op.a), ky = known(op.b);
    if (!kx && !ky && x.uniform())
      std::swap(x, y);
    if (!kx && !ky && y.uniform() && !x.uniform()) // of what is the same in all lanes, those bits that count
      y.base = b_.CreateAnd(y.base, i32(0xffffff)), y.may &= 0xffffff;
    if ((x.may | y.may) >> 24)
      return false;
    const auto l = kx                                                      ? scaled(y, *kx)
                   : ky                                                    ? scaled(x, *ky)
                   : x.kind == Lane::affine && !x.uniform() && y.uniform() ? product(x, y)
                                                                           : std::nullopt;
    return l && put(name == Op::v_mul_u32_u24 ? l : sum(*l, c(), false, nullptr));
  }
  case Op::v_mul_lo_u32:
  case Op::v_mul_lo_i32: {
    Lane x = a(), y = b();
    if (const auto k = known(op.a))
      return put(scaled(y, *k));
    if (const auto k = known(op.b))
      return put(scaled(x, *k));
    if (x.kind != Lane::affine || y.kind != Lane::affine)
      return false;
    if (x.uniform())
      std::swap(x, y);
    return y.uniform() && !x.uniform() && put(product(x, y));
  }
  case Op::v_ashrrev_i32: {
    const Lane x = b();
    const auto k = known(op.a);
    if (!k || (*k & 31) != 31 || x.kind != Lane::affine || x.uniform())
      return false;
    guard(does_not_wrap(x));
    Value* sign = b_.CreateAShr(x.base, 31);
    guard(at_corners(b_, x, [&](Value* v) { return b_.CreateICmpEQ(b_.CreateAShr(v, 31), sign); }));
    write_lane(op.dst, uniform_lane(sign));
    return true;
  }
  case Op::v_cndmask_b32: {
    const Lane x = a(), y = b();
    const Mask m = mask_in_exec((op.c - machine::sgpr_offset(0)) / 8);
    if (m.kind == Mask::full || m.kind == Mask::empty) {
      write_lane(op.dst, m.kind == Mask::full ? y : x);
      return true;
    }
    if (m.kind != Mask::uniform || x.kind != Lane::affine || y.kind != Lane::affine || x.dynamic ||
        !x.same_distances(y))
      return false;
    Lane out = x;
    out.base = b_.CreateSelect(m.bit, y.base, x.base), out.no_wrap = x.no_wrap && y.no_wrap, out.may |= y.may;
    out.zeros = std::min(x.known_zeros(), y.known_zeros());
    out.constant.reset();
    write_lane(op.dst, out);
    return true;
  }
  default: return false;
  }
}

// 64 bits, shifted left by a constant: the low half stays affine where what leaves it is the same in all lanes.
bool Emitter::affine_shift(const Uop& op) {
  const Op name = unit_.instructions[at_].inst.op;
  const Lane low = read_lane(op.b), high = read_lane(op.b + vgpr_bytes);
  const uint32_t n = uint32_t(op.k0) & 63;
  if ((name != Op::v_lshlrev_b64 && name != Op::v_lshl_b64) || is_lane(op.a) || !constant(op.a, op.k0) || n == 0 ||
      n > 31 || low.kind != Lane::affine || low.uniform() || !high.uniform())
    return false;
  std::optional<Lane> out = scaled(low, 1u << n);
  if (!out)
    return false;
  // Where what is left of each lane does not wrap, what leaves is the same; nor do the lanes wrap as they were.
  out->no_wrap = false;
  if (low.dynamic)
    guard(b_.CreateICmpEQ(b_.CreateSExt(out->step, int64_), b_.CreateShl(b_.CreateSExt(low.step, int64_), n)));
  Wide* const address = begin_address(low);
  owing_ = address ? &address->owed : nullptr;
  guard(does_not_wrap(*out));
  owing_ = nullptr;
  Value* top = b_.CreateLShr(low.base, 32 - n);
  out->no_wrap = true, out->wide = nullptr;
  write_lane(op.dst, *out);
  write_lane(op.dst + vgpr_bytes, uniform_lane(b_.CreateOr(b_.CreateShl(high.base, n), top)));
  if (address) {
    address->first = b_.CreateShl(join_halves(low.base, high.base), n), address->base = i64(0);
    Lane &l = st_.v[lane_index(op.dst)], &h = st_.v[lane_index(op.dst + vgpr_bytes)];
    l.wide = h.wide = address, h.high_half = true;
  }
  return true;
}

std::optional<Lane> Emitter::low_of_mad(const Lane (*lanes)[2], Value* a, Value* b) {
  Lane x = a ? uniform_lane(a) : lanes[0][0], y = b ? uniform_lane(b) : lanes[1][0];
  const Lane& add = lanes[2][0];
  if (x.kind != Lane::affine || y.kind != Lane::affine || add.kind != Lane::affine)
    return std::nullopt;
  if (x.uniform())
    std::swap(x, y);
  const std::optional<Lane> p = y.uniform() ? product(x, y) : std::nullopt;
  return p ? sum(*p, add, false, nullptr) : std::nullopt;
}

} // namespace crosslane::jit
