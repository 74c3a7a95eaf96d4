// Owns 32-bit integer arithmetic of the vector ALU: moves, logic, shifts, carries, 24-bit and wide multiplies, fields,
// bit counts and the three-operand forms of gfx9. Source: Vega 7nm ISA manual, VOP1, VOP2 and VOP3.
#pragma once
#include "lanes/math.h"
#include "semantics/common.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

// Moves and logic.
CROSSLANE_FN U32<N> v_mov_b32(U32<N> s0) { return s0; }
CROSSLANE_FN U32<N> v_accvgpr_read_b32(U32<N> s0) { return s0; }
CROSSLANE_FN U32<N> v_accvgpr_write_b32(U32<N> s0) { return s0; }
CROSSLANE_FN U32<N> v_accvgpr_mov_b32(U32<N> s0) { return s0; }
CROSSLANE_FN U32<N> v_cndmask_b32(U32<N> s0, U32<N> s1, Mask<N> vcc) { return select(vcc, s1, s0); }
CROSSLANE_FN U32<N> v_not_b32(U32<N> s0) { return ~s0; }
CROSSLANE_FN U32<N> v_and_b32(U32<N> s0, U32<N> s1) { return s0 & s1; }
CROSSLANE_FN U32<N> v_or_b32(U32<N> s0, U32<N> s1) { return s0 | s1; }
CROSSLANE_FN U32<N> v_xor_b32(U32<N> s0, U32<N> s1) { return s0 ^ s1; }
CROSSLANE_FN U32<N> v_xnor_b32(U32<N> s0, U32<N> s1) { return ~(s0 ^ s1); }
CROSSLANE_FN U32<N> v_and_or_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return (s0 & s1) | s2; }
CROSSLANE_FN U32<N> v_or3_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return s0 | s1 | s2; }

// Shifts: D = S1 shifted by S0[4:0].
CROSSLANE_FN U32<N> v_lshlrev_b32(U32<N> s0, U32<N> s1) { return s1 << (s0 & 31); }
CROSSLANE_FN U32<N> v_lshrrev_b32(U32<N> s0, U32<N> s1) { return s1 >> (s0 & 31); }
CROSSLANE_FN I32<N> v_ashrrev_i32(U32<N> s0, I32<N> s1) { return s1 >> bitcast<int32_t>(s0 & 31); }
// gfx6 and gfx7 have them with the operands the other way round too: D = S0 shifted by S1[4:0].
CROSSLANE_FN U32<N> v_lshl_b32(U32<N> s0, U32<N> s1) { return v_lshlrev_b32(s1, s0); }
CROSSLANE_FN U32<N> v_lshr_b32(U32<N> s0, U32<N> s1) { return v_lshrrev_b32(s1, s0); }
CROSSLANE_FN I32<N> v_ashr_i32(I32<N> s0, U32<N> s1) { return v_ashrrev_i32(s1, s0); }
CROSSLANE_FN U32<N> v_lshl_or_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return (s0 << (s1 & 31)) | s2; }
CROSSLANE_FN U32<N> v_lshl_add_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return (s0 << (s1 & 31)) + s2; }
CROSSLANE_FN U32<N> v_add_lshl_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return (s0 + s1) << (s2 & 31); }

