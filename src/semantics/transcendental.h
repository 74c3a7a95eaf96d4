// Owns reciprocal, square root, exponential, logarithm, sine and cosine. Hardware is good to about 1 ulp; these are
// nearly always correctly rounded (bounds in semantics/fidelity.h). One-lane and whole-row code are the same polynomial
// in f64, without FMA, which x86-64-v1 lacks, or steps that need one; every x86-64 level gives the same bits. f32
// flushes denormals whatever the mode, f16 by Mode.
#pragma once
#include "semantics/valu_f16.h"
#include "semantics/valu_f64.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {

template <int N, class... C> CROSSLANE_INLINE F64<N> polynomial(F64<N> x, double c, C... rest) {
  if constexpr (sizeof...(rest) == 0)
    return F64<N>(c);
  else
    return F64<N>(c) + x * polynomial(x, rest...);
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> invalid() { return from_bits<T, N>(Fields<T>::default_nan); }
CROSSLANE_FN F32<N> infinity32() { return from_bits<float, N>(Fields<float>::infinity); }

// 2^x. x = n + f, |f| <= 1/2; relative error of the polynomial 2^-33 (Chebyshev nodes); 2^n by the exponent field.
CROSSLANE_FN F64<N> exp2_core(F32<N> x) {
  const F32<N> bounded = select(x > 300.0f, 300.0f, select(x < -300.0f, -300.0f, x));
  const F32<N> n = lanes::round_even(select(is_nan(x), 0.0f, bounded));
  const F64<N> f = convert<double>(bounded - n);
  const F64<N> p = F64<N>(1.0) + f * polynomial(f, 0x1.62e42fefa39efp-1, 0x1.ebfbe045f4d3cp-3, 0x1.c6b08d883dca1p-5,
                                                0x1.3b2a1b7152befp-7, 0x1.5d879ead06a82p-10, 0x1.443fffc90db59p-13,
                                                0x1.00a581594758ep-16);
  const Vec<int64_t, N> exponent = convert<int64_t>(convert<int32_t>(n)) << int64_t(52);
  return bitcast<double>(lanes::add(bitcast<int64_t>(p), exponent));
}
CROSSLANE_FN F32<N> exp2(F32<N> x) {
  F32<N> d = convert<float>(exp2_core(x));
  d = select(is_infinite(x), select(x > 0.0f, x, F32<N>(0.0f)), d);
  return select(is_nan(x), quieted(x), d);
}

// log2 of a normal x. x = m * 2^e, sqrt(1/2) <= m < sqrt(2); log2(m) = s * P(s^2) with s = (m - 1) / (m + 1);
// relative error of P 2^-37.
CROSSLANE_FN F64<N> log2_core(F32<N> x) {
  const Vec<int32_t, N> b = bitcast<int32_t>(x);
  const Vec<int32_t, N> e = lanes::sub(b, 0x3f3504f3) >> 23;
  const F64<N> m = convert<double>(bitcast<float>(lanes::sub(b, e << 23)));
  const F64<N> s = (m - 1.0) / (m + 1.0);
  return convert<double>(e) + s * polynomial(s * s, 0x1.71547652bee3ap+1, 0x1.ec709d1239480p-1, 0x1.2777807dc7f0ep-1,
                                             0x1.a58d345c7fd67p-2, 0x1.5cef535314c71p-2);
}
CROSSLANE_FN F32<N> log2(F32<N> x) {
  F32<N> d = convert<float>(log2_core(select(is_finite(x) & (x > 0.0f), x, F32<N>(1.0f))));
  d = select(x == bitcast<float>(Vec<uint32_t, N>(0x7f800000u)), x, d);
  d = select(x < 0.0f, invalid<float, N>(), d);
  d = select(is_zero(x), negated(infinity32<N>()), d);
  return select(is_nan(x), quieted(x), d);
}

// sin(2 pi r) for |r| <= 1/4 as r * Q(r^2); relative error of Q 2^-35.
CROSSLANE_FN F64<N> sine_core(F64<N> r) {
  return r * polynomial(r * r, 0x1.921fb54425516p+2, -0x1.4abbce51c31dap+5, 0x1.466bc06900900p+6, -0x1.32d12ebe6b560p+6,
                        0x1.5014072bd9ca2p+5, -0x1.cc9b5f3456b49p+3);
}
// x revolutions -> r in [-1/2, 1/2], exactly. Beyond 256 revolutions hardware gives the value at zero.
CROSSLANE_FN F64<N> turn(F32<N> x) {
  const Mask<N> inside = lanes::magnitude(x) <= 256.0f;
  const F32<N> bounded = select(inside, x, F32<N>(0.0f));
  return convert<double>(bounded - lanes::round_even(bounded));
}
CROSSLANE_FN F32<N> trigonometric_special(F32<N> x, F32<N> d) {
  d = select(is_infinite(x), invalid<float, N>(), d);
  return select(is_nan(x), quieted(x), d);
}
CROSSLANE_FN F32<N> sine(F32<N> x) {
  const F64<N> r = turn(x), a = lanes::magnitude(r);
  const F64<N> folded = select(a > 0.25, bitcast<double>(bits(F64<N>(0.5) - a) | sign_bits(r)), r);
  const F32<N> d = convert<float>(sine_core(folded));
  return trigonometric_special(x, select(is_zero(x), x, d));
}
CROSSLANE_FN F32<N> cosine(F32<N> x) {
  return trigonometric_special(x, convert<float>(sine_core(F64<N>(0.25) - lanes::magnitude(turn(x)))));
}

// 1 / sqrt(x) of a positive x that is no denormal. The exponent halved and the mantissa's line give 5 bits, two Newton
// steps with constants that center their errors (Walczyk, Moroz, Cieslinski 2018) 20 bits; the last step takes the
// error of x * y along, so that only its own rounding is left. Far cheaper than a root and a quotient.
CROSSLANE_FN F32<N> reciprocal_root_core(F32<N> x) {
  F32<N> y = bitcast<float>(lanes::sub(Vec<int32_t, N>(0x5f376908), bitcast<int32_t>(x) >> 1));
  // Not half of x, which may be a denormal, and then nothing.
  y = y * lanes::fma(y * -0.5f * x, y, F32<N>(0x1.80399ap+0f));
  y = y * lanes::fma(y * -0.5f * x, y, F32<N>(0x1.80000ap+0f));
  // -(x * y) and x * -y are not the same where MODE rounds up or down, and compilers make one of the other.
  const F32<N> minus_root = x * negated(y);
  const F32<N> lost = lanes::fma(x, y, minus_root); // exact, and so is its negative
  const F32<N> left = lanes::fma(negated(lost), y, lanes::fma(minus_root, y, F32<N>(1.0f)));
  return lanes::fma(y * 0.5f, left, y);
}
CROSSLANE_FN F32<N> reciprocal_root(F32<N> x) {
  F32<N> d = reciprocal_root_core(x);
  const Mask<N> positive_normal = bits(x) - uint32_t(0x00800000) < uint32_t(0x7f000000);
  if (lanes::none(~positive_normal))
    return d;
  x = flushed(x);
  d = select(x < 0.0f, invalid<float, N>(), d);
  d = select(is_zero(x), infinity_like(x), d);
  d = select(bits(x) == Bits<float, N>(Fields<float>::infinity), 0.0f, d);
  return select(is_nan(x), quieted(x), d);
}
} // namespace detail

