// Owns what float semantics share: the formats, NaN and denormal tests on the bits, IEEE-mode minimum and maximum.
// Tests and flushes work on bits, never by arithmetic: MXCSR may be treating denormals as zero while they run.
#pragma once
#include "lanes/math.h"
#include "semantics/common.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {

template <class T> struct Format;
template <> struct Format<_Float16> {
  static constexpr int mantissa = 10, exponent = 5;
};
template <> struct Format<float> {
  static constexpr int mantissa = 23, exponent = 8;
};
template <> struct Format<double> {
  static constexpr int mantissa = 52, exponent = 11;
};
template <class T> struct Fields : Format<T> {
  using bits = lanes::unsigned_of<sizeof(T)>;
  using signed_bits = lanes::signed_of<sizeof(T)>;
  static constexpr int bias = (1 << (Format<T>::exponent - 1)) - 1;
  static constexpr bits one = bits(1);
  static constexpr bits sign = bits(one << (sizeof(T) * 8 - 1));
  static constexpr bits min_normal = bits(one << Format<T>::mantissa);
  static constexpr bits infinity = bits(bits((1 << Format<T>::exponent) - 1) << Format<T>::mantissa);
  static constexpr bits quiet = bits(one << (Format<T>::mantissa - 1));
  static constexpr bits default_nan = bits(sign | infinity | quiet); // what an invalid operation yields
  static constexpr bits one_point_zero = bits(bits(bias) << Format<T>::mantissa);
};
template <class T, int N> using Bits = Vec<typename Fields<T>::bits, N>;

CROSSLANE_FLOAT Bits<T, N> bits(Vec<T, N> x) { return bitcast<typename Fields<T>::bits>(x); }
CROSSLANE_FLOAT Bits<T, N> magnitude_bits(Vec<T, N> x) { return bits(x) & Bits<T, N>(Fields<T>::sign - 1); }
CROSSLANE_FLOAT Bits<T, N> sign_bits(Vec<T, N> x) { return bits(x) & Bits<T, N>(Fields<T>::sign); }
CROSSLANE_FLOAT Mask<N> is_nan(Vec<T, N> x) {
  if constexpr (std::is_same_v<T, _Float16>) // whose comparison would be one of floats
    return bitcast<int16_t>(magnitude_bits(x)) > Vec<int16_t, N>(int16_t(Fields<T>::infinity));
  else
    return x != x; // NOLINT(misc-redundant-expression)
}
CROSSLANE_FLOAT Mask<N> is_signaling(Vec<T, N> x) {
  return is_nan(x) & ((bits(x) & Bits<T, N>(Fields<T>::quiet)) == Bits<T, N>(0));
}
CROSSLANE_FLOAT Mask<N> is_infinite(Vec<T, N> x) { return magnitude_bits(x) == Bits<T, N>(Fields<T>::infinity); }
CROSSLANE_FLOAT Mask<N> is_finite(Vec<T, N> x) { return magnitude_bits(x) < Bits<T, N>(Fields<T>::infinity); }
CROSSLANE_FLOAT Mask<N> is_zero(Vec<T, N> x) { return magnitude_bits(x) == Bits<T, N>(0); }
CROSSLANE_FLOAT Mask<N> is_below_normal(Vec<T, N> x) { return magnitude_bits(x) < Bits<T, N>(Fields<T>::min_normal); }
CROSSLANE_FLOAT Mask<N> is_denormal(Vec<T, N> x) { return is_below_normal(x) & ~is_zero(x); }
CROSSLANE_FLOAT Vec<T, N> quieted(Vec<T, N> x) { return bitcast<T>(bits(x) | Bits<T, N>(Fields<T>::quiet)); }
CROSSLANE_FLOAT Vec<T, N> negated(Vec<T, N> x) { return bitcast<T>(bits(x) ^ Bits<T, N>(Fields<T>::sign)); }
template <class T, int N> CROSSLANE_INLINE Vec<T, N> from_bits(typename Fields<T>::bits b) {
  return bitcast<T>(Bits<T, N>(b));
}
CROSSLANE_FLOAT Vec<T, N> infinity_like(Vec<T, N> x) {
  return bitcast<T>(sign_bits(x) | Bits<T, N>(Fields<T>::infinity));
}
// Biased exponent field.
CROSSLANE_FLOAT Bits<T, N> exponent_field(Vec<T, N> x) { return magnitude_bits(x) >> Bits<T, N>(Fields<T>::mantissa); }

// Whether all lanes are between 2^-`range` and 2^`range`: rows that need no special case are usual, and are done at
// once.
CROSSLANE_FLOAT bool all_within(Vec<T, N> x, int range) {
  using F = Fields<T>;
  using U = typename F::bits;
  const U least = U(U(F::bias - range) << F::mantissa), most = U(U(F::bias + range) << F::mantissa);
  return lanes::none(magnitude_bits(x) - Bits<T, N>(least) > Bits<T, N>(U(most - least)));
}
CROSSLANE_FLOAT bool all_normal(Vec<T, N> x) { return all_within(x, Fields<T>::bias - 1); }

