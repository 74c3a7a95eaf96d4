// Owns v_div_scale, v_div_fmas and v_div_fixup: the steps around Newton-Raphson that make a division correctly rounded.
// Source: Vega 7nm ISA manual, VOP3. Where its text cannot work, the comment says what is done instead:
//  - v_div_fmas there scales by 2^32 (2^64) upward only. v_div_scale scales by 2^64 (2^128), in both directions, so the
//    scaling here undoes exactly that, the direction read off the exponent of S2 (the unscaled quotient).
//  - v_div_fixup there has no usable rule for a quotient that overflows (the steps before it give NaN): here a NaN
//  quotient
//    of finite operands is an overflow.
//  - v_div_scale there scales a denominator past 2^126 up by 2^64, to infinity. Here it goes down.
#pragma once
#include "semantics/float.h"
#include "semantics/valu_f64.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {

template <class T> struct DivisionFormat;
template <> struct DivisionFormat<float> {
  static constexpr int near_max = 96, tiny = 23, least_difference = -150;
  static constexpr float up = 0x1p64f, down = 0x1p-64f;
};
template <> struct DivisionFormat<double> {
  static constexpr int near_max = 768, tiny = 53, least_difference = -1075;
  static constexpr double up = 0x1p128, down = 0x1p-128;
};

// D = S0 scaled as numerator S2 and denominator S1 need it; flag = the quotient needs v_div_fmas to scale it
CROSSLANE_FLOAT Pair<Vec<T, N>, Mask<N>> division_scale(Vec<T, N> s0, Vec<T, N> s1, Vec<T, N> s2) {
  using F = Fields<T>;
  using D = DivisionFormat<T>;
  using S = typename F::signed_bits;
  using I = Vec<S, N>;
  constexpr int near = D::near_max / 2 - 1; // exponents of S2 and S1 do not differ by near_max, nor is any too small
  if (all_within(s1, near) && all_within(s2, near))
    return {s0, Mask<N>(typename Mask<N>::bits_t(0))};
  const I e1 = bitcast<S>(exponent_field(s1)), e2 = bitcast<S>(exponent_field(s2));
  // |S2 / S1| below the smallest normal: by exponents, then by mantissas.
  const Mode keep{};
  const I distance = lanes::sub(frexp_exponent<S>(s2, keep), frexp_exponent<S>(s1, keep));
  const Mask<N> smaller = magnitude_bits(frexp_mantissa(s2, keep)) < magnitude_bits(frexp_mantissa(s1, keep));
  const I limit = S(1 - F::bias);
  const Mask<N> quotient_denormal = (distance < limit) | ((distance == limit) & smaller);
  const Mask<N> reciprocal_denormal =
      magnitude_bits(s1) > Bits<T, N>(typename F::bits(typename F::bits(2 * F::bias - 1) << F::mantissa));

  const Mask<N> is_denominator = bits(s0) == bits(s1), is_numerator = bits(s0) == bits(s2);
  const Mask<N> zero = is_zero(s1) | is_zero(s2);
  Mask<N> open = ~zero & is_finite(s1) & is_finite(s2); // no rule has applied yet
  const auto rule = [&open](Mask<N> condition) {
    const Mask<N> applies = open & condition;
    open = open & ~condition;
    return applies;
  };
  const Mask<N> near_max = rule(lanes::sub(e2, e1) >= I(S(D::near_max)));
  const Mask<N> denormal_denominator = rule(is_denormal(s1));
  const Mask<N> both_denormal = rule(reciprocal_denormal & quotient_denormal);
  const Mask<N> big_denominator = rule(reciprocal_denormal);
  const Mask<N> small_quotient = rule(quotient_denormal);
  const Mask<N> tiny_numerator = rule(e2 <= I(S(D::tiny)));

  const Mask<N> up =
      (near_max & is_denominator) | denormal_denominator | (small_quotient & is_numerator) | tiny_numerator;
  const Mask<N> down = (both_denormal & is_denominator) | big_denominator;
  Vec<T, N> d = select(up, s0 * Vec<T, N>(D::up), select(down, s0 * Vec<T, N>(D::down), s0));
  d = select(zero, from_bits<T, N>(F::default_nan), d);
  return {d, near_max | both_denormal | small_quotient};
}

