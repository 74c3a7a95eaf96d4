// Owns the reductions that instructions do of neighbours, and the dot products of neural networks:
//
//   sum_absolute_differences(a, b)     8 bit -> 64: |a - b| of eight neighbours each                     vpsadbw
//   sum_eights(v)                      8 bit -> 64: eight neighbours each, with sign or without          vpsadbw
//   dot_pairs(a, b)                    16 bit with sign -> 32: a0 b0 + a1 b1                             vpmaddwd
//   dot_pairs_saturating(a, b)         8 bit, a without sign, b with -> 16: saturates                    vpmaddubsw
//   sum_pairs(v)                       8 -> 16, 16 -> 32, 32 -> 64 bit: two neighbours each, exact
//   sum_fours(v)                       8 -> 32, 16 -> 64 bit
//   dot_add(c, a, b)                   c + dot product: of four neighbours of 8 bits (a without sign, b with), or of
//                                      two of 16 bits with sign; 32 bits that wrap                vpdpbusd, vpdpwssd
//   dot_add_saturating(c, a, b)        the same, and the sum saturates                            vpdpbusds, vpdpwssds
//   minimum_position(v)                the least of 8 words without sign, and the first lane of it     vphminposuw
//
// Vectors of any length from 128 bits on (a power of two). Exact except where it says otherwise; dot_pairs of four
// times -32768 wraps to -2^31. Without VNNI the same by vpmaddwd: bytes, even and odd ones by themselves, 9
// instructions for a register, saturating 15; words 2, saturating 15 to 18. Below AVX2 what the compiler makes of plain
// formulas. Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.6.
#pragma once
#include "lanes/math.h"
#include "lanes/registers.h"
#include <limits>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// Even and odd elements as elements of twice the size, with their sign if they have one.
template <bool Odd, class T, int N> CROSSLANE_INLINE auto widened(Vec<T, N> v) {
  constexpr int width = sizeof(T) * 8;
  using U = unsigned_of<2 * sizeof(T)>;
  using D = std::conditional_t<std::is_signed_v<T>, signed_of<2 * sizeof(T)>, U>;
  const auto both = reinterpret<U>(v);
  if constexpr (Odd)
    return bitcast<D>(both) >> Vec<D, N / 2>(D(width));
  else if constexpr (std::is_signed_v<T>)
    return bitcast<D>(both << Vec<U, N / 2>(U(width))) >> Vec<D, N / 2>(D(width));
  else
    return both & Vec<U, N / 2>(U(T(~T(0))));
}

