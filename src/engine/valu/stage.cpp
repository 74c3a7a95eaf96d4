// The handlers of staging and finishing (what they compute: engine/values/stage.h), and the functions that emit them.
#include "engine/valu/stage.h"
#include "engine/raise.h"
#include "engine/scalar/hwreg.h"
#include "engine/valu/valu.h"
#include "engine/values/stage.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

constexpr int rows = machine::rows_per_wave;

CROSSLANE_INLINE Words read(Wave* w, uint32_t offset, int r) {
  return lanes::load<uint32_t, row_lanes>(at(w, offset) + r * 64);
}
CROSSLANE_INLINE void write(Wave* w, uint32_t offset, int r, Words v) { lanes::store(at(w, offset) + r * 64, v); }

CROSSLANE_CC void broadcast_op(const Uop* op, Wave* w) {
  const Words v = broadcast<Type::B32>(w, op->a, op->k0);
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, v);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void mask_op(const Uop* op, Wave* w) {
  std::memcpy(at(w, op->dst), &op->k0, 8);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void copy_op(const Uop* op, Wave* w) {
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, read(w, op->a, r));
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void bits_op(const Uop* op, Wave* w) {
  const uint32_t keep = uint32_t(op->k0), flip = uint32_t(op->k0 >> 32);
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, staging::bits(read(w, op->a, r), keep, flip));
  CROSSLANE_NEXT(op, w);
}
template <bool Signed> CROSSLANE_CC void field_op(const Uop* op, Wave* w) {
  const Words left = uint32_t(op->imm), right = op->aux;
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, lanes::extract_field<Signed>(read(w, op->a, r), left, right));
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void halves_op(const Uop* op, Wave* w) {
  const int low = int(op->aux & 1), high = int(op->aux >> 1);
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, lanes::select_halves(read(w, op->a, r), low, high));
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void half_to_float_op(const Uop* op, Wave* w) {
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, staging::half_to_float(fetch<Type::F16>(w, op->a, r)));
  CROSSLANE_NEXT(op, w);
}