// Rounds h + l, |l| at most half an ulp of h, into the significand of h when any bit is left over: the last bit becomes
// odd, and a later rounding to a narrower format cannot go wrong. Needs round to nearest.
CROSSLANE_FN F64<N> rounded_to_odd(lanes::TwoSum<double, N> x) {
  const Vec<int64_t, N> b = bitcast<int64_t>(x.sum);
  const Mask<N> inexact = ~is_zero(x.error), even = (b & int64_t(1)) == 0;
  const Vec<int64_t, N> toward = select((b ^ bitcast<int64_t>(x.error)) < 0, int64_t(-1), Vec<int64_t, N>(int64_t(1)));
  return bitcast<double>(select(inexact & even, lanes::add(b, toward), b));
}

// (a * b + c) * 2^-64, one rounding into the denormals: exact in f64 up to a sum rounded to odd.
CROSSLANE_FN F32<N> fma_scaled_down(F32<N> a, F32<N> b, F32<N> c, const Mode& mode) {
  const F64<N> product = convert<double>(a) * convert<double>(b), addend = convert<double>(c);
  const F64<N> sum = mode.round32 == 0 ? rounded_to_odd(lanes::two_sum(product, addend)) : F64<N>(product + addend);
  return convert<float>(sum * 0x1p-64);
}
// (a * b + c) * 2^-128, one rounding into the denormals. Error-free sums give h + l = (a * b + c) * 2^256; its
// significand, widened by two bits of l, is shifted to the place of the result and rounded to nearest even.
CROSSLANE_FN F64<N> fma_scaled_down(F64<N> a, F64<N> b, F64<N> c, const Mode& mode) {
  if (mode.round64 != 0)
    return lanes::fma(a, b, c) * 0x1p-128; // two roundings the same way are one
  using U = Vec<uint64_t, N>;
  a = a * 0x1p256, c = c * 0x1p256;
  const F64<N> product = a * b;
  const auto low = lanes::two_sum(c, lanes::fma(a, b, -product));
  const auto high = lanes::two_sum(product, low.sum);
  const auto rest = lanes::two_sum(low.error, high.error);
  const auto total = lanes::two_sum(high.sum, rest.sum);
  const F64<N> h = total.sum, l = select(is_zero(total.error), rest.error, total.error);

  const U significand = ((bits(h) & 0xfffffffffffffull) | 0x10000000000000ull) << 2;
  const U same = select((bits(h) ^ bits(l)) < 0x8000000000000000ull, 1ull, U(~0ull));
  const U wide = significand + select(is_zero(l), 0ull, same);
  const Vec<int64_t, N> place = lanes::sub(Vec<int64_t, N>(1 + 384), bitcast<int64_t>(exponent_field(h)));
  const U shift = bitcast<uint64_t>(lanes::min_int(lanes::max_int(place, int64_t(1)), int64_t(60))) + 2;
  const U kept = wide >> shift, left = wide & ((U(1ull) << shift) - 1), half = U(1ull) << (shift - 1);
  const Mask<N> up = (left > half) | ((left == half) & ((kept & 1) == 1));
  const F64<N> denormal = bitcast<double>((kept + select(up, 1ull, U(0ull))) | sign_bits(h));
  return select(place >= int64_t(1), denormal, h * 0x1p-384);
}

// D = S0 * S1 + S2, and the scale of v_div_scale taken back where VCC says so
CROSSLANE_FLOAT Vec<T, N> division_fmas(Vec<T, N> s0, Vec<T, N> s1, Vec<T, N> s2, Mask<N> vcc, const Mode& mode) {
  using D = DivisionFormat<T>;
  const Vec<T, N> plain = lanes::fma(s0, s1, s2);
  if (lanes::none(vcc))
    return plain;
  const Mask<N> large = exponent_field(s2) > Bits<T, N>(typename Fields<T>::bits(Fields<T>::bias));
  const Vec<T, N> scaled = select(large, plain * Vec<T, N>(D::up), fma_scaled_down(s0, s1, s2, mode));
  // No finite quotient (0/0, x/inf): nothing to scale, v_div_fixup replaces it.
  return select(vcc, select(is_finite(plain) & ~is_zero(plain), scaled, plain), plain);
}