// Sums without and with carry.
CROSSLANE_FN U32<N> v_add_u32(U32<N> s0, U32<N> s1) { return s0 + s1; }
CROSSLANE_FN U32<N> v_sub_u32(U32<N> s0, U32<N> s1) { return s0 - s1; }
CROSSLANE_FN U32<N> v_subrev_u32(U32<N> s0, U32<N> s1) { return s1 - s0; }
CROSSLANE_FN I32<N> v_add_i32(I32<N> s0, I32<N> s1) { return lanes::add(s0, s1); }
CROSSLANE_FN I32<N> v_sub_i32(I32<N> s0, I32<N> s1) { return lanes::sub(s0, s1); }
CROSSLANE_FN U32<N> v_add3_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return s0 + s1 + s2; }
CROSSLANE_FN U32<N> v_xad_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return (s0 ^ s1) + s2; }
// D = S0 + S1; flag = carry out
CROSSLANE_FN Pair<U32<N>, Mask<N>> v_add_co_u32(U32<N> s0, U32<N> s1) {
  const U32<N> d = s0 + s1;
  return {d, d < s0};
}
// D = S0 - S1; flag = borrow
CROSSLANE_FN Pair<U32<N>, Mask<N>> v_sub_co_u32(U32<N> s0, U32<N> s1) { return {s0 - s1, s1 > s0}; }
CROSSLANE_FN Pair<U32<N>, Mask<N>> v_subrev_co_u32(U32<N> s0, U32<N> s1) { return v_sub_co_u32(s1, s0); }
// D = S0 + S1 + VCC; flag = carry out
CROSSLANE_FN Pair<U32<N>, Mask<N>> v_addc_co_u32(U32<N> s0, U32<N> s1, Mask<N> vcc) {
  const U32<N> sum = s0 + s1;
  const U32<N> d = sum + select(vcc, 1, U32<N>(0));
  return {d, (sum < s0) | (d < sum)};
}
// D = S0 - S1 - VCC; flag = (S1 + VCC > S0)
CROSSLANE_FN Pair<U32<N>, Mask<N>> v_subb_co_u32(U32<N> s0, U32<N> s1, Mask<N> vcc) {
  const U32<N> d = s0 - s1 - select(vcc, 1, U32<N>(0));
  return {d, (s1 > s0) | ((s1 == s0) & vcc)};
}
CROSSLANE_FN Pair<U32<N>, Mask<N>> v_subbrev_co_u32(U32<N> s0, U32<N> s1, Mask<N> vcc) {
  return v_subb_co_u32(s1, s0, vcc);
}

// Multiplies.
namespace detail {
CROSSLANE_FN U32<N> low24(U32<N> a) { return a & 0xffffff; }
CROSSLANE_FN I32<N> low24(I32<N> a) { return lanes::sign_extend<24>(bitcast<uint32_t>(a)); }
CROSSLANE_FN U32<N> multiply_high(U32<N> a, U32<N> b) {
  return lanes::high(convert<uint64_t>(a) * convert<uint64_t>(b));
}
CROSSLANE_FN I32<N> multiply_high(I32<N> a, I32<N> b) {
  return bitcast<int32_t>(lanes::high(bitcast<uint64_t>(convert<int64_t>(a) * convert<int64_t>(b))));
}
} // namespace detail
CROSSLANE_FN U32<N> v_mul_lo_u32(U32<N> s0, U32<N> s1) { return s0 * s1; }
CROSSLANE_FN I32<N> v_mul_lo_i32(I32<N> s0, I32<N> s1) { return lanes::mul(s0, s1); }
CROSSLANE_FN U32<N> v_mul_hi_u32(U32<N> s0, U32<N> s1) { return detail::multiply_high(s0, s1); }
CROSSLANE_FN I32<N> v_mul_hi_i32(I32<N> s0, I32<N> s1) { return detail::multiply_high(s0, s1); }
// D = S0[23:0] * S1[23:0], low 32 bits; _hi_ has the bits above
CROSSLANE_FN U32<N> v_mul_u32_u24(U32<N> s0, U32<N> s1) { return detail::low24(s0) * detail::low24(s1); }
CROSSLANE_FN I32<N> v_mul_i32_i24(I32<N> s0, I32<N> s1) { return lanes::mul(detail::low24(s0), detail::low24(s1)); }
CROSSLANE_FN U32<N> v_mul_hi_u32_u24(U32<N> s0, U32<N> s1) {
  return detail::multiply_high(detail::low24(s0), detail::low24(s1));
}
CROSSLANE_FN I32<N> v_mul_hi_i32_i24(I32<N> s0, I32<N> s1) {
  return detail::multiply_high(detail::low24(s0), detail::low24(s1));
}
CROSSLANE_FN U32<N> v_mad_u32_u24(U32<N> s0, U32<N> s1, U32<N> s2) { return v_mul_u32_u24(s0, s1) + s2; }
CROSSLANE_FN I32<N> v_mad_i32_i24(I32<N> s0, I32<N> s1, I32<N> s2) { return lanes::add(v_mul_i32_i24(s0, s1), s2); }

