// Owns the scalar ALU: SOP1, SOP2, SOPC and the arithmetic of SOPK. Source: Vega 7nm ISA manual, chapter 12.
// Scalars are Vec<T, 1>; what touches pc, EXEC, M0 or hardware registers is the engine's.
#pragma once
#include "lanes/math.h"
#include "semantics/common.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

using SB32 = Vec<uint32_t, 1>;
using SI32 = Vec<int32_t, 1>;
using SB64 = Vec<uint64_t, 1>;
using SI64 = Vec<int64_t, 1>;
using Scc = Mask<1>;
template <class T> using WithScc = Pair<Vec<T, 1>, Scc>;

namespace detail {
template <class T> CROSSLANE_INLINE WithScc<T> nonzero(Vec<T, 1> d) { return {d, Scc(d.v != 0)}; }
} // namespace detail

// Moves and selects.
CROSSLANE_INLINE SB32 s_mov_b32(SB32 s0) { return s0; }
CROSSLANE_INLINE SB64 s_mov_b64(SB64 s0) { return s0; }
CROSSLANE_INLINE SI32 s_movk_i32(SI32 imm) { return imm; }
CROSSLANE_INLINE SB32 s_cmov_b32(SB32 s0, SB32 d, Scc scc) { return select(scc, s0, d); }
CROSSLANE_INLINE SB64 s_cmov_b64(SB64 s0, SB64 d, Scc scc) { return select(scc, s0, d); }
CROSSLANE_INLINE SI32 s_cmovk_i32(SI32 imm, SI32 d, Scc scc) { return select(scc, imm, d); }
CROSSLANE_INLINE SB32 s_cselect_b32(SB32 s0, SB32 s1, Scc scc) { return select(scc, s0, s1); }
CROSSLANE_INLINE SB64 s_cselect_b64(SB64 s0, SB64 s1, Scc scc) { return select(scc, s0, s1); }

// Bitwise; SCC = (D != 0).
#define CROSSLANE_LOGIC(name, expression)                                                                              \
  CROSSLANE_INLINE WithScc<uint32_t> name##_b32(SB32 s0, SB32 s1) { return detail::nonzero(expression); }              \
  CROSSLANE_INLINE WithScc<uint64_t> name##_b64(SB64 s0, SB64 s1) { return detail::nonzero(expression); }
CROSSLANE_LOGIC(s_and, s0& s1)
CROSSLANE_LOGIC(s_or, s0 | s1)
CROSSLANE_LOGIC(s_xor, s0 ^ s1)
CROSSLANE_LOGIC(s_andn2, s0 & ~s1)
CROSSLANE_LOGIC(s_orn2, s0 | ~s1)
CROSSLANE_LOGIC(s_nand, ~(s0& s1))
CROSSLANE_LOGIC(s_nor, ~(s0 | s1))
CROSSLANE_LOGIC(s_xnor, ~(s0 ^ s1))
#undef CROSSLANE_LOGIC
CROSSLANE_INLINE WithScc<uint32_t> s_not_b32(SB32 s0) { return detail::nonzero(~s0); }
CROSSLANE_INLINE WithScc<uint64_t> s_not_b64(SB64 s0) { return detail::nonzero(~s0); }