// D = the quotient S0 of S2 / S1 with the special cases of division put right
CROSSLANE_FLOAT Vec<T, N> division_fixup(Vec<T, N> s0, Vec<T, N> s1, Vec<T, N> s2, Mask<N> underflow, uint8_t round) {
  using F = Fields<T>;
  using B = Bits<T, N>;
  using U = typename F::bits;
  const B sign = sign_bits(s1) ^ sign_bits(s2), infinity = F::infinity;
  const Mask<N> positive = sign == B(U(0));
  const B least = select(positive, U(round == 1), B(U(round == 2))); // nothing, or the least denormal
  const B largest = infinity - select(positive, U(round >= 2), B(U(round & 1)));
  B d = select(is_nan(s0), sign | largest, sign | magnitude_bits(s0));
  d = select(underflow, sign | least, d);
  d = select(is_infinite(s1) | is_zero(s2), sign, d);
  d = select(is_zero(s1) | is_infinite(s2), sign | infinity, d);
  const Mask<N> invalid = (is_zero(s1) & is_zero(s2)) | (is_infinite(s1) & is_infinite(s2));
  d = select(invalid, F::default_nan, d);
  d = select(is_nan(s1), bits(quieted(s1)), d);
  return bitcast<T>(select(is_nan(s2), bits(quieted(s2)), d));
}
CROSSLANE_FLOAT Vec<T, N> division_fixup(Vec<T, N> s0, Vec<T, N> s1, Vec<T, N> s2, uint8_t round) {
  using S = typename Fields<T>::signed_bits;
  constexpr int near = DivisionFormat<T>::near_max / 2;
  if (all_within(s1, near) && all_within(s2, near) && lanes::none(is_nan(s0)))
    return bitcast<T>((sign_bits(s1) ^ sign_bits(s2)) | magnitude_bits(s0));
  const Vec<S, N> difference = lanes::sub(bitcast<S>(exponent_field(s2)), bitcast<S>(exponent_field(s1)));
  return division_fixup(s0, s1, s2, difference < Vec<S, N>(S(DivisionFormat<T>::least_difference)), round);
}
CROSSLANE_FN F16<N> division_fixup_half(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return flushed_result(
      division_fixup(s0, flushed(s1, mode), flushed(s2, mode), Mask<N>(typename Mask<N>::bits_t(0)), mode.round64),
      mode);
}
} // namespace detail

// S0 is S1 or S2; S1 the denominator, S2 the numerator.
CROSSLANE_FN Pair<F32<N>, Mask<N>> v_div_scale_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::division_scale(detail::flushed(s0, mode), detail::flushed(s1, mode), detail::flushed(s2, mode));
}
CROSSLANE_FN Pair<F64<N>, Mask<N>> v_div_scale_f64(F64<N> s0, F64<N> s1, F64<N> s2, const Mode& mode) {
  return detail::division_scale(detail::flushed(s0, mode), detail::flushed(s1, mode), detail::flushed(s2, mode));
}
CROSSLANE_FN F32<N> v_div_fmas_f32(F32<N> s0, F32<N> s1, F32<N> s2, Mask<N> vcc, const Mode& mode) {
  return detail::division_fmas(s0, s1, s2, vcc, mode);
}
CROSSLANE_FN F64<N> v_div_fmas_f64(F64<N> s0, F64<N> s1, F64<N> s2, Mask<N> vcc, const Mode& mode) {
  return detail::division_fmas(s0, s1, s2, vcc, mode);
}
// S0 the quotient, S1 the denominator, S2 the numerator.
CROSSLANE_FN F32<N> v_div_fixup_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::flushed_result(
      detail::division_fixup(s0, detail::flushed(s1, mode), detail::flushed(s2, mode), mode.round32), mode);
}
CROSSLANE_FN F64<N> v_div_fixup_f64(F64<N> s0, F64<N> s1, F64<N> s2, const Mode& mode) {
  return detail::flushed_result(
      detail::division_fixup(s0, detail::flushed(s1, mode), detail::flushed(s2, mode), mode.round64), mode);
}
CROSSLANE_FN F16<N> v_div_fixup_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::division_fixup_half(s0, s1, s2, mode);
}
CROSSLANE_FN F16<N> v_div_fixup_legacy_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::division_fixup_half(s0, s1, s2, mode);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
