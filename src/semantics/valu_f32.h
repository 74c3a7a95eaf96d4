// Owns single-precision arithmetic of the vector ALU. Add, subtract, multiply and FMA are MXCSR's; multiply-add flushes
// denormals whatever the mode; minimum and maximum follow the IEEE bit. Source: Vega 7nm ISA manual, VOP1 to VOP3.
#pragma once
#include "semantics/float.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

CROSSLANE_FN F32<N> v_add_f32(F32<N> s0, F32<N> s1) { return s0 + s1; }
CROSSLANE_FN F32<N> v_sub_f32(F32<N> s0, F32<N> s1) { return s0 - s1; }
CROSSLANE_FN F32<N> v_subrev_f32(F32<N> s0, F32<N> s1) { return s1 - s0; }
CROSSLANE_FN F32<N> v_mul_f32(F32<N> s0, F32<N> s1) { return s0 * s1; }
CROSSLANE_FN F32<N> v_fma_f32(F32<N> s0, F32<N> s1, F32<N> s2) { return lanes::fma(s0, s1, s2); }
CROSSLANE_FN F32<N> v_fmac_f32(F32<N> s0, F32<N> s1, F32<N> d) { return lanes::fma(s0, s1, d); }
// D = S0 * S1, and zero times anything is +0
CROSSLANE_FN F32<N> v_mul_legacy_f32(F32<N> s0, F32<N> s1) {
  return select((s0 == 0.0f) | (s1 == 0.0f), 0.0f, s0 * s1);
}
// The same at the opcode of its own that gfx90a has
CROSSLANE_FN F32<N> v_mul_legacy_f32_e64(F32<N> s0, F32<N> s1) { return v_mul_legacy_f32(s0, s1); }

namespace detail {
// A result's denormals depend on FTZ only where MXCSR does not flush already.
CROSSLANE_FN F32<N> multiply_add(F32<N> a, F32<N> b, F32<N> c, const Mode& mode) {
  if (mode.flush32 && mode.flush_result32)
    return a * b + c;
  return flushed(flushed(flushed(a) * flushed(b)) + flushed(c));
}
// A source K of v_madmk: the bits of a literal, or a float already.
template <class T, class K, int N> CROSSLANE_INLINE Vec<T, N> literal(Vec<K, N> k) {
  if constexpr (sizeof(K) == sizeof(T))
    return bitcast<T>(k);
  else
    return bitcast<T>(convert<typename Fields<T>::bits>(k));
}
} // namespace detail
// D = S0 * S1 + S2, two roundings, denormals flushed
CROSSLANE_FN F32<N> v_mad_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::multiply_add(s0, s1, s2, mode);
}
CROSSLANE_FN F32<N> v_mac_f32(F32<N> s0, F32<N> s1, F32<N> d, const Mode& mode) {
  return detail::multiply_add(s0, s1, d, mode);
}
// D = S0 * K + S1
template <int N, class K> CROSSLANE_INLINE F32<N> v_madmk_f32(F32<N> s0, Vec<K, N> k, F32<N> s1, const Mode& mode) {
  return detail::multiply_add(s0, detail::literal<float>(k), s1, mode);
}
// D = S0 * S1 + K
template <int N, class K> CROSSLANE_INLINE F32<N> v_madak_f32(F32<N> s0, F32<N> s1, Vec<K, N> k, const Mode& mode) {
  return detail::multiply_add(s0, s1, detail::literal<float>(k), mode);
}
// D = S0 * S1 + S2, and zero times anything is +0
CROSSLANE_FN F32<N> v_mad_legacy_f32(F32<N> s0, F32<N> s1, F32<N> s2) {
  const F32<N> a = detail::flushed(s0), b = detail::flushed(s1);
  return detail::flushed(detail::flushed(v_mul_legacy_f32(a, b)) + detail::flushed(s2));
}

CROSSLANE_FN F32<N> v_min_f32(F32<N> s0, F32<N> s1, const Mode& mode) { return detail::minimum(s0, s1, mode); }
CROSSLANE_FN F32<N> v_max_f32(F32<N> s0, F32<N> s1, const Mode& mode) { return detail::maximum(s0, s1, mode); }
CROSSLANE_FN F32<N> v_min3_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::minimum(detail::minimum(s0, s1, mode), s2, mode);
}
CROSSLANE_FN F32<N> v_max3_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::maximum(detail::maximum(s0, s1, mode), s2, mode);
}
CROSSLANE_FN F32<N> v_med3_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::median(s0, s1, s2, mode);
}

CROSSLANE_FN F32<N> v_trunc_f32(F32<N> s0, const Mode& mode) { return lanes::trunc(detail::flushed(s0, mode)); }
CROSSLANE_FN F32<N> v_ceil_f32(F32<N> s0, const Mode& mode) { return lanes::ceil(detail::flushed(s0, mode)); }
CROSSLANE_FN F32<N> v_floor_f32(F32<N> s0, const Mode& mode) { return lanes::floor(detail::flushed(s0, mode)); }
CROSSLANE_FN F32<N> v_rndne_f32(F32<N> s0, const Mode& mode) { return lanes::round_even(detail::flushed(s0, mode)); }
// D = S0 - floor(S0)
CROSSLANE_FN F32<N> v_fract_f32(F32<N> s0, const Mode& mode) { return detail::fraction(s0, v_floor_f32(s0, mode)); }
CROSSLANE_FN F32<N> v_frexp_mant_f32(F32<N> s0, const Mode& mode) { return detail::frexp_mantissa(s0, mode); }
CROSSLANE_FN Vec<int32_t, N> v_frexp_exp_i32_f32(F32<N> s0, const Mode& mode) {
  return detail::frexp_exponent<int32_t>(s0, mode);
}
// D = S0 * 2^S1. The scaling is exact in f64, so the result is rounded once.
CROSSLANE_FN F32<N> v_ldexp_f32(F32<N> s0, Vec<int32_t, N> s1) {
  const Vec<int32_t, N> e = lanes::min_int(lanes::max_int(s1, -400), 400);
  const auto field = bitcast<int32_t>(detail::exponent_field(s0)) + e;
  if (detail::all_normal(s0) && lanes::none((field < 1) | (field > 254))) // and what comes of it
    return bitcast<float>(bitcast<int32_t>(s0) + (e << 23));
  const F64<N> scale = bitcast<double>(convert<int64_t>(e + 1023) << int64_t(52));
  return convert<float>(convert<double>(s0) * scale);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
