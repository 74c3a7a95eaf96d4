// Owns permutes of whole registers by indexes that are only known at run time: AVX-512 has them as instructions, AVX2 for eight
// lanes at a time (two of them and a blend reach 16), elsewhere they go through memory.
#pragma once
#include "lanes/vec.h"
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

#if defined(__AVX2__) && !defined(__AVX512F__)
namespace detail {
struct Eights {
  __m256i low, high;
};
CROSSLANE_INLINE Eights eights(Vec<uint32_t, 16> v) { return __builtin_bit_cast(Eights, v.v); }
CROSSLANE_INLINE Vec<uint32_t, 16> joined(__m256i low, __m256i high) {
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(raw_t<uint32_t, 16>, Eights{low, high}));
}
// b where bit `Bit` of the index is set, else a.
template <int Bit> CROSSLANE_INLINE __m256i by_bit(__m256i index, __m256i a, __m256i b) {
  return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                                              _mm256_castsi256_ps(_mm256_slli_epi32(index, 31 - Bit))));
}
CROSSLANE_INLINE __m256i pick(Eights v, __m256i index) {
  return by_bit<3>(index, _mm256_permutevar8x32_epi32(v.low, index), _mm256_permutevar8x32_epi32(v.high, index));
}
} // namespace detail
#endif

// Lane i gets v[index[i] % 16].
CROSSLANE_INLINE Vec<uint32_t, 16> permute(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
#if defined(__AVX512F__)
  using R = Vec<uint32_t, 16>::raw;
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(
      R, _mm512_permutexvar_epi32(__builtin_bit_cast(__m512i, index.v), __builtin_bit_cast(__m512i, v.v))));
#elif defined(__AVX2__)
  const auto i = detail::eights(index), x = detail::eights(v);
  return detail::joined(detail::pick(x, i.low), detail::pick(x, i.high));
#else
  alignas(64) uint32_t table[16], at[16], out[16];
  store(table, v), store(at, index);
  for (int i = 0; i < 16; ++i) out[i] = table[at[i] % 16];
  return load<uint32_t, 16>(out);
#endif
}

// Lane i gets v[i / 4 * 4 + index[i] % 4]: cheaper, as no data leaves its 128 bits.
CROSSLANE_INLINE Vec<uint32_t, 16> permute_in_quads(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
#if defined(__AVX512F__)
  using R = Vec<uint32_t, 16>::raw;
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(
      R, _mm512_permutevar_ps(__builtin_bit_cast(__m512, v.v), __builtin_bit_cast(__m512i, index.v))));
#elif defined(__AVX2__)
  const auto i = detail::eights(index), x = detail::eights(v);
  const auto half = [](__m256i a, __m256i b) {
    return _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(a), b));
  };
  return detail::joined(half(x.low, i.low), half(x.high, i.high));
#else
  const auto quads = Vec<uint32_t, 16>::of({0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12});
  return permute(v, quads + (index & Vec<uint32_t, 16>(3u)));
#endif
}

// Lane i gets table[index[i] % 32] of the 32 elements low, high.
CROSSLANE_INLINE Vec<uint32_t, 16> lookup(Vec<uint32_t, 16> low, Vec<uint32_t, 16> high, Vec<uint32_t, 16> index) {
#if defined(__AVX512F__)
  using R = Vec<uint32_t, 16>::raw;
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(
      R, _mm512_permutex2var_epi32(__builtin_bit_cast(__m512i, low.v), __builtin_bit_cast(__m512i, index.v),
                                   __builtin_bit_cast(__m512i, high.v))));
#elif defined(__AVX2__)
  const auto i = detail::eights(index), a = detail::eights(low), b = detail::eights(high);
  const auto half = [&](__m256i at) { return detail::by_bit<4>(at, detail::pick(a, at), detail::pick(b, at)); };
  return detail::joined(half(i.low), half(i.high));
#else
  alignas(64) uint32_t table[32], at[16], out[16];
  store(table, low), store(table + 16, high), store(at, index);
  for (int i = 0; i < 16; ++i) out[i] = table[at[i] % 32];
  return load<uint32_t, 16>(out);
#endif
}

// Lane i gets table[index[i] % 64] of the 64 elements of a whole wave's register.
CROSSLANE_INLINE Vec<uint32_t, 16> lookup(const Vec<uint32_t, 16> (&table)[4], Vec<uint32_t, 16> index) {
#ifdef __AVX512F__
  const auto upper = (index & Vec<uint32_t, 16>(32u)) != Vec<uint32_t, 16>(0u);
  return select(upper, lookup(table[2], table[3], index), lookup(table[0], table[1], index));
#else
  alignas(64) uint32_t flat[64], at[16], out[16];
  for (int r = 0; r < 4; ++r) store(flat + 16 * r, table[r]);
  store(at, index);
  for (int i = 0; i < 16; ++i) out[i] = flat[at[i] % 64];
  return load<uint32_t, 16>(out);
#endif
}

// The same for 64 lanes: without AVX-512 the table is written to memory once only.
CROSSLANE_INLINE void lookup(const Vec<uint32_t, 16> (&table)[4], const Vec<uint32_t, 16> (&index)[4], Vec<uint32_t, 16> (&out)[4]) {
#ifdef __AVX512F__
  const Vec<uint32_t, 16> low[4] = {lookup(table[0], table[1], index[0]), lookup(table[0], table[1], index[1]),
                                    lookup(table[0], table[1], index[2]), lookup(table[0], table[1], index[3])};
  const auto with_high = [&](int r) {
    return select((index[r] & Vec<uint32_t, 16>(32u)) != Vec<uint32_t, 16>(0u), lookup(table[2], table[3], index[r]), low[r]);
  };
  const Vec<uint32_t, 16> all[4] = {with_high(0), with_high(1), with_high(2), with_high(3)};
  out[0] = all[0], out[1] = all[1], out[2] = all[2], out[3] = all[3];
#else
  alignas(64) uint32_t flat[64], at[64];
  for (int r = 0; r < 4; ++r) store(flat + 16 * r, table[r]), store(at + 16 * r, index[r]);
  for (int i = 0; i < 64; ++i) at[i] = flat[at[i] % 64];
  for (int r = 0; r < 4; ++r) out[r] = load<uint32_t, 16>(at + 16 * r);
#endif
}

CROSSLANE_LEVEL_END
}  // namespace crosslane::lanes