// Addition and subtraction.
// D = S0 + S1; SCC = carry out
CROSSLANE_INLINE WithScc<uint32_t> s_add_u32(SB32 s0, SB32 s1) {
  const SB32 d = s0 + s1;
  return {d, d < s0};
}
// D = S0 - S1; SCC = borrow
CROSSLANE_INLINE WithScc<uint32_t> s_sub_u32(SB32 s0, SB32 s1) { return {s0 - s1, s1 > s0}; }
// D = S0 + S1; SCC = signed overflow
CROSSLANE_INLINE WithScc<int32_t> s_add_i32(SI32 s0, SI32 s1) {
  const SI32 d = lanes::add(s0, s1);
  return {d, ((s0 ^ d) & (s1 ^ d)) < 0};
}
// D = S0 - S1; SCC = signed overflow
CROSSLANE_INLINE WithScc<int32_t> s_sub_i32(SI32 s0, SI32 s1) {
  const SI32 d = lanes::sub(s0, s1);
  return {d, ((s0 ^ s1) & (s0 ^ d)) < 0};
}
// D = S0 + S1 + SCC; SCC = carry out
CROSSLANE_INLINE WithScc<uint32_t> s_addc_u32(SB32 s0, SB32 s1, Scc scc) {
  const uint64_t sum = uint64_t(s0.v) + s1.v + scc.bits;
  return {SB32(uint32_t(sum)), Scc((sum >> 32) != 0)};
}
// D = S0 - S1 - SCC; SCC = (S1 + SCC > S0)
CROSSLANE_INLINE WithScc<uint32_t> s_subb_u32(SB32 s0, SB32 s1, Scc scc) {
  const uint64_t subtrahend = uint64_t(s1.v) + scc.bits;
  return {SB32(uint32_t(s0.v - subtrahend)), Scc(subtrahend > s0.v)};
}
// D = D + imm; SCC = signed overflow
CROSSLANE_INLINE WithScc<int32_t> s_addk_i32(SI32 imm, SI32 d) { return s_add_i32(d, imm); }
CROSSLANE_INLINE SI32 s_mulk_i32(SI32 imm, SI32 d) { return lanes::mul(d, imm); }
CROSSLANE_INLINE SI32 s_mul_i32(SI32 s0, SI32 s1) { return lanes::mul(s0, s1); }
CROSSLANE_INLINE SB32 s_mul_hi_u32(SB32 s0, SB32 s1) { return SB32(uint32_t((uint64_t(s0.v) * s1.v) >> 32)); }
CROSSLANE_INLINE SI32 s_mul_hi_i32(SI32 s0, SI32 s1) { return SI32(int32_t((int64_t(s0.v) * s1.v) >> 32)); }
// D = |S0 - S1| of the wrapped difference; SCC = (D != 0)
CROSSLANE_INLINE WithScc<int32_t> s_absdiff_i32(SI32 s0, SI32 s1) {
  const SI32 d = lanes::sub(s0, s1);
  return detail::nonzero(select(d < 0, lanes::sub(SI32(0), d), d));
}
// D = |S0|, 0x80000000 stays; SCC = (D != 0)
CROSSLANE_INLINE WithScc<int32_t> s_abs_i32(SI32 s0) {
  return detail::nonzero(select(s0 < 0, lanes::sub(SI32(0), s0), s0));
}
// D = (S0 << k) + S1; SCC = the sum does not fit 32 bits
#define CROSSLANE_LSHL_ADD(k)                                                                                          \
  CROSSLANE_INLINE WithScc<uint32_t> s_lshl##k##_add_u32(SB32 s0, SB32 s1) {                                           \
    const uint64_t sum = (uint64_t(s0.v) << k) + s1.v;                                                                 \
    return {SB32(uint32_t(sum)), Scc((sum >> 32) != 0)};                                                               \
  }
CROSSLANE_LSHL_ADD(1)
CROSSLANE_LSHL_ADD(2)
CROSSLANE_LSHL_ADD(3)
CROSSLANE_LSHL_ADD(4)
#undef CROSSLANE_LSHL_ADD

// D = the smaller / larger; SCC = S0 is strictly it
#define CROSSLANE_MINMAX(name, o, T)                                                                                   \
  CROSSLANE_INLINE WithScc<T> name(Vec<T, 1> s0, Vec<T, 1> s1) { return {select(s0 o s1, s0, s1), s0 o s1}; }
