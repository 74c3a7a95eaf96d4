// Owns the float rows of gfx6 and gfx7 that gfx8 dropped: Direct3D 9's rules for NaN, zero and infinity.
// Source: Southern Islands ISA manual, VOP1 to VOP3; CLRX, GcnInstrsVop1 to 3. Where they are silent:
// docs/isa-errata.md.
#pragma once
#include "semantics/transcendental.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

// D = S0 < S1 ? S0 : S1 and S0 >= S1 ? S0 : S1: with a NaN the compare fails, and D is S1
CROSSLANE_FN F32<N> v_min_legacy_f32(F32<N> s0, F32<N> s1, const Mode& mode) {
  const F32<N> a = detail::flushed(s0, mode), b = detail::flushed(s1, mode);
  return detail::flushed_choice(select(a < b, a, b), mode);
}
CROSSLANE_FN F32<N> v_max_legacy_f32(F32<N> s0, F32<N> s1, const Mode& mode) {
  const F32<N> a = detail::flushed(s0, mode), b = detail::flushed(s1, mode);
  return detail::flushed_choice(select(a >= b, a, b), mode);
}
// D = S0 * S1 + D, and zero times anything is +0
CROSSLANE_FN F32<N> v_mac_legacy_f32(F32<N> s0, F32<N> s1, F32<N> d) { return v_mad_legacy_f32(s0, s1, d); }

namespace detail {
CROSSLANE_FLOAT Vec<T, N> largest() { return from_bits<T, N>(typename Fields<T>::bits(Fields<T>::infinity - 1)); }
// Infinities become the largest finite number of their sign, or zero of it.
CROSSLANE_FLOAT Vec<T, N> without_infinity(Vec<T, N> x) {
  return select(is_infinite(x), bitcast<T>(bits(largest<T, N>()) | sign_bits(x)), x);
}
CROSSLANE_FLOAT Vec<T, N> infinity_to_zero(Vec<T, N> x) { return select(is_infinite(x), bitcast<T>(sign_bits(x)), x); }
} // namespace detail

// The lighting product of Direct3D: D = S0 * S1, zero times anything +0; -MAX where S2 is not positive or S1 is -MAX,
// -inf or NaN.
CROSSLANE_FN F32<N> v_mullit_f32(F32<N> s0, F32<N> s1, F32<N> s2) {
  const F32<N> least = detail::negated(detail::largest<float, N>());
  return select((s2 > 0.0f) & (s1 > least), v_mul_legacy_f32(s0, s1), least);
}

CROSSLANE_FN F32<N> v_rcp_clamp_f32(F32<N> s0) { return detail::without_infinity(v_rcp_f32(s0)); }
CROSSLANE_FN F32<N> v_rsq_clamp_f32(F32<N> s0) { return detail::without_infinity(v_rsq_f32(s0)); }
CROSSLANE_FN F64<N> v_rcp_clamp_f64(F64<N> s0) { return detail::without_infinity(v_rcp_f64(s0)); }
CROSSLANE_FN F64<N> v_rsq_clamp_f64(F64<N> s0) { return detail::without_infinity(v_rsq_f64(s0)); }
CROSSLANE_FN F32<N> v_rcp_legacy_f32(F32<N> s0) { return detail::infinity_to_zero(v_rcp_f32(s0)); }
CROSSLANE_FN F32<N> v_rsq_legacy_f32(F32<N> s0) { return detail::infinity_to_zero(v_rsq_f32(s0)); }
// -inf becomes -MAX; +inf stays
CROSSLANE_FN F32<N> v_log_clamp_f32(F32<N> s0) {
  const F32<N> d = v_log_f32(s0);
  return select(d < detail::negated(detail::largest<float, N>()), detail::negated(detail::largest<float, N>()), d);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