// f32: denormals flushed on the way in and out, sine and cosine excepted.
CROSSLANE_FN F32<N> v_rcp_f32(F32<N> s0) { return detail::flushed(F32<N>(1.0f) / detail::flushed(s0)); }
CROSSLANE_FN F32<N> v_rcp_iflag_f32(F32<N> s0) { return v_rcp_f32(s0); }
CROSSLANE_FN F32<N> v_sqrt_f32(F32<N> s0) { return lanes::sqrt(detail::flushed(s0)); }
CROSSLANE_FN F32<N> v_rsq_f32(F32<N> s0) { return detail::reciprocal_root(s0); }
CROSSLANE_FN F32<N> v_exp_f32(F32<N> s0) { return detail::flushed(detail::exp2(s0)); }
CROSSLANE_FN F32<N> v_log_f32(F32<N> s0) { return detail::log2(detail::flushed(s0)); }
CROSSLANE_FN F32<N> v_exp_legacy_f32(F32<N> s0) { return v_exp_f32(s0); }
CROSSLANE_FN F32<N> v_log_legacy_f32(F32<N> s0) { return v_log_f32(s0); }
CROSSLANE_FN F32<N> v_sin_f32(F32<N> s0, const Mode& mode) { return detail::sine(detail::flushed(s0, mode)); }
CROSSLANE_FN F32<N> v_cos_f32(F32<N> s0, const Mode& mode) { return detail::cosine(detail::flushed(s0, mode)); }

// f64: hardware gives some 2^-29 relative and programs refine it; these are exact or within an ulp.
CROSSLANE_FN F64<N> v_rcp_f64(F64<N> s0) { return F64<N>(1.0) / s0; }
CROSSLANE_FN F64<N> v_sqrt_f64(F64<N> s0) { return lanes::sqrt(s0); }
CROSSLANE_FN F64<N> v_rsq_f64(F64<N> s0) { return F64<N>(1.0) / lanes::sqrt(s0); }

// f16: the f32 result, rounded once more.
#define CROSSLANE_HALF(name, function)                                                                                 \
  CROSSLANE_FN F16<N> name(F16<N> s0, const Mode& mode) {                                                              \
    return detail::narrowed(function(detail::widened(s0, mode)), mode);                                                \
  }
CROSSLANE_HALF(v_rcp_f16, F32<N>(1.0f) /)
CROSSLANE_HALF(v_sqrt_f16, lanes::sqrt)
CROSSLANE_HALF(v_rsq_f16, detail::reciprocal_root)
CROSSLANE_HALF(v_exp_f16, detail::exp2)
CROSSLANE_HALF(v_log_f16, detail::log2)
CROSSLANE_HALF(v_sin_f16, detail::sine)
CROSSLANE_HALF(v_cos_f16, detail::cosine)
#undef CROSSLANE_HALF

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