#ifdef __AVX2__
#ifdef __AVX512BW__
#define CROSSLANE_WIDTHS(name, instruction)                                                                            \
  CROSSLANE_INLINE __m128i name(__m128i a, __m128i b) { return _mm_##instruction(a, b); }                              \
  CROSSLANE_INLINE __m256i name(__m256i a, __m256i b) { return _mm256_##instruction(a, b); }                           \
  CROSSLANE_INLINE __m512i name(__m512i a, __m512i b) { return _mm512_##instruction(a, b); }
#else
#define CROSSLANE_WIDTHS(name, instruction)                                                                            \
  CROSSLANE_INLINE __m128i name(__m128i a, __m128i b) { return _mm_##instruction(a, b); }                              \
  CROSSLANE_INLINE __m256i name(__m256i a, __m256i b) { return _mm256_##instruction(a, b); }
#endif
CROSSLANE_WIDTHS(differences, sad_epu8)
CROSSLANE_WIDTHS(word_products, madd_epi16)
CROSSLANE_WIDTHS(byte_products, maddubs_epi16)
#undef CROSSLANE_WIDTHS
#if defined(__AVX512VNNI__) && defined(__AVX512BW__) && defined(__AVX512VL__)
#define CROSSLANE_DOT(name, instruction)                                                                               \
  CROSSLANE_INLINE __m128i name(__m128i c, __m128i a, __m128i b) { return _mm_##instruction##_epi32(c, a, b); }        \
  CROSSLANE_INLINE __m256i name(__m256i c, __m256i a, __m256i b) { return _mm256_##instruction##_epi32(c, a, b); }     \
  CROSSLANE_INLINE __m512i name(__m512i c, __m512i a, __m512i b) { return _mm512_##instruction##_epi32(c, a, b); }
#elif defined(__AVXVNNI__) && !defined(__AVX512BW__)
#define CROSSLANE_DOT(name, instruction)                                                                               \
  CROSSLANE_INLINE __m128i name(__m128i c, __m128i a, __m128i b) { return _mm_##instruction##_avx_epi32(c, a, b); }    \
  CROSSLANE_INLINE __m256i name(__m256i c, __m256i a, __m256i b) { return _mm256_##instruction##_avx_epi32(c, a, b); }
#endif
#ifdef CROSSLANE_DOT
CROSSLANE_DOT(dot_bytes, dpbusd)
CROSSLANE_DOT(dot_bytes_saturating, dpbusds)
CROSSLANE_DOT(dot_words, dpwssd)
CROSSLANE_DOT(dot_words_saturating, dpwssds)
#endif
#endif
#ifdef CROSSLANE_DOT
inline constexpr bool has_dot = true;
#else
inline constexpr bool has_dot = false;
#endif
} // namespace detail

template <int N> CROSSLANE_INLINE Vec<uint64_t, N / 8> sum_absolute_differences(Vec<uint8_t, N> a, Vec<uint8_t, N> b) {
  static_assert(N >= 16 && (N & (N - 1)) == 0, "sum_absolute_differences: 16 bytes or more, a power of two");
  return detail::by_parts<register_bytes>(
      [](auto x, auto y) {
#ifdef __AVX2__
        return detail::from_machine<uint64_t>(detail::differences(detail::machine(x), detail::machine(y)));
#else
        return detail::from_machine<uint64_t>(_mm_sad_epu8(detail::machine(x), detail::machine(y)));
#endif
      },
      a, b);
}
template <class T, int N> CROSSLANE_INLINE auto sum_eights(Vec<T, N> v) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 1, "sum_eights: elements of 8 bits");
  const auto bytes = bitcast<uint8_t>(v);
  if constexpr (std::is_signed_v<T>) // by 128 too much each
    return bitcast<int64_t>(sum_absolute_differences(bytes ^ Vec<uint8_t, N>(uint8_t(0x80)), Vec<uint8_t, N>(0))) -
           Vec<int64_t, N / 8>(int64_t(8 * 128));
  else
    return sum_absolute_differences(bytes, Vec<uint8_t, N>(0));
}

template <int N> CROSSLANE_INLINE Vec<int32_t, N / 2> dot_pairs(Vec<int16_t, N> a, Vec<int16_t, N> b) {
  static_assert(N >= 8 && (N & (N - 1)) == 0, "dot_pairs: 8 words or more, a power of two");
  return detail::by_parts<register_bytes>(
      [](auto x, auto y) {
#ifdef __AVX2__
        return detail::from_machine<int32_t>(detail::word_products(detail::machine(x), detail::machine(y)));
#else
        return detail::from_machine<int32_t>(_mm_madd_epi16(detail::machine(x), detail::machine(y)));
#endif
      },
      a, b);
}
template <int N> CROSSLANE_INLINE Vec<int16_t, N / 2> dot_pairs_saturating(Vec<uint8_t, N> a, Vec<int8_t, N> b) {
  static_assert(N >= 16 && (N & (N - 1)) == 0, "dot_pairs_saturating: 16 bytes or more, a power of two");
#ifdef __AVX2__
  return detail::by_parts<register_bytes>(
      [](auto x, auto y) {
        return detail::from_machine<int16_t>(detail::byte_products(detail::machine(x), detail::machine(y)));
      },
      a, b);
#else
  const auto product = [](auto x, auto y) { return bitcast<int16_t>(x) * y; };
  return add_sat(product(detail::widened<false>(a), detail::widened<false>(b)),
                 product(detail::widened<true>(a), detail::widened<true>(b)));
#endif
}

template <class T, int N> CROSSLANE_INLINE auto sum_pairs(Vec<T, N> v) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 4, "sum_pairs: integers of 8, 16 or 32 bits");
#ifdef __AVX2__
  if constexpr (sizeof(T) == 1 && N >= 16) {
    if constexpr (std::is_signed_v<T>)
      return dot_pairs_saturating(Vec<uint8_t, N>(1), v);
    else
      return bitcast<uint16_t>(dot_pairs_saturating(v, Vec<int8_t, N>(1)));
  } else
#endif
      if constexpr (std::is_same_v<T, int16_t> && N >= 8)
    return dot_pairs(v, Vec<int16_t, N>(1));
  else
    return detail::widened<false>(v) + detail::widened<true>(v);
}
template <class T, int N> CROSSLANE_INLINE auto sum_fours(Vec<T, N> v) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2, "sum_fours: integers of 8 or 16 bits");
  if constexpr (sizeof(T) == 1 && detail::has_dot && N >= 16) {
    const Vec<int32_t, N / 4> zero(0);
    if constexpr (std::is_signed_v<T>)
      return dot_add(zero, Vec<uint8_t, N>(1), v);
    else
      return bitcast<uint32_t>(dot_add(zero, v, Vec<int8_t, N>(1)));
  } else if constexpr (std::is_same_v<T, uint8_t> && N >= 16)
    return bitcast<uint32_t>(sum_pairs(bitcast<int16_t>(sum_pairs(v))));
  else
    return sum_pairs(sum_pairs(v));
}

namespace detail {
// The sums of four products each, exact.
template <int N> CROSSLANE_INLINE Vec<int32_t, N / 4> four_products(Vec<uint8_t, N> a, Vec<int8_t, N> b) {
  return dot_pairs(bitcast<int16_t>(widened<false>(a)), widened<false>(b)) +
         dot_pairs(bitcast<int16_t>(widened<true>(a)), widened<true>(b));
}
// A sum of two products that came as -2^31 is 2^31: no other two give that.
template <int N> CROSSLANE_INLINE Vec<int32_t, N> saturated(Vec<int32_t, N> c, Vec<int32_t, N> products) {
  constexpr int32_t least = std::numeric_limits<int32_t>::min(), greatest = std::numeric_limits<int32_t>::max();
  const auto beyond = add_sat(add_sat(c, Vec<int32_t, N>(greatest)), Vec<int32_t, N>(1));
  return select(products == Vec<int32_t, N>(least), beyond, add_sat(c, products));
}
} // namespace detail

template <int N>
CROSSLANE_INLINE Vec<int32_t, N> dot_add(Vec<int32_t, N> c, Vec<uint8_t, 4 * N> a, Vec<int8_t, 4 * N> b) {
  static_assert(N >= 4 && (N & (N - 1)) == 0, "dot_add: 4 sums or more, a power of two");
#ifdef CROSSLANE_DOT
  return detail::by_parts<register_bytes>(
      [](auto s, auto x, auto y) {
        return detail::from_machine<int32_t>(
            detail::dot_bytes(detail::machine(s), detail::machine(x), detail::machine(y)));
      },
      c, a, b);
#else
  return add(c, detail::four_products(a, b));
#endif
}
template <int N>
CROSSLANE_INLINE Vec<int32_t, N> dot_add(Vec<int32_t, N> c, Vec<int16_t, 2 * N> a, Vec<int16_t, 2 * N> b) {
  static_assert(N >= 4 && (N & (N - 1)) == 0, "dot_add: 4 sums or more, a power of two");
#ifdef CROSSLANE_DOT
  return detail::by_parts<register_bytes>(
      [](auto s, auto x, auto y) {
        return detail::from_machine<int32_t>(
            detail::dot_words(detail::machine(s), detail::machine(x), detail::machine(y)));
      },
      c, a, b);
#else
  return add(c, dot_pairs(a, b));
#endif
}
template <int N>
CROSSLANE_INLINE Vec<int32_t, N> dot_add_saturating(Vec<int32_t, N> c, Vec<uint8_t, 4 * N> a, Vec<int8_t, 4 * N> b) {
  static_assert(N >= 4 && (N & (N - 1)) == 0, "dot_add_saturating: 4 sums or more, a power of two");
#ifdef CROSSLANE_DOT
  return detail::by_parts<register_bytes>(
      [](auto s, auto x, auto y) {
        return detail::from_machine<int32_t>(
            detail::dot_bytes_saturating(detail::machine(s), detail::machine(x), detail::machine(y)));
      },
      c, a, b);
#else
  return add_sat(c, detail::four_products(a, b));
#endif
}
template <int N>
CROSSLANE_INLINE Vec<int32_t, N> dot_add_saturating(Vec<int32_t, N> c, Vec<int16_t, 2 * N> a, Vec<int16_t, 2 * N> b) {
  static_assert(N >= 4 && (N & (N - 1)) == 0, "dot_add_saturating: 4 sums or more, a power of two");
#ifdef CROSSLANE_DOT
  return detail::by_parts<register_bytes>(
      [](auto s, auto x, auto y) {
        return detail::from_machine<int32_t>(
            detail::dot_words_saturating(detail::machine(s), detail::machine(x), detail::machine(y)));
      },
      c, a, b);
#else
  return detail::saturated(c, dot_pairs(a, b));
#endif
}
#undef CROSSLANE_DOT

struct MinimumPosition {
  uint16_t value;
  int lane;
};
CROSSLANE_INLINE MinimumPosition minimum_position(Vec<uint16_t, 8> v) {
#ifdef __AVX2__
  const auto found = uint32_t(_mm_cvtsi128_si32(_mm_minpos_epu16(detail::machine(v))));
  return {uint16_t(found), int(found >> 16)};
#else
  MinimumPosition least{v.v[0], 0};
  for (int i = 1; i < 8; ++i)
    if (v.v[i] < least.value)
      least = {v.v[i], i};
  return least;
#endif
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
