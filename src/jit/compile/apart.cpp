// Lane numbers taken apart: what a kernel makes of its work-item id by masks and shifts (id & 31, id >> 5, id / 64 *
// 32). As long as the part that all lanes have in common and the part that is a constant of each lane have no bit in
// both, a mask or a shift of their sum is that of each. Where the constants are affine again the result is; else the
// register is a vector, of which is kept what it is made of, as a later mask may leave something affine.
#include "isa/op.h"
#include "jit/compile/emitter.h"
#include <algorithm>

namespace crosslane::jit {

using isa::Op;

bool Emitter::Apart::apart() const {
  return zeros >= 32 || std::ranges::all_of(offsets, [&](uint32_t v) { return v >> zeros == 0; });
}

std::optional<Emitter::Apart> Emitter::apart(const Lane& l) {
  if (l.kind == Lane::vector && l.offsets)
    return Apart{l.base, l.zeros, *l.offsets, l.may};
  if (l.kind != Lane::affine || l.dynamic)
    return std::nullopt;
  Apart out{l.base, l.known_zeros(), {}, l.may};
  for (int lane = 0; lane < int(out.offsets.size()); ++lane)
    out.offsets[size_t(lane)] = uint32_t(l.distance(lane));
  return out;
}

// Of what an instruction computes; nothing: no rule fits, or all its sources are uniform, which is the library's.
std::optional<Emitter::Apart> Emitter::result_apart(const Uop& op) {
  const Op name = unit_.instructions[at_].inst.op;
  bool varies = false;
  const auto source = [&](uint32_t offset) {
    const Lane l = operand(offset, op.k0);
    varies = varies || !l.uniform();
    return apart(l);
  };
  const auto masked = [](std::optional<Apart> x, std::optional<uint32_t> k, Builder& b) -> std::optional<Apart> {
    if (!x || !k || !x->apart())
      return std::nullopt;
    x->base = b.CreateAnd(x->base, b.getInt32(x->zeros < 32 ? *k >> x->zeros << x->zeros : 0));
    for (uint32_t& v : x->offsets)
      v &= *k;
    x->may &= *k;
    return x;
  };
  const auto shifted_right = [](std::optional<Apart> x, std::optional<uint32_t> k, Builder& b) -> std::optional<Apart> {
    if (!x || !k || !x->apart())
      return std::nullopt;
    x->base = b.CreateLShr(x->base, *k & 31);
    for (uint32_t& v : x->offsets)
      v >>= *k & 31;
    x->zeros -= std::min(x->zeros, *k & 31), x->may >>= *k & 31;
    return x;
  };
  const auto shifted_left = [](std::optional<Apart> x, std::optional<uint32_t> k, Builder& b) -> std::optional<Apart> {
    if (!x || !k)
      return std::nullopt;
    x->base = b.CreateShl(x->base, *k & 31);
    for (uint32_t& v : x->offsets)
      v <<= *k & 31;
    x->zeros = std::min(x->zeros + (*k & 31), 32u), x->may <<= *k & 31;
    return x;
  };
  const auto added = [](std::optional<Apart> x, const std::optional<Apart>& y, bool as_bits,
                        Builder& b) -> std::optional<Apart> {
    if (!x || !y || (as_bits && (x->may & y->may)))
      return std::nullopt;
    x->base = b.CreateAdd(x->base, y->base);
    for (size_t i = 0; i < x->offsets.size(); ++i)
      x->offsets[i] += y->offsets[i];
    x->zeros = std::min(x->zeros, y->zeros);
    const uint64_t most = uint64_t(x->may) + y->may;
    x->may = most >> 32 ? ~0u : x->may & y->may ? uint32_t(std::bit_ceil(most + 1) - 1) : x->may | y->may;
    return x;
  };
  const auto result = [&]() -> std::optional<Apart> {
    const auto known = [&](uint32_t offset) { return this->known(offset, op.k0); };
    switch (name) {
    case Op::v_and_b32:
      return known(op.a) ? masked(source(op.b), known(op.a), b_) : masked(source(op.a), known(op.b), b_);
    case Op::v_lshrrev_b32: return shifted_right(source(op.b), known(op.a), b_);
    case Op::v_lshlrev_b32: return shifted_left(source(op.b), known(op.a), b_);
    case Op::v_bfe_u32: {
      const auto width = known(op.c);
      return width ? masked(shifted_right(source(op.a), known(op.b), b_), (1u << (*width & 31)) - 1, b_) : std::nullopt;
    }
    case Op::v_add_u32: return added(source(op.a), source(op.b), false, b_);
    case Op::v_or_b32: return added(source(op.a), source(op.b), true, b_);
    case Op::v_and_or_b32: return added(masked(source(op.a), known(op.b), b_), source(op.c), true, b_);
    case Op::v_lshl_or_b32: return added(shifted_left(source(op.a), known(op.b), b_), source(op.c), true, b_);
    case Op::v_lshl_add_u32: return added(shifted_left(source(op.a), known(op.b), b_), source(op.c), false, b_);
    case Op::v_add_lshl_u32: return shifted_left(added(source(op.a), source(op.b), false, b_), known(op.c), b_);
    default: return std::nullopt;
    }
  }();
  return varies ? result : std::nullopt;
}

// False: the constants are not affine.
bool Emitter::write_affine(uint32_t offset, const Apart& x) {
  const auto distance = [&](size_t lane) { return int32_t(x.offsets[lane] - x.offsets[0]); };
  Lane l;
  l.kind = Lane::affine, l.may = x.may;
  const int64_t half = distance(8) - int64_t(8) * distance(1);
  l.column = distance(1), l.fixed = {int32_t(half), distance(16), distance(32)};
  for (size_t lane = 0; lane < x.offsets.size(); ++lane)
    if (distance(lane) != l.distance(int(lane)))
      return false;
  const uint32_t first = x.offsets[0];
  l.base = b_.CreateAdd(x.base, i32(first));
  l.zeros = std::min(x.zeros, uint32_t(std::countr_zero(first)));
  l.no_wrap = x.apart() || l.uniform();
  if (l.uniform() && !l.may)
    l.constant = 0;
  write_lane(offset, l);
  return true;
}

void Emitter::note_apart(uint32_t offset, const Apart& x) {
  Lane& l = st_.v[lane_index(offset)];
  if (l.kind != Lane::vector || narrowed_ || exec().kind == Mask::empty) // which writes nothing
    return;
  offsets_.push_back(x.offsets);
  l.base = x.base, l.zeros = x.zeros, l.may = x.may, l.offsets = &offsets_.back();
}

} // namespace crosslane::jit
