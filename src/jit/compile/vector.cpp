// Vector arithmetic: by rules that keep addresses scalar (affine values), as one scalar operation (uniform operands),
// or row by row. What is computed is the library's, always; the rules below are about sums, products and shifts of lane
// numbers.
#include "isa/float_mode.h"
#include "isa/op.h"
#include "isa/row.h"
#include "isa/shape.h"
#include "jit/compile/corners.h"
#include "jit/compile/emitter.h"
#include <bit>
#include <llvm/IR/Intrinsics.h>

namespace crosslane::jit {

using engine::UopKind;
using isa::Op;
using isa::Type;
using llvm::ConstantInt;

namespace {

constexpr uint32_t vgpr_bytes = machine::vgpr_bytes;

int bits_of(Type t) {
  if (t == Type::B16 || t == Type::U16 || t == Type::I16 || t == Type::F16)
    return 16;
  return isa::dwords(t) == 2 && t != Type::Mask ? 64 : 32;
}
// Without wrapping three steps are within 32 bits, so that one is a signed number.
bool steps_fit(const Lane& l) { return !l.dynamic || l.times(rows - 1) == 3; }

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

// ---- Affine values

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
  Value* steps = b_.CreateMul(step ? step : b_.CreateSExt(l.step, int64_), i64(l.times(rows - 1)));
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
  out.fixed = {constant(x.fixed[0], y.fixed[0]), constant(x.fixed[1], y.fixed[1])};
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

// Of what differs between rows only, and a uniform factor.
std::optional<Lane> Emitter::product(const Lane& x, const Lane& y) {
  if (x.uniform())
    return uniform_lane(b_.CreateMul(x.base, y.base));
  const int32_t k = x.fixed[0] ? x.fixed[0] : x.fixed[1]; // of a step
  const int64_t last = x.fixed[1] / (k ? k : 1);
  if (x.column || (x.dynamic ? k != 0 : x.fixed[1] % k || last < 0 || last > 2))
    return std::nullopt;
  Lane out = x;
  out.constant.reset();
  out.base = b_.CreateMul(x.base, y.base);
  out.step = b_.CreateMul(x.dynamic ? x.step : i32(uint32_t(k)), y.base);
  if (!x.dynamic)
    out.by = {uint8_t(x.fixed[0] != 0), uint8_t(last)}, out.fixed = {};
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
  out.fixed = {constant(x.fixed[0]), constant(x.fixed[1])};
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
    if (x.kind != Lane::affine || y.kind != Lane::affine || (x.uniform() && y.uniform()))
      return false; // uniform ones are the library's
    const uint32_t pair = uint32_t(op.imm - int32_t(machine::sgpr_offset(0))) / 8;
    const bool read = !is_unread(scalar_slot(2 * pair)) || !is_unread(scalar_slot(2 * pair + 1));
    Value* carry = nullptr;
    const auto l = sum(x, y, subtract, read ? &carry : nullptr);
    if (!l)
      return false;
    write_lane(op.dst, *l);
    Mask m;
    m.kind = Mask::uniform, m.bit = carry;
    if (read)
      write_mask(pair, masked_by_exec(m));
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
  guard(does_not_wrap(*out));
  Value* top = b_.CreateLShr(low.base, 32 - n);
  out->no_wrap = true;
  write_lane(op.dst, *out);
  write_lane(op.dst + vgpr_bytes, uniform_lane(b_.CreateOr(b_.CreateShl(high.base, n), top)));
  return true;
}

// ---- The library

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

bool Emitter::vector(const engine::UnitUop& u) {
  const Sources sources = sources_of(u);
  if (!pair(u) && !computed(u))
    return false;
  note_wide(u, sources);
  return true;
}

bool Emitter::computed(const engine::UnitUop& u) {
  const Uop& op = u.op;
  const isa::Instruction& inst = unit_.instructions[at_].inst;
  const isa::Row& row = isa::row(inst.op);
  const bool shift = u.kind == UopKind::shift;
  Type types[3] = {row.src[0], row.src[1], row.src[2]};
  int count = 0;
  for (int i = 0; i < 3; ++i)
    if (types[i] != Type::None)
      count = i + 1;
  if (isa::shape(inst.op).k)
    types[0] = types[1] = types[2] = row.dst, count = 3;
  if (row.encoding == isa::Encoding::VOPC)
    count = 2;
  const bool mode64 = isa::runs_in_mode64(row.dst, types[0]);
  const bool masked = isa::has(row.implicit, isa::Implicit::vcc_r),
             reads_old = isa::has(row.implicit, isa::Implicit::dst_r);
  const bool to_mask = row.dst == Type::Mask;
  const std::string name = std::string(row.mnemonic) + (u.kind == UopKind::saturated ? ".clamped" : "");
  if (!bodies_.has("v16." + name))
    return false;
  const uint32_t mask_at = count > 2 ? op.aux : op.c;
  if (masked && !is_pair(mask_at))
    return false;
  if (to_mask ? !is_pair(op.dst) : isa::dwords(row.sdst) && !is_pair(uint32_t(op.imm)))
    return false;

  if (u.kind == UopKind::vector && affine(op))
    return true;

  if (shift && affine_shift(op))
    return true;

  const std::optional<Apart> parts = u.kind == UopKind::vector ? result_apart(op) : std::nullopt;
  if (parts && write_affine(op.dst, *parts))
    return true;

  // Where each source is: a scalar operand, or a VGPR.
  struct Source {
    bool scalar;
    uint32_t offset;
    uint64_t k;
  };
  Source sources[3] = {{!is_lane(op.a), op.a, op.k0}, {!is_lane(op.b), op.b, op.k0}, {!is_lane(op.c), op.c, op.k0}};
  if (shift) { // the amount is a, the value b
    const bool amount_second = bits_of(types[0]) == 64;
    if (amount_second)
      std::swap(sources[0], sources[1]);
  }
  Lane lane[3][2], old[2];
  bool uniform = true;
  for (int i = 0; i < count; ++i) {
    if (sources[i].scalar)
      continue;
    for (uint32_t d = 0; d < (bits_of(types[i]) == 64 ? 2u : 1u); ++d) {
      lane[i][d] = read_lane(sources[i].offset + d * vgpr_bytes);
      uniform = uniform && lane[i][d].uniform();
    }
  }
  const int result_bits = to_mask ? 32 : bits_of(row.dst);
  if (reads_old)
    for (uint32_t d = 0; d < (result_bits == 64 ? 2u : 1u); ++d) {
      old[d] = read_lane(op.dst + d * vgpr_bytes);
      uniform = uniform && old[d].uniform();
    }
  Mask mask;
  if (masked) {
    mask = mask_in_exec((mask_at - machine::sgpr_offset(0)) / 8);
    uniform = uniform && mask.kind != Mask::rows;
  }
  const bool one = uniform && bodies_.has("s1." + name);
  const std::string body = (one ? "s1." : "v16.") + name;

  // The type that a body takes of `bits` bits.
  const auto type_of = [&](int bits) -> llvm::Type* {
    llvm::Type* t = bits == 16 ? int16_ : bits == 64 ? int64_ : int32_;
    return one ? t : llvm::FixedVectorType::get(t, 16);
  };
  const auto pair = [&](Value* low, Value* high) {
    llvm::Type* t = type_of(64);
    return b_.CreateOr(b_.CreateZExt(low, t), b_.CreateShl(b_.CreateZExt(high, t), 32));
  };
  Rows lanes_rows[3][2], old_rows[2];
  if (!one) {
    for (int i = 0; i < count; ++i)
      if (!sources[i].scalar)
        for (int d = 0; d < (bits_of(types[i]) == 64 ? 2 : 1); ++d)
          lanes_rows[i][d] = rows_of(lane[i][d]);
    if (reads_old)
      for (int d = 0; d < (result_bits == 64 ? 2 : 1); ++d)
        old_rows[d] = rows_of(old[d]);
  }
  const auto vector_value = [&](int bits, const Lane* l, const Rows* r, int n) -> Value* {
    Value* low = one ? l[0].base : r[0][size_t(n)];
    if (bits == 64)
      return pair(low, one ? l[1].base : r[1][size_t(n)]);
    return bits == 16 ? b_.CreateTrunc(low, type_of(16)) : low;
  };
  Value* scalars[3] = {};
  for (int i = 0; i < count; ++i)
    if (sources[i].scalar) {
      const int bits = bits_of(types[i]);
      Value* v = bits == 64 ? scalar64_at(sources[i].offset, sources[i].k) : scalar_at(sources[i].offset, sources[i].k);
      if (bits == 16)
        v = b_.CreateTrunc(v, int16_);
      scalars[i] = one ? v : b_.CreateVectorSplat(16, v);
    }
  std::array<Value*, rows> results{};
  const int times = one ? 1 : rows;
  for (int r = 0; r < times; ++r) {
    std::vector<Value*> arguments;
    for (int i = 0; i < count; ++i)
      arguments.push_back(sources[i].scalar ? scalars[i] : vector_value(bits_of(types[i]), lane[i], lanes_rows[i], r));
    if (reads_old)
      arguments.push_back(vector_value(result_bits, old, old_rows, r));
    if (masked)
      arguments.push_back(!one                         ? mask_row(mask, r)
                          : mask.kind == Mask::uniform ? mask.bit
                                                       : b_.getInt1(mask.kind == Mask::full));
    arguments.push_back(i32(request_.mode));
    const auto result = [&] { return this->body(body, arguments, mode64); };
    results[size_t(r)] = one ? result() : in_row(r, result);
  }
  // Apart: value and flags.
  Mask flags;
  flags.kind = one ? Mask::uniform : Mask::rows;
  const auto set_flag = [&](int r, Value* v) { (one ? flags.bit : flags.row[size_t(r)]) = v; };
  if (to_mask) {
    for (int r = 0; r < times; ++r)
      set_flag(r, results[size_t(r)]);
    const auto compared = [&](uint32_t offset, int i) -> std::optional<Compared> {
      if (bits_of(types[i]) != 64)
        return Compared{operand(offset, op.k0)};
      if (!sources[i].scalar)
        return lane[i][1].uniform() ? std::optional(Compared{lane[i][0], lane[i][1].base}) : std::nullopt;
      Value* v = scalar64_at(offset, op.k0);
      return Compared{uniform_lane(b_.CreateTrunc(v, int32_)), b_.CreateTrunc(b_.CreateLShr(v, 32), int32_)};
    };
    if (!one) {
      const auto x = compared(op.a, 0), y = compared(op.b, 1);
      if (x && y)
        flags.all = holds_in_all(inst.op, *x, *y, false), flags.no = holds_in_all(inst.op, *x, *y, true);
    }
    const Mask m = masked_by_exec(flags);
    write_mask((op.dst - machine::sgpr_offset(0)) / 8, m);
    if (isa::has(row.implicit, isa::Implicit::exec_w))
      write_mask(exec_pair, m);
    return true;
  }
  const bool has_flags = results[0]->getType()->isStructTy();
  if (has_flags)
    for (int r = 0; r < times; ++r) {
      set_flag(r, b_.CreateExtractValue(results[size_t(r)], 1));
      results[size_t(r)] = b_.CreateExtractValue(results[size_t(r)], 0);
    }
  Rows low{}, high{};
  for (int r = 0; r < times; ++r) {
    Value* v = results[size_t(r)];
    if (result_bits == 16)
      v = b_.CreateZExt(v, type_of(32));
    low[size_t(r)] = result_bits == 64 ? b_.CreateTrunc(v, type_of(32)) : v;
    if (result_bits == 64)
      high[size_t(r)] = b_.CreateTrunc(b_.CreateLShr(v, 32), type_of(32));
  }
  const auto put = [&](uint32_t offset, const Rows& v) {
    if (one)
      write_lane(offset, uniform_lane(v[0]));
    else
      write_rows(offset, v);
  };
  std::optional<Lane> affine_low; // of v_mad_u64_u32, if it is; what is clamped depends on the other half
  if (inst.op == Op::v_mad_u64_u32 && !one && u.kind != UopKind::saturated)
    affine_low = low_of_mad(lane, sources[0].scalar ? scalar_at(op.a, op.k0) : nullptr,
                            sources[1].scalar ? scalar_at(op.b, op.k0) : nullptr);
  if (affine_low)
    write_lane(op.dst, *affine_low);
  else
    put(op.dst, low);
  if (result_bits == 64)
    put(op.dst + vgpr_bytes, high);
  if (parts)
    note_apart(op.dst, *parts);
  if (has_flags)
    write_mask((uint32_t(op.imm) - machine::sgpr_offset(0)) / 8, masked_by_exec(flags));
  return true;
}

} // namespace crosslane::jit