CROSSLANE_MINMAX(s_min_i32, <, int32_t)
CROSSLANE_MINMAX(s_min_u32, <, uint32_t)
CROSSLANE_MINMAX(s_max_i32, >, int32_t)
CROSSLANE_MINMAX(s_max_u32, >, uint32_t)
#undef CROSSLANE_MINMAX

// Shifts; SCC = (D != 0).
CROSSLANE_INLINE WithScc<uint32_t> s_lshl_b32(SB32 s0, SB32 s1) { return detail::nonzero(s0 << (s1 & 31)); }
CROSSLANE_INLINE WithScc<uint32_t> s_lshr_b32(SB32 s0, SB32 s1) { return detail::nonzero(s0 >> (s1 & 31)); }
CROSSLANE_INLINE WithScc<int32_t> s_ashr_i32(SI32 s0, SB32 s1) { return detail::nonzero(SI32(s0.v >> (s1.v & 31))); }
CROSSLANE_INLINE WithScc<uint64_t> s_lshl_b64(SB64 s0, SB32 s1) { return detail::nonzero(SB64(s0.v << (s1.v & 63))); }
CROSSLANE_INLINE WithScc<uint64_t> s_lshr_b64(SB64 s0, SB32 s1) { return detail::nonzero(SB64(s0.v >> (s1.v & 63))); }
CROSSLANE_INLINE WithScc<int64_t> s_ashr_i64(SI64 s0, SB32 s1) { return detail::nonzero(SI64(s0.v >> (s1.v & 63))); }

// Bit fields. D = ((1 << S0[4:0]) - 1) << S1[4:0]
CROSSLANE_INLINE SB32 s_bfm_b32(SB32 s0, SB32 s1) { return ((SB32(1) << (s0 & 31)) - 1) << (s1 & 31); }
CROSSLANE_INLINE SB64 s_bfm_b64(SB32 s0, SB32 s1) { return SB64(((uint64_t(1) << (s0.v & 63)) - 1) << (s1.v & 63)); }
namespace detail {
// (S0 >> offset) cut to `width` bits and extended as T; a width past the register takes all that is left.
template <class T> CROSSLANE_INLINE Vec<T, 1> field(Vec<T, 1> s0, SB32 s1) {
  constexpr uint32_t bits = sizeof(T) * 8;
  const uint32_t offset = s1.v & (bits - 1), width = (s1.v >> 16) & 0x7f;
  const uint32_t unused = width >= bits ? 0 : bits - width;
  const T shifted = T(s0.v >> offset);
  const T cut = T(T(std::make_unsigned_t<T>(shifted) << (unused & (bits - 1))) >> (unused & (bits - 1)));
  return Vec<T, 1>(width == 0 ? T(0) : cut);
}
} // namespace detail
// D = field of S0 at S1[4:0] (64-bit: S1[5:0]), S1[22:16] bits wide; SCC = (D != 0)
CROSSLANE_INLINE WithScc<uint32_t> s_bfe_u32(SB32 s0, SB32 s1) { return detail::nonzero(detail::field(s0, s1)); }
CROSSLANE_INLINE WithScc<int32_t> s_bfe_i32(SI32 s0, SB32 s1) { return detail::nonzero(detail::field(s0, s1)); }
CROSSLANE_INLINE WithScc<uint64_t> s_bfe_u64(SB64 s0, SB32 s1) { return detail::nonzero(detail::field(s0, s1)); }
CROSSLANE_INLINE WithScc<int64_t> s_bfe_i64(SI64 s0, SB32 s1) { return detail::nonzero(detail::field(s0, s1)); }
// D[S0] = 0 / 1
CROSSLANE_INLINE SB32 s_bitset0_b32(SB32 s0, SB32 d) { return d & ~(SB32(1) << (s0 & 31)); }
CROSSLANE_INLINE SB32 s_bitset1_b32(SB32 s0, SB32 d) { return d | (SB32(1) << (s0 & 31)); }
CROSSLANE_INLINE SB64 s_bitset0_b64(SB32 s0, SB64 d) { return SB64(d.v & ~(uint64_t(1) << (s0.v & 63))); }
CROSSLANE_INLINE SB64 s_bitset1_b64(SB32 s0, SB64 d) { return SB64(d.v | (uint64_t(1) << (s0.v & 63))); }