// Minimum, maximum, median.
CROSSLANE_FN U32<N> v_min_u32(U32<N> s0, U32<N> s1) { return lanes::min_int(s0, s1); }
CROSSLANE_FN U32<N> v_max_u32(U32<N> s0, U32<N> s1) { return lanes::max_int(s0, s1); }
CROSSLANE_FN I32<N> v_min_i32(I32<N> s0, I32<N> s1) { return lanes::min_int(s0, s1); }
CROSSLANE_FN I32<N> v_max_i32(I32<N> s0, I32<N> s1) { return lanes::max_int(s0, s1); }
namespace detail {
template <class V> CROSSLANE_INLINE V min3(V a, V b, V c) { return lanes::min_int(lanes::min_int(a, b), c); }
template <class V> CROSSLANE_INLINE V max3(V a, V b, V c) { return lanes::max_int(lanes::max_int(a, b), c); }
template <class V> CROSSLANE_INLINE V med3(V a, V b, V c) {
  return lanes::max_int(lanes::min_int(a, b), lanes::min_int(lanes::max_int(a, b), c));
}
} // namespace detail
CROSSLANE_FN U32<N> v_min3_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::min3(s0, s1, s2); }
CROSSLANE_FN U32<N> v_max3_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::max3(s0, s1, s2); }
CROSSLANE_FN U32<N> v_med3_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::med3(s0, s1, s2); }
CROSSLANE_FN I32<N> v_min3_i32(I32<N> s0, I32<N> s1, I32<N> s2) { return detail::min3(s0, s1, s2); }
CROSSLANE_FN I32<N> v_max3_i32(I32<N> s0, I32<N> s1, I32<N> s2) { return detail::max3(s0, s1, s2); }
CROSSLANE_FN I32<N> v_med3_i32(I32<N> s0, I32<N> s1, I32<N> s2) { return detail::med3(s0, s1, s2); }

// Fields. D = (S0 >> S1[4:0]) & ((1 << S2[4:0]) - 1)
CROSSLANE_FN U32<N> v_bfe_u32(U32<N> s0, U32<N> s1, U32<N> s2) {
  return (s0 >> (s1 & 31)) & ((U32<N>(1) << (s2 & 31)) - 1);
}
// ... sign-extended from the field's top bit; an empty field is 0
CROSSLANE_FN I32<N> v_bfe_i32(I32<N> s0, U32<N> s1, U32<N> s2) {
  const I32<N> shifted = s0 >> bitcast<int32_t>(s1 & 31);
  const U32<N> unused = (U32<N>(32) - s2) & 31;
  const I32<N> cut = bitcast<int32_t>(bitcast<uint32_t>(shifted) << unused) >> bitcast<int32_t>(unused);
  return select((s2 & 31) == 0, 0, cut);
}
CROSSLANE_FN U32<N> v_bfi_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return (s0 & s1) | (~s0 & s2); }
// D = ((1 << S0[4:0]) - 1) << S1[4:0]
CROSSLANE_FN U32<N> v_bfm_b32(U32<N> s0, U32<N> s1) { return ((U32<N>(1) << (s0 & 31)) - 1) << (s1 & 31); }

// Bit order and counts.
CROSSLANE_FN U32<N> v_bfrev_b32(U32<N> s0) { return lanes::reverse_bits(s0); }
CROSSLANE_FN U32<N> v_bcnt_u32_b32(U32<N> s0, U32<N> s1) { return lanes::popcount(s0) + s1; }
// Zeros before the first one from the high end, -1 when there is none.
CROSSLANE_FN U32<N> v_ffbh_u32(U32<N> s0) { return select(s0 == 0, ~0u, lanes::leading_zeros(s0)); }
// Position of the first one from the low end, -1 when there is none.
CROSSLANE_FN U32<N> v_ffbl_b32(U32<N> s0) { return select(s0 == 0, ~0u, lanes::trailing_zeros(s0)); }
// Length of the run of sign bits, -1 when all bits are the same.
CROSSLANE_FN I32<N> v_ffbh_i32(I32<N> s0) { return bitcast<int32_t>(v_ffbh_u32(bitcast<uint32_t>(s0 ^ (s0 >> 31)))); }

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
