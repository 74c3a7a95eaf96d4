// Reading and writing registers, whatever their class.
#include "isa/instruction.h"
#include "jit/compile/emitter.h"
#include <llvm/IR/MDBuilder.h>
#include <numeric>
#include <utility>

namespace crosslane::jit {

using llvm::ConstantInt;
namespace code = isa::code;

namespace {
constexpr uint32_t scalar_zero = machine::scalar_zero;
uint32_t scalar_number(uint32_t offset) { return (offset - machine::sgpr_offset(0)) / 4; }
} // namespace

Value* Emitter::load_wave(llvm::Type* type, uint64_t offset, uint32_t align) {
  return b_.CreateAlignedLoad(type, wave(offset), llvm::Align(align));
}

Value* Emitter::at_entry_value(uint64_t offset) {
  return at_entry([&] { return load_wave(int32_, offset, 4); });
}

// An address in the unit's code, which may be elsewhere when it runs.
Value* Emitter::code_address(uint64_t address) {
  if (dry_)
    return poison(int64_);
  Value* base = at_entry([&] {
    return b_.CreateAlignedLoad(
        int64_, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), code_, offsetof(engine::CompiledCode, base)),
        llvm::Align(8));
  });
  return b_.CreateAdd(base, i64(address - unit_.base));
}

Value* Emitter::iota(int32_t column) {
  std::array<uint32_t, 16> items;
  for (uint32_t i = 0; i < 16; ++i)
    items[i] = i * uint32_t(column);
  return llvm::ConstantDataVector::get(c_, items);
}

// A constant that LLVM takes for a variable: with zero, as the Wave has it, in it.
Value* Emitter::opaque(uint32_t k) {
  Value*& v = opaque_[k];
  if (!v)
    v = at_entry([&] { return b_.CreateOr(load_wave(int32_, machine::sgpr_offset(scalar_zero), 4), i32(k)); });
  return dry_ ? poison(int32_) : v;
}

// ---- VGPRs

uint32_t Emitter::lane_index(uint32_t offset) const {
  if (offset >= machine::vgpr_offset(0))
    return lane_of_[(offset - machine::vgpr_offset(0)) / machine::vgpr_bytes];
  return first_tmp_ + (offset - machine::tmp_offset(0)) / machine::vgpr_bytes;
}

Lane Emitter::uniform_lane(Value* v) {
  Lane l;
  l.kind = Lane::affine, l.dirty = true, l.no_wrap = true, l.base = v;
  return l;
}

Lane Emitter::read_lane(uint32_t offset) {
  const uint32_t index = lane_index(offset);
  return loaded(index, st_.v[index]);
}

// What a Wave has is loaded where the unit is entered, once; or, if it was written since, here.
Lane Emitter::loaded(uint32_t index, Lane lane) {
  if (!lane.in_wave())
    return lane;
  const bool here = lane.kind != Lane::wave;
  lane.kind = Lane::vector;
  Rows& rows_there = wave_rows_[index];
  const uint64_t offset =
      is_tmp(index) ? machine::tmp_offset(index - first_tmp_) : machine::vgpr_offset(register_of_[index]);
  for (int r = 0; r < rows; ++r) {
    if (here && !dry_) {
      lane.row[size_t(r)] = load_wave(words_, offset + uint64_t(r) * 64, 64);
      continue;
    }
    Value*& row = rows_there[size_t(r)];
    if (!dry_ && !row)
      row = at_entry([&] { return load_wave(words_, offset + uint64_t(r) * 64, 64); });
    lane.row[size_t(r)] = dry_ ? poison(words_) : row;
  }
  return lane;
}

Value* Emitter::row_base(const Lane& l, int row) {
  Value* v = b_.CreateAdd(l.base, i32(uint32_t(l.offset(row))));
  return l.dynamic && l.times(row) ? b_.CreateAdd(v, b_.CreateMul(l.step, i32(l.times(row)))) : v;
}

// What the last eight columns of an affine value are beyond the columns' distances.
Value* Emitter::last_columns(const Lane& l) {
  Value* v = i32(uint32_t(l.fixed[0]));
  return l.dynamic && l.by[0] ? b_.CreateAdd(v, b_.CreateMul(l.step, i32(l.by[0]))) : v;
}
Value* Emitter::in_last_columns(Value* v) {
  std::array<uint32_t, 16> there{};
  std::fill(there.begin() + 8, there.end(), ~0u);
  return b_.CreateAnd(splat(v), llvm::ConstantDataVector::get(c_, there));
}