// Denormals become zero and keep their sign.
CROSSLANE_FLOAT Vec<T, N> flushed(Vec<T, N> x) { return bitcast<T>(select(is_below_normal(x), sign_bits(x), bits(x))); }
// The mode's flushing of T, done by hand where MXCSR does not reach (bit operations, f16).
template <class T> CROSSLANE_INLINE bool flushes(const Mode& mode) {
  return std::is_same_v<T, float> ? mode.flush32 : mode.flush64;
}
template <class T> CROSSLANE_INLINE bool flushes_result(const Mode& mode) {
  return std::is_same_v<T, float> ? mode.flush_result32 : mode.flush_result64;
}
CROSSLANE_FLOAT Vec<T, N> flushed(Vec<T, N> x, const Mode& mode) { return flushes<T>(mode) ? flushed(x) : x; }
CROSSLANE_FLOAT Vec<T, N> flushed_result(Vec<T, N> x, const Mode& mode) {
  return flushes_result<T>(mode) ? flushed(x) : x;
}
// Of what passes a source on: nothing to do where sources are flushed.
CROSSLANE_FLOAT Vec<T, N> flushed_choice(Vec<T, N> x, const Mode& mode) {
  return !flushes<T>(mode) && flushes_result<T>(mode) ? flushed(x) : x;
}

// Bits as signed integers that are in the order of the numbers, -0 below +0; and the same back again. For halves, whose
// comparison would be one of floats.
template <int N> CROSSLANE_INLINE Vec<int16_t, N> in_order(Vec<int16_t, N> bits) {
  return bits ^ (bits >> Vec<int16_t, N>(int16_t(15)) & Vec<int16_t, N>(int16_t(0x7fff)));
}
template <int N> CROSSLANE_INLINE Vec<int16_t, N> in_order(Vec<_Float16, N> x) { return in_order(bitcast<int16_t>(x)); }

// Minimum and maximum of numbers. Equal operands differ at most in the sign of zero: -0 < +0 by OR and AND.
CROSSLANE_FLOAT Vec<T, N> ordered_minimum(Vec<T, N> a, Vec<T, N> b) {
  if constexpr (std::is_same_v<T, _Float16>) {
    const Vec<int16_t, N> x = in_order(a), y = in_order(b);
    return bitcast<T>(in_order(select(x < y, x, y)));
  } else {
    return select(a == b, bitcast<T>(bits(a) | bits(b)), select(a < b, a, b));
  }
}
CROSSLANE_FLOAT Vec<T, N> ordered_maximum(Vec<T, N> a, Vec<T, N> b) {
  if constexpr (std::is_same_v<T, _Float16>) {
    const Vec<int16_t, N> x = in_order(a), y = in_order(b);
    return bitcast<T>(in_order(select(x > y, x, y)));
  } else {
    return select(a == b, bitcast<T>(bits(a) & bits(b)), select(a > b, a, b));
  }
}
// Of numbers.
CROSSLANE_FLOAT Mask<N> are_equal(Vec<T, N> a, Vec<T, N> b) {
  if constexpr (std::is_same_v<T, _Float16>)
    return (bits(a) == bits(b)) | (magnitude_bits(bitcast<T>(bits(a) | bits(b))) == Bits<T, N>(uint16_t(0)));
  else
    return a == b;
}
// IEEE mode quiets a signaling source and returns it; otherwise a NaN loses to the other operand. A row without NaNs,
// the usual one, is done at once.
CROSSLANE_FLOAT Vec<T, N> select_nan(Vec<T, N> ordered, Vec<T, N> a, Vec<T, N> b, const Mode& mode) {
  if (lanes::none(is_nan(a) | is_nan(b)))
    return ordered;
  Vec<T, N> d = select(is_nan(b), a, ordered);
  d = select(is_nan(a), b, d);
  if (mode.ieee) {
    d = select(is_signaling(b), quieted(b), d);
    d = select(is_signaling(a), quieted(a), d);
  }
  return d;
}
CROSSLANE_FLOAT Vec<T, N> minimum(Vec<T, N> a, Vec<T, N> b, const Mode& mode) {
  a = flushed(a, mode), b = flushed(b, mode);
  return flushed_choice(select_nan(ordered_minimum(a, b), a, b, mode), mode);
}
CROSSLANE_FLOAT Vec<T, N> maximum(Vec<T, N> a, Vec<T, N> b, const Mode& mode) {
  a = flushed(a, mode), b = flushed(b, mode);
  return flushed_choice(select_nan(ordered_maximum(a, b), a, b, mode), mode);
}
// if any source is NaN: min3; else the largest is set aside and the maximum of the two others taken
CROSSLANE_FLOAT Vec<T, N> median(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c, const Mode& mode) {
  a = flushed(a, mode), b = flushed(b, mode), c = flushed(c, mode);
  const Vec<T, N> largest = ordered_maximum(ordered_maximum(a, b), c);
  const Mask<N> is_a = are_equal(largest, a), is_b = are_equal(largest, b);
  const Vec<T, N> d = ordered_maximum(select(is_a, b, a), select(is_a | is_b, c, b));
  const Mask<N> nan = is_nan(a) | is_nan(b) | is_nan(c);
  if (lanes::none(nan))
    return flushed_choice(d, mode);
  return select(nan, minimum(minimum(a, b, mode), c, mode), flushed_choice(d, mode));
}