// Bit order and counts.
CROSSLANE_INLINE SB32 s_brev_b32(SB32 s0) { return lanes::reverse_bits(s0); }
CROSSLANE_INLINE SB64 s_brev_b64(SB64 s0) { return lanes::reverse_bits(s0); }
CROSSLANE_INLINE WithScc<int32_t> s_bcnt1_i32_b32(SB32 s0) { return detail::nonzero(SI32(std::popcount(s0.v))); }
CROSSLANE_INLINE WithScc<int32_t> s_bcnt1_i32_b64(SB64 s0) { return detail::nonzero(SI32(std::popcount(s0.v))); }
CROSSLANE_INLINE WithScc<int32_t> s_bcnt0_i32_b32(SB32 s0) { return s_bcnt1_i32_b32(~s0); }
CROSSLANE_INLINE WithScc<int32_t> s_bcnt0_i32_b64(SB64 s0) { return s_bcnt1_i32_b64(~s0); }
// Position of the first one / zero from the low end, -1 when there is none.
CROSSLANE_INLINE SI32 s_ff1_i32_b32(SB32 s0) { return SI32(s0.v ? std::countr_zero(s0.v) : -1); }
CROSSLANE_INLINE SI32 s_ff1_i32_b64(SB64 s0) { return SI32(s0.v ? std::countr_zero(s0.v) : -1); }
CROSSLANE_INLINE SI32 s_ff0_i32_b32(SB32 s0) { return s_ff1_i32_b32(~s0); }
CROSSLANE_INLINE SI32 s_ff0_i32_b64(SB64 s0) { return s_ff1_i32_b64(~s0); }
// Zeros before the first one from the high end, -1 when there is none.
CROSSLANE_INLINE SI32 s_flbit_i32_b32(SB32 s0) { return SI32(s0.v ? std::countl_zero(s0.v) : -1); }
CROSSLANE_INLINE SI32 s_flbit_i32_b64(SB64 s0) { return SI32(s0.v ? std::countl_zero(s0.v) : -1); }
// Length of the run of sign bits, -1 when all bits are the same.
CROSSLANE_INLINE SI32 s_flbit_i32(SI32 s0) { return s_flbit_i32_b32(SB32(uint32_t(s0.v ^ (s0.v >> 31)))); }
CROSSLANE_INLINE SI32 s_flbit_i32_i64(SI64 s0) { return s_flbit_i32_b64(SB64(uint64_t(s0.v ^ (s0.v >> 63)))); }
CROSSLANE_INLINE SI32 s_sext_i32_i8(SB32 s0) { return SI32(int32_t(int8_t(s0.v))); }
CROSSLANE_INLINE SI32 s_sext_i32_i16(SB32 s0) { return SI32(int32_t(int16_t(s0.v))); }