Value* Emitter::row_of(const Lane& l, int r) {
  if (l.kind == Lane::vector)
    return l.row[size_t(r)];
  Value* row = splat(row_base(l, r));
  if (l.column)
    row = b_.CreateAdd(row, iota(l.column));
  return l.whole_rows() ? row : b_.CreateAdd(row, in_last_columns(last_columns(l)));
}

Rows Emitter::rows_of(const Lane& l) {
  if (l.kind == Lane::vector)
    return l.row;
  Rows out;
  for (int r = 0; r < rows; ++r)
    out[size_t(r)] = row_of(l, r);
  return out;
}

void Emitter::write_rows(uint32_t offset, const Rows& value, bool masked) {
  Lane l;
  l.kind = Lane::vector, l.row = value;
  write_lane(offset, std::move(l), masked);
}

void Emitter::write_lane(uint32_t offset, Lane value, bool masked) {
  const uint32_t index = lane_index(offset);
  value.dirty = true;
  if (is_tmp(index) || !masked || all_lanes() || (!narrowed_ && !beyond_[at_].test(index))) {
    st_.v[index] = value;
    st_.others.erase(index);
    return;
  }
  if (exec().kind == Mask::empty)
    return;
  const Lane old = st_.v[index];
  st_.v[index] = value;
  if (narrowed_) // until the end of this instruction
    merge(index, old);
  else
    st_.others.try_emplace(index, old);
}

// Of a register's lanes those that EXEC has stay as they are.
void Emitter::merge(uint32_t index, const Lane& other) {
  Lane value = loaded(index, st_.v[index]);
  settle_owed(value);
  value.wide = nullptr;
  const Lane old = loaded(index, other);
  const Mask mask = exec();
  if (mask.kind == Mask::uniform && old.kind == Lane::affine && value.kind == Lane::affine &&
      old.same_distances(value)) {
    value.base = b_.CreateSelect(mask.bit, value.base, old.base);
    if (value.dynamic)
      value.step = b_.CreateSelect(mask.bit, value.step, old.step);
    value.no_wrap = value.no_wrap && old.no_wrap, value.may |= old.may;
    value.zeros = std::min(value.known_zeros(), old.known_zeros()), value.constant.reset();
    st_.v[index] = value;
    return;
  }
  const Rows before = rows_of(old), after = rows_of(value);
  Lane merged;
  merged.kind = Lane::vector, merged.dirty = true, merged.may = old.may | value.may;
  for (int r = 0; r < rows; ++r)
    merged.row[size_t(r)] =
        in_row(r, [&] { return b_.CreateSelect(mask_row(mask, r), after[size_t(r)], before[size_t(r)]); });
  st_.v[index] = merged;
}

// Before EXEC changes, and where all lanes count.
void Emitter::merge_all() {
  const std::map<uint32_t, Lane> others = std::exchange(st_.others, {});
  for (const auto& [index, other] : others)
    merge(index, other);
}

// ---- Scalars

Value* Emitter::read_scalar(uint32_t n) {
  if (n >= scalar_zero && n < scalar_zero + 16)
    return i32(0);
  if (n < 2 * pair_count && st_.m[n / 2].kind != Mask::none)
    return half_of(st_.m[n / 2], n % 2);
  if (const Scalar& s = st_.s[n]; s.kind == Scalar::value)
    return s.v;
  if (dry_)
    return poison(int32_);
  if (!wave_scalars_[n])
    wave_scalars_[n] = at_entry_value(machine::sgpr_offset(n));
  return wave_scalars_[n];
}

Value* Emitter::scalar_at(uint32_t offset, uint64_t k) {
  return b_.CreateOr(read_scalar(scalar_number(offset)), i32(uint32_t(k)));
}

Value* Emitter::scalar64_at(uint32_t offset, uint64_t k) {
  const uint32_t n = scalar_number(offset);
  if (n % 2 == 0 && n < 2 * pair_count && st_.m[n / 2].kind != Mask::none)
    return b_.CreateOr(mask_bits(st_.m[n / 2]), i64(k));
  Value* low = b_.CreateZExt(read_scalar(n), int64_);
  Value* high = b_.CreateZExt(read_scalar(n + 1), int64_);
  return b_.CreateOr(b_.CreateOr(low, b_.CreateShl(high, 32)), i64(k));
}