// mantissa and exponent of x = m * 2^e, |m| in [0.5, 1)
CROSSLANE_FLOAT Vec<T, N> normalized_denormal(Vec<T, N> x) { // x * 2^mantissa for denormals, on the bits
  using F = Fields<T>;
  using B = Bits<T, N>;
  const B m = magnitude_bits(x);
  const B shift = lanes::leading_zeros(m) - B(F::exponent); // brings the top bit to the implicit one's place
  const B moved =
      m << select(is_denormal(x), shift, B(typename F::bits(0))); // other lanes: anything, but no shift past the width
  const B exponent = B(F::mantissa + 1) - shift;
  return bitcast<T>(sign_bits(x) | ((moved & B(F::min_normal - 1)) | (exponent << B(F::mantissa))));
}
CROSSLANE_FLOAT Vec<T, N> frexp_mantissa(Vec<T, N> x, const Mode& mode) {
  using F = Fields<T>;
  using B = Bits<T, N>;
  x = flushed(x, mode);
  const auto halved = [](Vec<T, N> n) {
    return bitcast<T>((bits(n) & ~B(F::infinity)) | (B(F::one_point_zero) - B(F::min_normal)));
  };
  if (all_normal(x))
    return halved(x);
  const Vec<T, N> n = select(is_below_normal(x), normalized_denormal(x), x);
  Vec<T, N> d = select(is_finite(x), halved(n), x);
  d = select(is_zero(x), x, d);
  return select(is_nan(x), quieted(x), d);
}
template <class To, class T, int N> CROSSLANE_INLINE Vec<To, N> frexp_exponent(Vec<T, N> x, const Mode& mode) {
  using F = Fields<T>;
  using S = typename F::signed_bits;
  x = flushed(x, mode);
  if (all_normal(x))
    return convert<To>(lanes::sub(bitcast<S>(exponent_field(x)), Vec<S, N>(S(F::bias - 1))));
  const Mask<N> low = is_below_normal(x);
  const Vec<S, N> e = bitcast<S>(exponent_field(select(low, normalized_denormal(x), x)));
  const Vec<S, N> adjusted = lanes::sub(e, select(low, S(F::bias - 1 + F::mantissa), Vec<S, N>(S(F::bias - 1))));
  return convert<To>(select(is_finite(x) & ~is_zero(x), adjusted, Vec<S, N>(S(0))));
}

// x - floor(x), kept below one
CROSSLANE_FLOAT Vec<T, N> fraction(Vec<T, N> x, Vec<T, N> floor_of_x) {
  const Vec<T, N> below_one = from_bits<T, N>(typename Fields<T>::bits(Fields<T>::one_point_zero - 1));
  const Vec<T, N> f = x - floor_of_x;
  return select(f >= Vec<T, N>(T(1)), below_one, f);
}

// Any of the ten IEEE classes selected by `classes`.
template <class T, int N, class C> CROSSLANE_INLINE Mask<N> class_of(Vec<T, N> x, Vec<C, N> classes) {
  using Class = Vec<C, N>;
  const Mask<N> negative = sign_bits(x) != Bits<T, N>(0);
  const Mask<N> nan = magnitude_bits(x) > Bits<T, N>(Fields<T>::infinity);
  const Mask<N> quiet = (bits(x) & Bits<T, N>(Fields<T>::quiet)) != Bits<T, N>(0);
  Class bit = select(negative, C(1 << 3), Class(C(1 << 8)));
  bit = select(is_denormal(x), select(negative, C(1 << 4), Class(C(1 << 7))), bit);
  bit = select(is_zero(x), select(negative, C(1 << 5), Class(C(1 << 6))), bit);
  bit = select(is_infinite(x), select(negative, C(1 << 2), Class(C(1 << 9))), bit);
  bit = select(nan, select(quiet, C(1 << 1), Class(C(1 << 0))), bit);
  return (bit & classes) != Class(C(0));
}

} // namespace detail

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