// Quads.
namespace detail {
// One bit, the lowest, of every nibble that has a bit set.
template <class T> CROSSLANE_INLINE T quads(T x) { return (x | x >> 1 | x >> 2 | x >> 3) & T(0x1111111111111111); }
// Bits 0, 4, 8, ... packed together.
CROSSLANE_INLINE uint64_t gather_nibbles(uint64_t x) {
  x = (x | x >> 3) & 0x0303030303030303;
  x = (x | x >> 6) & 0x000f000f000f000f;
  x = (x | x >> 12) & 0x000000ff000000ff;
  return (x | x >> 24) & 0xffff;
}
} // namespace detail
// D[i] = any bit of the quad of i; SCC = (D != 0)
CROSSLANE_INLINE WithScc<uint32_t> s_wqm_b32(SB32 s0) { return detail::nonzero(SB32(detail::quads(s0.v) * 15u)); }
CROSSLANE_INLINE WithScc<uint64_t> s_wqm_b64(SB64 s0) { return detail::nonzero(SB64(detail::quads(s0.v) * 15u)); }
// D[i] = any bit of quad i; SCC = (D != 0)
CROSSLANE_INLINE WithScc<uint32_t> s_quadmask_b32(SB32 s0) {
  return detail::nonzero(SB32(uint32_t(detail::gather_nibbles(detail::quads(s0.v)))));
}
CROSSLANE_INLINE WithScc<uint64_t> s_quadmask_b64(SB64 s0) {
  return detail::nonzero(SB64(detail::gather_nibbles(detail::quads(s0.v))));
}
// D[2i+1:2i] = both S0[i]
CROSSLANE_INLINE SB64 s_bitreplicate_b64_b32(SB32 s0) {
  uint64_t x = s0.v;
  x = (x | x << 16) & 0x0000ffff0000ffff;
  x = (x | x << 8) & 0x00ff00ff00ff00ff;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
  x = (x | x << 2) & 0x3333333333333333;
  x = (x | x << 1) & 0x5555555555555555;
  return SB64(x | x << 1);
}
// D = {high source, low source} of 16-bit halves
CROSSLANE_INLINE SB32 s_pack_ll_b32_b16(SB32 s0, SB32 s1) { return (s1 << 16) | (s0 & 0xffff); }
CROSSLANE_INLINE SB32 s_pack_lh_b32_b16(SB32 s0, SB32 s1) { return (s1 & 0xffff0000) | (s0 & 0xffff); }
CROSSLANE_INLINE SB32 s_pack_hh_b32_b16(SB32 s0, SB32 s1) { return (s1 & 0xffff0000) | (s0 >> 16); }

// Compares: SOPC yields SCC; SOPK compares S0 with the immediate.
#define CROSSLANE_COMPARE(relation, o)                                                                                 \
  CROSSLANE_INLINE Scc s_cmp_##relation##_i32(SI32 s0, SI32 s1) { return s0 o s1; }                                    \
  CROSSLANE_INLINE Scc s_cmp_##relation##_u32(SB32 s0, SB32 s1) { return s0 o s1; }                                    \
  CROSSLANE_INLINE Scc s_cmpk_##relation##_i32(SI32 d, SI32 imm) { return d o imm; }                                   \
  CROSSLANE_INLINE Scc s_cmpk_##relation##_u32(SB32 d, SB32 imm) { return d o imm; }
CROSSLANE_COMPARE(eq, ==)
CROSSLANE_COMPARE(lg, !=)
CROSSLANE_COMPARE(gt, >)
CROSSLANE_COMPARE(ge, >=)
CROSSLANE_COMPARE(lt, <)
CROSSLANE_COMPARE(le, <=)
#undef CROSSLANE_COMPARE
CROSSLANE_INLINE Scc s_cmp_eq_u64(SB64 s0, SB64 s1) { return s0 == s1; }
CROSSLANE_INLINE Scc s_cmp_lg_u64(SB64 s0, SB64 s1) { return s0 != s1; }
// SCC = (S0[S1] == 0 / 1)
CROSSLANE_INLINE Scc s_bitcmp0_b32(SB32 s0, SB32 s1) { return ((s0 >> (s1 & 31)) & 1) == 0; }
CROSSLANE_INLINE Scc s_bitcmp1_b32(SB32 s0, SB32 s1) { return ((s0 >> (s1 & 31)) & 1) == 1; }
CROSSLANE_INLINE Scc s_bitcmp0_b64(SB64 s0, SB32 s1) { return Scc(((s0.v >> (s1.v & 63)) & 1) == 0); }
CROSSLANE_INLINE Scc s_bitcmp1_b64(SB64 s0, SB32 s1) { return Scc(((s0.v >> (s1.v & 63)) & 1) == 1); }

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
