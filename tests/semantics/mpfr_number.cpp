// Conversions between bits and MPFR numbers.
#include "tests/semantics/mpfr_number.h"
#include <algorithm>
#include <cmath>
#include <gmp.h>

namespace crosslane::test {

Number::Number(FloatFormat f, uint64_t bits) {
  mpfr_init2(v_, f.mantissa + 1);
  const int sign = f.negative(bits) ? -1 : 1;
  if (f.nan(bits))
    mpfr_set_nan(v_);
  else if (f.inf(bits))
    mpfr_set_inf(v_, sign);
  else if (f.zero(bits))
    mpfr_set_zero(v_, sign);
  else {
    const int field = int(f.magnitude(bits) >> f.mantissa);
    const uint64_t fraction = bits & ((1ull << f.mantissa) - 1);
    mpfr_set_ui_2exp(v_, fraction | (field ? 1ull << f.mantissa : 0), std::max(field, 1) - f.bias() - f.mantissa,
                     MPFR_RNDN);
    mpfr_setsign(v_, v_, sign < 0, MPFR_RNDN);
  }
}

mpfr_rnd_t rounding(int mode) {
  static constexpr mpfr_rnd_t modes[] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};
  return modes[mode];
}

uint64_t bits_of(FloatFormat f, mpfr_srcptr v) {
  const uint64_t sign = mpfr_signbit(v) ? f.sign() : 0;
  if (mpfr_nan_p(v))
    return f.infinity() | f.quiet();
  if (mpfr_inf_p(v))
    return sign | f.infinity();
  if (mpfr_zero_p(v))
    return sign;
  // |v| is in [2^(e-1), 2^e); in units of the least denormal it is an integer.
  const int field = std::max(int(mpfr_get_exp(v)) - 1 + f.bias(), 1);
  Number scaled(f.mantissa + 1);
  mpfr_abs(scaled, v, MPFR_RNDN);
  mpfr_mul_2si(scaled, scaled, f.bias() + f.mantissa - field, MPFR_RNDN);
  const uint64_t significand = mpfr_get_ui(scaled, MPFR_RNDN);
  const bool normal = significand >> f.mantissa;
  return sign | (normal ? uint64_t(field) << f.mantissa : 0) | (significand & ((1ull << f.mantissa) - 1));
}

double error_in_ulp(FloatFormat f, uint64_t got, mpfr_srcptr exact) {
  const Number value(f, got);
  if (mpfr_nan_p(value) || mpfr_nan_p(exact))
    return mpfr_nan_p(value) && mpfr_nan_p(exact) ? 0 : INFINITY;
  if (mpfr_inf_p(value) || mpfr_inf_p(exact))
    return mpfr_equal_p(value, exact) ? 0 : INFINITY;
  Number difference(300);
  mpfr_sub(difference, value, exact, MPFR_RNDN);
  if (mpfr_zero_p(difference))
    return 0;
  const int least = 1 - f.bias();
  const int e = mpfr_zero_p(exact) ? least : std::max(int(mpfr_get_exp(exact)) - 1, least);
  mpfr_mul_2si(difference, difference, f.mantissa - e, MPFR_RNDN);
  return std::fabs(mpfr_get_d(difference, MPFR_RNDA));
}

} // namespace crosslane::test