void Emitter::write_scalar(uint32_t n, Value* v) {
  if (n / 2 == exec_pair)
    merge_all();
  if (n < 2 * pair_count && st_.m[n / 2].kind != Mask::none)
    drop_mask(n / 2);
  st_.s[n] = {Scalar::value, true, v};
}

void Emitter::write_scalar64(uint32_t n, Value* v) {
  if (n / 2 == exec_pair)
    merge_all();
  if (n % 2 == 0 && n < 2 * pair_count)
    st_.m[n / 2] = {};
  write_scalar(n, b_.CreateTrunc(v, int32_));
  write_scalar(n + 1, b_.CreateTrunc(b_.CreateLShr(v, 32), int32_));
}

Value* Emitter::scc() {
  if (st_.scc.kind == Scalar::value)
    return st_.scc.v;
  if (dry_)
    return poison(int1_);
  if (!wave_scc_)
    wave_scc_ = at_entry([&] { return b_.CreateICmpNE(load_wave(int32_, offsetof(machine::Wave, scc), 4), i32(0)); });
  return wave_scc_;
}
void Emitter::write_scc(Value* bit) { st_.scc = {Scalar::value, true, bit}; }

// ---- Masks

bool Emitter::is_pair(uint32_t offset) {
  const uint32_t n = scalar_number(offset);
  return n % 2 == 0 && n < 2 * pair_count;
}

// Bits of a scalar as lanes. Not by casting the 16 bits of a row: LLVM 19 may go to and fro for ever between that and
// the cast of what masks are combined to.
Rows Emitter::rows_of_bits(Value* bits) {
  std::array<uint32_t, 16> lane;
  for (uint32_t i = 0; i < 16; ++i)
    lane[i] = 1u << i;
  Rows out;
  for (int r = 0; r < rows; ++r) {
    Value* row = splat(b_.CreateTrunc(b_.CreateLShr(bits, uint64_t(16 * r)), int32_));
    out[size_t(r)] = b_.CreateICmpNE(b_.CreateAnd(row, llvm::ConstantDataVector::get(c_, lane)),
                                     llvm::Constant::getNullValue(words_));
  }
  return out;
}

Mask Emitter::as_mask(Value* bits) {
  Mask m;
  m.kind = Mask::rows;
  if (st_.masks_are_bits)
    m.bits = bits;
  else
    m.row = rows_of_bits(bits);
  return m;
}

Value* Emitter::mask_row(const Mask& m, int row) {
  switch (m.kind) {
  case Mask::full: return llvm::Constant::getAllOnesValue(mask_);
  case Mask::empty: return llvm::Constant::getNullValue(mask_);
  case Mask::uniform: return b_.CreateVectorSplat(16, m.bit);
  default: break;
  }
  if (m.row[0])
    return m.row[size_t(row)];
  if (dry_)
    return poison(mask_);
  Rows& there = expanded_[{m.bits, b_.GetInsertBlock()}];
  if (!there[0])
    there = rows_of_bits(m.bits);
  return there[size_t(row)];
}

Value* Emitter::mask_bits(const Mask& m) {
  switch (m.kind) {
  case Mask::full: return i64(~uint64_t(0));
  case Mask::empty: return i64(0);
  case Mask::uniform: return b_.CreateSExt(m.bit, int64_);
  default: break;
  }
  if (m.bits)
    return m.bits;
  if (st_.masks_are_bits) { // the host takes the bits of 32 lanes at once
    std::array<Value*, 2> half;
    std::array<int, 32> join;
    std::iota(join.begin(), join.end(), 0);
    for (size_t h = 0; h < 2; ++h)
      half[h] =
          b_.CreateZExt(b_.CreateBitCast(b_.CreateShuffleVector(m.row[2 * h], m.row[2 * h + 1], join), int32_), int64_);
    return b_.CreateOr(half[0], b_.CreateShl(half[1], 32));
  }
  Value* bits = nullptr;
  for (int r = 0; r < rows; ++r) {
    Value* part = b_.CreateShl(b_.CreateZExt(b_.CreateBitCast(m.row[size_t(r)], int16_), int64_), uint64_t(16 * r));
    bits = bits ? b_.CreateOr(bits, part) : part;
  }
  return bits;
}

Value* Emitter::any(const Mask& m) {
  switch (m.kind) {
  case Mask::full: return b_.getTrue();
  case Mask::empty: return b_.getFalse();
  case Mask::uniform: return m.bit;
  default: return b_.CreateICmpNE(mask_bits(m), i64(0));
  }
}