// VGPR indexing. A source beyond the wave's own registers is VGPR 0; a result there is not written.
// Source: Vega ISA manual, "Out-of-Range behavior".
CROSSLANE_INLINE uint64_t indexed(const Wave* w, uint32_t first, uint64_t mask) {
  return (first - machine::vgpr_offset(0)) / machine::vgpr_bytes + (w->s[isa::code::m0] & mask);
}
CROSSLANE_CC void indexed_read(const Uop* op, Wave* w) {
  const uint64_t n = indexed(w, op->a, op->k0);
  const uint32_t from = machine::vgpr_offset(n < w->vgpr_count ? uint32_t(n) : 0);
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, read(w, from, r));
  CROSSLANE_NEXT(op, w);
}
// aux: dwords of the result beyond this one.
CROSSLANE_CC void indexed_write(const Uop* op, Wave* w) {
  if (const uint64_t n = indexed(w, op->dst, op->k0); n + op->aux < w->vgpr_count) {
    const uint32_t to = machine::vgpr_offset(uint32_t(n));
    for (int r = 0; r < rows; ++r)
      lanes::store(at(w, to) + r * 64, exec_row(w, r), read(w, op->a, r));
  }
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void indexed_write_all(const Uop* op, Wave* w) {
  if (const uint64_t n = indexed(w, op->dst, op->k0); n < w->vgpr_count)
    for (int r = 0; r < rows; ++r)
      write(w, machine::vgpr_offset(uint32_t(n)), r, read(w, op->a, r));
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void finish_copy_op(const Uop* op, Wave* w) {
  for (int r = 0; r < rows; ++r)
    put_words(at(w, op->dst) + r * 64, exec_row(w, r), read(w, op->a, r));
  CROSSLANE_NEXT(op, w);
}

template <isa::SdwaUnused Unused> CROSSLANE_CC void finish_field_op(const Uop* op, Wave* w) {
  const uint32_t shift = uint32_t(op->imm), field = uint32_t(op->k0), above = op->aux;
  for (int r = 0; r < rows; ++r) {
    const Words old = Unused == isa::SdwaUnused::preserve ? read(w, op->dst, r) : Words(0);
    put_words(at(w, op->dst) + r * 64, exec_row(w, r),
              staging::put_field<Unused>(old, read(w, op->a, r), field, shift, above));
  }
  CROSSLANE_NEXT(op, w);
}

template <Type T> CROSSLANE_CC void finish_float_op(const Uop* op, Wave* w) {
  if constexpr (isa::uses_mode64(T))
    if (w->fp_split)
      _mm_setcsr(w->mxcsr64);
  constexpr Type item = T == Type::PkF32 ? Type::F32 : T; // a pair in two registers
  for (uint32_t d = 0; d < uint32_t(T == Type::PkF32 ? 2 : 1); ++d) {
    const uint32_t at = op->dst + d * machine::vgpr_bytes;
    for (int r = 0; r < rows; ++r)
      put(w, at, r, RowMask(0xffff),
          staging::put_float<item, row_lanes>(fetch<item>(w, at, r), uint32_t(op->imm), op->aux != 0, w->mode));
  }
  if constexpr (isa::uses_mode64(T))
    if (w->fp_split)
      _mm_setcsr(w->mxcsr32);
  CROSSLANE_NEXT(op, w);
}

// MODE is kept meanwhile in scalar temporary 28.
CROSSLANE_CC void begin_truncation_op(const Uop* op, Wave* w) {
  w->s[machine::scalar_tmp + 28] = w->mode;
  w->mode |= 0xc;
  apply_mode(*w);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void end_truncation_op(const Uop* op, Wave* w) {
  w->mode = w->s[machine::scalar_tmp + 28];
  apply_mode(*w);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void finish_overflow_op(const Uop* op, Wave* w) {
  for (int r = 0; r < rows; ++r)
    write(w, op->dst, r, staging::put_overflow(read(w, op->dst, r), read(w, op->a, r)));
  CROSSLANE_NEXT(op, w);
}

} // namespace

void begin_truncation(Lowering& l) { l.emit(UopKind::truncate, begin_truncation_op); }
void end_truncation(Lowering& l) { l.emit(UopKind::truncate_end, end_truncation_op); }
void finish_overflow(Lowering& l, uint32_t at, uint32_t truncated) {
  Uop& op = l.emit(UopKind::put_overflow, finish_overflow_op);
  op.dst = at, op.a = truncated;
}
void stage_broadcast(Lowering& l, ScalarOperand from, uint32_t tmp, int dwords) {
  for (int i = 0; i < dwords; ++i) {
    Uop& op = l.emit(UopKind::broadcast, broadcast_op);
    const bool constant = from.offset == machine::sgpr_offset(machine::scalar_zero);
    op.dst = tmp + i * machine::vgpr_bytes, op.a = constant ? from.offset : from.offset + 4 * i;
    op.k0 = from.k >> (32 * i) & 0xffffffff;
  }
}
void stage_mask(Lowering& l, ScalarOperand from, uint32_t to) {
  Uop& op = l.emit(UopKind::mask, mask_op);
  op.k0 = from.k, op.dst = to;
}
void stage_copy(Lowering& l, uint32_t from, uint32_t tmp) {
  Uop& op = l.emit(UopKind::copy, copy_op);
  op.a = from, op.dst = tmp;
}
void stage_bits(Lowering& l, uint32_t from, uint32_t tmp, uint32_t and_mask, uint32_t xor_mask) {
  Uop& op = l.emit(UopKind::bits, bits_op);
  op.a = from, op.dst = tmp, op.k0 = and_mask | uint64_t(xor_mask) << 32;
}
void stage_field(Lowering& l, uint32_t from, uint32_t tmp, int offset, int width, bool sign_extend) {
  Uop& op = l.emit(UopKind::field, sign_extend ? field_op<true> : field_op<false>);
  op.a = from, op.dst = tmp, op.imm = 32 - offset - width, op.aux = 32 - width, op.k1 = sign_extend;
}
void stage_halves(Lowering& l, uint32_t from, uint32_t tmp, bool low_from_high, bool high_from_high) {
  Uop& op = l.emit(UopKind::halves, halves_op);
  op.a = from, op.dst = tmp, op.aux = uint32_t(low_from_high) | uint32_t(high_from_high) << 1;
}
void stage_half_to_float(Lowering& l, uint32_t from, uint32_t tmp) {
  Uop& op = l.emit(UopKind::half_to_float, half_to_float_op);
  op.a = from, op.dst = tmp;
}
void stage_indexed(Lowering& l, uint32_t first_vgpr, uint32_t tmp, int dword, Index index) {
  Uop& op = l.emit(UopKind::indexed_read, indexed_read);
  op.k0 = uint32_t(index);
  op.a = first_vgpr + dword * machine::vgpr_bytes, op.dst = tmp + dword * machine::vgpr_bytes;
}
void finish_copy(Lowering& l, uint32_t tmp, uint32_t to) {
  Uop& op = l.emit(UopKind::put, finish_copy_op);
  op.a = tmp, op.dst = to;
}
void finish_indexed(Lowering& l, uint32_t tmp, uint32_t first_vgpr, int dword, int dwords, Index index) {
  Uop& op = l.emit(UopKind::put_indexed, indexed_write);
  op.k0 = uint32_t(index), op.aux = uint32_t(dwords - 1 - dword);
  op.a = tmp + dword * machine::vgpr_bytes, op.dst = first_vgpr + dword * machine::vgpr_bytes;
}
void finish_indexed_all(Lowering& l, uint32_t tmp, uint32_t first_vgpr) {
  Uop& op = l.emit(UopKind::put_indexed, indexed_write_all);
  op.k0 = uint32_t(Index::low_byte);
  op.a = tmp, op.dst = first_vgpr;
}
void finish_field(Lowering& l, uint32_t tmp, uint32_t to, int offset, int width, isa::SdwaUnused unused) {
  using enum isa::SdwaUnused;
  Uop& op = l.emit(UopKind::put_field, unused == preserve ? finish_field_op<preserve>
                                       : unused == sext   ? finish_field_op<sext>
                                                          : finish_field_op<pad>);
  op.a = tmp, op.dst = to, op.imm = offset, op.k1 = uint64_t(unused);
  op.k0 = width == 32 ? ~0u : (1u << width) - 1, op.aux = uint32_t(32 - width);
}
void finish_float(Lowering& l, uint32_t where, isa::Type type, int omod, bool clamp) {
  Uop& op = l.emit(UopKind::put_float, type == Type::F64     ? finish_float_op<Type::F64>
                                       : type == Type::F16   ? finish_float_op<Type::F16>
                                       : type == Type::PkF16 ? finish_float_op<Type::PkF16>
                                       : type == Type::PkF32 ? finish_float_op<Type::PkF32>
                                                             : finish_float_op<Type::F32>);
  op.dst = where, op.imm = omod, op.aux = clamp, op.k1 = uint64_t(type);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
