// Owns double-precision arithmetic of the vector ALU. Source: Vega 7nm ISA manual, VOP1 and VOP3.
#pragma once
#include "semantics/float.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

CROSSLANE_FN F64<N> v_add_f64(F64<N> s0, F64<N> s1) { return s0 + s1; }
CROSSLANE_FN F64<N> v_mul_f64(F64<N> s0, F64<N> s1) { return s0 * s1; }
CROSSLANE_FN F64<N> v_fma_f64(F64<N> s0, F64<N> s1, F64<N> s2) { return lanes::fma(s0, s1, s2); }
CROSSLANE_FN F64<N> v_fmac_f64(F64<N> s0, F64<N> s1, F64<N> d) { return lanes::fma(s0, s1, d); }
CROSSLANE_FN F64<N> v_min_f64(F64<N> s0, F64<N> s1, const Mode& mode) { return detail::minimum(s0, s1, mode); }
CROSSLANE_FN F64<N> v_max_f64(F64<N> s0, F64<N> s1, const Mode& mode) { return detail::maximum(s0, s1, mode); }

CROSSLANE_FN F64<N> v_trunc_f64(F64<N> s0, const Mode& mode) { return lanes::trunc(detail::flushed(s0, mode)); }
CROSSLANE_FN F64<N> v_ceil_f64(F64<N> s0, const Mode& mode) { return lanes::ceil(detail::flushed(s0, mode)); }
CROSSLANE_FN F64<N> v_floor_f64(F64<N> s0, const Mode& mode) { return lanes::floor(detail::flushed(s0, mode)); }
CROSSLANE_FN F64<N> v_rndne_f64(F64<N> s0, const Mode& mode) { return lanes::round_even(detail::flushed(s0, mode)); }
// D = S0 - floor(S0)
CROSSLANE_FN F64<N> v_fract_f64(F64<N> s0, const Mode& mode) { return detail::fraction(s0, v_floor_f64(s0, mode)); }
CROSSLANE_FN F64<N> v_frexp_mant_f64(F64<N> s0, const Mode& mode) { return detail::frexp_mantissa(s0, mode); }
CROSSLANE_FN Vec<int32_t, N> v_frexp_exp_i32_f64(F64<N> s0, const Mode& mode) {
  return detail::frexp_exponent<int32_t>(s0, mode);
}

namespace detail {
// 2^e for e in [-1022, 1023]
CROSSLANE_FN F64<N> power_of_two(Vec<int32_t, N> e) {
  return bitcast<double>(convert<int64_t>(e + 1023) << int64_t(52));
}
} // namespace detail
// D = S0 * 2^S1. Three steps, and only the last may round: steps down stop 53 bits above the denormals.
CROSSLANE_FN F64<N> v_ldexp_f64(F64<N> s0, Vec<int32_t, N> s1) {
  using I = Vec<int32_t, N>;
  I e = lanes::min_int(lanes::max_int(s1, -2200), 2200);
  const I step = select(e < -1022, -969, select(e > 1023, 1023, I(0)));
  e = e - step;
  const I again = select(e < -1022, -969, select(e > 1023, 1023, I(0)));
  e = lanes::min_int(lanes::max_int(e - again, -1022), 1023);
  return s0 * detail::power_of_two(step) * detail::power_of_two(again) * detail::power_of_two(e);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
