// Owns shifts that fill up from a second vector, element by element, and rotates within elements:
//
//   funnel_shift_left(high, low, count)    lane i = the upper half of (high[i]:low[i]) << count[i] % width
//   funnel_shift_right(high, low, count)   lane i = the lower half of (high[i]:low[i]) >> count[i] % width
//   rotate_left(v, count), rotate_right    the same with both of v
//   funnel_shift_left<Count>(high, low)    and so on: by one count, known when compiled
//
// Elements of 8, 16, 32 or 64 bits, signed or not, of any number; counts are integers of the same size, of which the
// upper bits may hold anything. Instructions for one register, in brackets for rotates:
//
//                 8 bit      16 bit            32 bit            64 bit
//   VBMI2         9 (9)      1 (1)             1 (1)             1 (1)      vpshldv; vprolv; vpsllvw of pairs
//   AVX-512       13 (11)    7 (6)             7 (1)             7 (1)      two shifts and a third by one; vprolv
//   AVX2          18 (14)    12 (10)           7 (7)             7 (8)      bytes by products of words, words in dwords
// Elements without a shift of their own are put into elements of twice the size, even and odd ones by themselves.
#pragma once
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// high:low of the even and of the odd elements, as elements of twice the size.
template <bool Odd, class U, int N> CROSSLANE_INLINE auto doubled(Vec<U, N> high, Vec<U, N> low) {
  using D = unsigned_of<2 * sizeof(U)>;
  constexpr int width = sizeof(U) * 8, lanes = N / 2;
  const auto h = reinterpret<D>(high), l = reinterpret<D>(low);
  if constexpr (Odd)
    return (h & Vec<D, lanes>(D(~D(0) << width))) | (l >> Vec<D, lanes>(D(width)));
  else
    return (h << Vec<D, lanes>(D(width))) | (l & Vec<D, lanes>(D(U(~U(0)))));
}
// Even and odd elements that are each the upper half of an element of twice the size; or the lower.
template <class U, class D, int N> CROSSLANE_INLINE auto upper_halves(Vec<D, N> even, Vec<D, N> odd) {
  constexpr int width = sizeof(U) * 8;
  return reinterpret<U>((even >> Vec<D, N>(D(width))) | (odd & Vec<D, N>(D(~D(0) << width))));
}
template <class U, class D, int N> CROSSLANE_INLINE auto lower_halves(Vec<D, N> even, Vec<D, N> odd) {
  return reinterpret<U>((even & Vec<D, N>(D(U(~U(0))))) | (odd << Vec<D, N>(D(sizeof(U) * 8))));
}

// Counts below the width.
template <bool Right, class U, int N>
CROSSLANE_INLINE Vec<U, N> funnel_in_pairs(Vec<U, N> high, Vec<U, N> low, Vec<U, N> count) {
  using D = unsigned_of<2 * sizeof(U)>;
  using Doubled = Vec<D, N / 2>;
  const auto even = doubled<false>(high, low), odd = doubled<true>(high, low);
  const auto lower = Doubled(D(U(~U(0)))), width = Doubled(D(sizeof(U) * 8));
#if defined(__AVX2__) && !defined(__AVX512BW__)
  if constexpr (sizeof(U) == 1 && N >= 16) { // there is no shift of words by each its own count, but a product
    const auto powers = reinterpret<D>(by_parts<32>(
        [](auto c) {
          // To the right by n is to the left by 8 - n; the product has 7 - n, its operand is doubled.
          const __m128i table = _mm_set1_epi64x(int64_t(Right ? 0x0102040810204080 : 0x8040201008040201));
          if constexpr (sizeof(c) == 32)
            return from_machine<U>(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), machine(c)));
          else
            return from_machine<U>(_mm_shuffle_epi8(table, machine(c)));
        },
        count));
    const auto e = Right ? even + even : even, o = Right ? odd + odd : odd;
    return upper_halves<U>(e * (powers & lower), o * (powers >> width));
  }