// LLVM must not see that 16 of the bits are a row's mask: taken for a half, they are something it cannot select.
Value* Emitter::half_of(const Mask& m, uint32_t half) {
  Value* v = b_.CreateTrunc(b_.CreateLShr(mask_bits(m), uint64_t(32) * half), int32_);
  return m.kind == Mask::rows ? b_.CreateOr(v, opaque(0)) : v;
}

void Emitter::drop_mask(uint32_t pair) {
  const Mask m = st_.m[pair];
  st_.m[pair] = {};
  for (uint32_t half = 0; half < 2; ++half)
    st_.s[2 * pair + half] = {Scalar::value, m.dirty, half_of(m, half)};
}

Mask Emitter::mask_of(uint32_t pair) {
  if (st_.m[pair].kind != Mask::none)
    return st_.m[pair];
  return as_mask(scalar64_at(machine::sgpr_offset(2 * pair), 0));
}

Mask Emitter::mask_in_exec(uint32_t pair) {
  Mask m = mask_of(pair);
  if (m.in_exec)
    m.kind = Mask::uniform, m.bit = m.in_exec;
  return m;
}

void Emitter::write_mask(uint32_t pair, Mask m) {
  if (pair == exec_pair) {
    merge_all();
    m.in_exec = nullptr, m.wide = nullptr;
    for (Mask& other : st_.m)
      other.in_exec = nullptr, other.wide = nullptr;
  }
  m.dirty = true;
  st_.m[pair] = m;
  st_.s[2 * pair] = st_.s[2 * pair + 1] = Scalar{};
}

Mask Emitter::invert(const Mask& m) {
  Mask out = m;
  out.all = m.no, out.no = m.all, out.in_exec = nullptr, out.wide = nullptr;
  switch (m.kind) {
  case Mask::full: out.kind = Mask::empty; break;
  case Mask::empty: out.kind = Mask::full; break;
  case Mask::uniform: out.bit = b_.CreateNot(m.bit); break;
  default:
    for (int r = 0; r < rows && m.row[0]; ++r)
      out.row[size_t(r)] = b_.CreateNot(m.row[size_t(r)]);
    if (m.bits)
      out.bits = b_.CreateNot(m.bits);
  }
  return out;
}

Mask Emitter::combine(Logic logic, const Mask& x, const Mask& y) {
  if (x.kind == Mask::full || x.kind == Mask::empty) {
    const bool full = x.kind == Mask::full;
    switch (logic) {
    case Logic::and_: return full ? y : x;
    case Logic::or_: return full ? x : y;
    case Logic::xor_: return full ? invert(y) : y;
    }
  }
  if (y.kind == Mask::full || y.kind == Mask::empty)
    return combine(logic, y, x);
  const auto apply = [&](Value* a, Value* b) {
    return logic == Logic::and_ ? b_.CreateAnd(a, b) : logic == Logic::or_ ? b_.CreateOr(a, b) : b_.CreateXor(a, b);
  };
  Mask out;
  if (x.kind == Mask::uniform && y.kind == Mask::uniform) {
    out.kind = Mask::uniform, out.bit = apply(x.bit, y.bit);
    return out;
  }
  out.kind = Mask::rows;
  if (x.bits || y.bits)
    out.bits = apply(mask_bits(x), mask_bits(y));
  if (x.row[0] || y.row[0])
    for (int r = 0; r < rows; ++r)
      out.row[size_t(r)] = apply(mask_row(x, r), mask_row(y, r));
  const auto all = [](const Mask& m) { return m.kind == Mask::uniform ? m.bit : m.all; };
  const auto no = [&](const Mask& m) { return m.kind == Mask::uniform ? b_.CreateNot(m.bit) : m.no; };
  if (logic == Logic::and_ && all(x) && all(y))
    out.all = b_.CreateAnd(all(x), all(y));
  if (logic == Logic::and_)
    out.no = !no(x) ? no(y) : !no(y) ? no(x) : b_.CreateOr(no(x), no(y));
  return out;
}

Mask Emitter::masked_by_exec(const Mask& m) {
  Mask out = combine(Logic::and_, m, exec());
  if (exec().kind == Mask::rows && !narrowed_ && (m.kind == Mask::uniform || m.kind == Mask::full))
    out.in_exec = m.kind == Mask::full ? b_.getTrue() : m.bit;
  return out;
}

} // namespace crosslane::jit
