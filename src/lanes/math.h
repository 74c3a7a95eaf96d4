// Owns arithmetic on Vec that has no operator: fused multiply-add, rounding, min/max, saturation, bit counts, widening
// multiplies. One spelling for N = 1 and N = 16; no GPU rule lives here.
#pragma once
#include "lanes/vec.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

#define CROSSLANE_UNARY(name, builtin)                                                                                 \
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> name(Vec<T, N> a) { return Vec<T, N>::of(builtin(a.v)); }
#define CROSSLANE_BINARY(name, builtin)                                                                                \
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> name(Vec<T, N> a, std::type_identity_t<Vec<T, N>> b) {          \
    return Vec<T, N>::of(builtin(a.v, b.v));                                                                           \
  }
CROSSLANE_UNARY(floor, __builtin_elementwise_floor)
CROSSLANE_UNARY(ceil, __builtin_elementwise_ceil)
CROSSLANE_UNARY(trunc, __builtin_elementwise_trunc)
CROSSLANE_UNARY(round_even, __builtin_elementwise_roundeven) // whatever the rounding mode
CROSSLANE_UNARY(round_mode, __builtin_elementwise_rint)      // in the current rounding mode
CROSSLANE_UNARY(sqrt, __builtin_elementwise_sqrt)
CROSSLANE_UNARY(reverse_bits, __builtin_elementwise_bitreverse)
CROSSLANE_BINARY(min_int, __builtin_elementwise_min) // integers only: for floats each machine has its own rules
CROSSLANE_BINARY(max_int, __builtin_elementwise_max)
CROSSLANE_BINARY(add_sat, __builtin_elementwise_add_sat)
CROSSLANE_BINARY(sub_sat, __builtin_elementwise_sub_sat)
#undef CROSSLANE_UNARY
#undef CROSSLANE_BINARY

// Whether no lane is set: for a short cut that the whole row takes, never for what a lane computes.
template <int N> CROSSLANE_INLINE bool none(Mask<N> m) { return m.bits == 0; }

// a * b + c with one rounding. Without FMA in the level this is a library call per lane: slow, and exact.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> fma(Vec<T, N> a, Vec<T, N> b, Vec<T, N> c) {
  return Vec<T, N>::of(__builtin_elementwise_fma(a.v, b.v, c.v));
}

// |a| by the sign bit: no quieting, no flushing.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> magnitude(Vec<T, N> a) {
  using U = unsigned_of<sizeof(T)>;
  return bitcast<T>(bitcast<U>(a) & Vec<U, N>(U(~U(0)) >> 1));
}

// Arithmetic that wraps, for signed types too: UBSan holds scalars to the letter.
template <class T> using wide_enough = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
#define CROSSLANE_WRAPPING(name, o)                                                                                    \
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> name(Vec<T, N> a, std::type_identity_t<Vec<T, N>> b) {          \
    using U = std::make_unsigned_t<T>;                                                                                 \
    if constexpr (N == 1)                                                                                              \
      return Vec<T, N>::of(T(wide_enough<T>(U(a.v)) o wide_enough<T>(U(b.v))));                                        \
    else                                                                                                               \
      return bitcast<T>(bitcast<U>(a) o bitcast<U>(b));                                                                \
  }
CROSSLANE_WRAPPING(add, +)
CROSSLANE_WRAPPING(sub, -)
CROSSLANE_WRAPPING(mul, *)
#undef CROSSLANE_WRAPPING

// Counts of set bits, leading zeros and trailing zeros; a zero gives the width.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> popcount(Vec<T, N> a) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (N == 1)
    return Vec<T, N>(T(std::popcount(a.v)));
  else {
    Vec<T, N> x = a - ((a >> T(1)) & T(0x5555555555555555));
    x = (x & T(0x3333333333333333)) + ((x >> T(2)) & T(0x3333333333333333));
    x = (x + (x >> T(4))) & T(0x0f0f0f0f0f0f0f0f);
    return (x * T(0x0101010101010101)) >> T(sizeof(T) * 8 - 8);
  }
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> leading_zeros(Vec<T, N> a) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (N == 1)
    return Vec<T, N>(T(std::countl_zero(a.v)));
#ifdef __AVX512CD__
  else if constexpr (N == 16 && sizeof(T) == 4)
    return Vec<T, N>::of(__builtin_bit_cast(raw_t<T, N>, _mm512_lzcnt_epi32(__builtin_bit_cast(__m512i, a.v))));
#endif
  else {
    for (unsigned s = 1; s < sizeof(T) * 8; s *= 2)
      a = a | (a >> T(s));
    return popcount(~a);
  }
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> trailing_zeros(Vec<T, N> a) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (N == 1)
    return Vec<T, N>(T(std::countr_zero(a.v)));
  else
    return popcount(~a & (a - T(1)));
}

// Sign-extends the low `bits` bits.
template <int Bits, int N> CROSSLANE_INLINE Vec<int32_t, N> sign_extend(Vec<uint32_t, N> a) {
  return bitcast<int32_t>(a << uint32_t(32 - Bits)) >> int32_t(32 - Bits);
}

// Halves of 64-bit lanes.
template <int N> CROSSLANE_INLINE Vec<uint32_t, N> low(Vec<uint64_t, N> a) { return convert<uint32_t>(a); }
template <int N> CROSSLANE_INLINE Vec<uint32_t, N> high(Vec<uint64_t, N> a) {
  return convert<uint32_t>(a >> uint64_t(32));
}

// Sum and difference of two floats with their rounding error, exact in round to nearest (Knuth).
template <class T, int N> struct TwoSum {
  Vec<T, N> sum, error;
};
template <class T, int N> CROSSLANE_INLINE TwoSum<T, N> two_sum(Vec<T, N> a, Vec<T, N> b) {
  const Vec<T, N> s = a + b;
  const Vec<T, N> t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

// IEEE 754-2008 minNum and maxNum of a row in one instruction, where there is one (VRANGEPS/PD): -0 below +0, a quiet
// NaN loses, a signalling one comes back quieted. Two NaNs are left to the caller: `decided` is false when any lane has
// two.
template <class T, int N> inline constexpr bool has_range = false;
template <bool Maximum, class T, int N> Vec<T, N> range(Vec<T, N> a, Vec<T, N> b, bool& decided);
#ifdef __AVX512DQ__
template <> inline constexpr bool has_range<float, 16> = true;
template <bool Maximum> CROSSLANE_INLINE Vec<float, 16> range(Vec<float, 16> a, Vec<float, 16> b, bool& decided) {
  const __m512 x = __builtin_bit_cast(__m512, a.v), y = __builtin_bit_cast(__m512, b.v);
  decided = _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), y, y, _CMP_UNORD_Q) == 0;
  return Vec<float, 16>::of(__builtin_bit_cast(raw_t<float, 16>, _mm512_range_ps(x, y, Maximum ? 0b0101 : 0b0100)));
}
#endif

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