#endif
  const auto counts = reinterpret<D>(count);
  if constexpr (Right)
    return lower_halves<U>(even >> (counts & lower), odd >> (counts >> width));
  else
    return upper_halves<U>(even << (counts & lower), odd << (counts >> width));
}

// Elements that have no shift by each its own count, while those of twice the size have.
template <class U>
inline constexpr bool shifts_in_pairs =
#if defined(__AVX512BW__)
    sizeof(U) == 1;
#elif defined(__AVX2__)
    sizeof(U) <= 2;
#else
    false;
#endif

template <bool Right, bool Rotates, class T, class C, int N>
CROSSLANE_INLINE Vec<T, N> funnel(Vec<T, N> high, Vec<T, N> low, Vec<C, N> counts) {
  static_assert(std::is_integral_v<T> && std::is_integral_v<C> && sizeof(C) == sizeof(T),
                "funnel shift: elements and counts are integers of one size");
  using U = unsigned_of<sizeof(T)>;
  constexpr U mask = sizeof(T) * 8 - 1;
  const auto h = bitcast<U>(high), l = bitcast<U>(low), c = bitcast<U>(counts) & Vec<U, N>(mask);
  if constexpr (shifts_in_pairs<U> && N > 1)
    return bitcast<T>(funnel_in_pairs<Right>(h, l, c));
  // The compiler knows these for the instructions, where there are any.
  else if constexpr (Rotates) {
    const auto back = (Vec<U, N>(U(0)) - c) & Vec<U, N>(mask);
    return bitcast<T>(Right ? (h >> c) | (h << back) : (h << c) | (h >> back));
  } else if constexpr (Right)
    return bitcast<T>((l >> c) | ((h << Vec<U, N>(U(1))) << (c ^ Vec<U, N>(mask))));
  else
    return bitcast<T>((h << c) | ((l >> Vec<U, N>(U(1))) >> (c ^ Vec<U, N>(mask))));
}
} // namespace detail

template <class T, class C, int N>
CROSSLANE_INLINE Vec<T, N> funnel_shift_left(Vec<T, N> high, Vec<T, N> low, Vec<C, N> count) {
  return detail::funnel<false, false>(high, low, count);
}
template <class T, class C, int N>
CROSSLANE_INLINE Vec<T, N> funnel_shift_right(Vec<T, N> high, Vec<T, N> low, Vec<C, N> count) {
  return detail::funnel<true, false>(high, low, count);
}
template <class T, class C, int N> CROSSLANE_INLINE Vec<T, N> rotate_left(Vec<T, N> v, Vec<C, N> count) {
  return detail::funnel<false, true>(v, v, count);
}
template <class T, class C, int N> CROSSLANE_INLINE Vec<T, N> rotate_right(Vec<T, N> v, Vec<C, N> count) {
  return detail::funnel<true, true>(v, v, count);
}

template <unsigned Count, class T, int N> CROSSLANE_INLINE Vec<T, N> funnel_shift_left(Vec<T, N> high, Vec<T, N> low) {
  using U = unsigned_of<sizeof(T)>;
  constexpr int width = sizeof(T) * 8, n = Count % width;
  if constexpr (n == 0)
    return high;
  else
    return bitcast<T>((bitcast<U>(high) << Vec<U, N>(U(n))) | (bitcast<U>(low) >> Vec<U, N>(U(width - n))));
}
template <unsigned Count, class T, int N> CROSSLANE_INLINE Vec<T, N> funnel_shift_right(Vec<T, N> high, Vec<T, N> low) {
  constexpr unsigned width = sizeof(T) * 8;
  if constexpr (Count % width == 0)
    return low;
  else
    return funnel_shift_left<width - Count % width>(high, low);
}
template <unsigned Count, class T, int N> CROSSLANE_INLINE Vec<T, N> rotate_left(Vec<T, N> v) {
  return funnel_shift_left<Count>(v, v);
}
template <unsigned Count, class T, int N> CROSSLANE_INLINE Vec<T, N> rotate_right(Vec<T, N> v) {
  return funnel_shift_right<Count>(v, v);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
