// Owns permutes of whole registers by indexes that are only known at run time: AVX-512 has them as instructions, elsewhere they go through memory.
#pragma once
#include "lanes/vec.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Lane i gets v[index[i] % 16].
CROSSLANE_INLINE Vec<uint32_t, 16> permute(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
#ifdef __AVX512F__
  using R = Vec<uint32_t, 16>::raw;
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(
      R, _mm512_permutexvar_epi32(__builtin_bit_cast(__m512i, index.v), __builtin_bit_cast(__m512i, v.v))));
#else
  alignas(64) uint32_t table[16], at[16], out[16];
  store(table, v), store(at, index);
  for (int i = 0; i < 16; ++i) out[i] = table[at[i] % 16];
  return load<uint32_t, 16>(out);
#endif
}

// Lane i gets v[i / 4 * 4 + index[i] % 4]: cheaper, as no data leaves its 128 bits.
CROSSLANE_INLINE Vec<uint32_t, 16> permute_in_quads(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
#ifdef __AVX512F__
  using R = Vec<uint32_t, 16>::raw;
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(
      R, _mm512_permutevar_ps(__builtin_bit_cast(__m512, v.v), __builtin_bit_cast(__m512i, index.v))));
#else
  const auto quads = Vec<uint32_t, 16>::of({0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12});
  return permute(v, quads + (index & Vec<uint32_t, 16>(3u)));
#endif
}

// Lane i gets table[index[i] % 32] of the 32 elements low, high.
CROSSLANE_INLINE Vec<uint32_t, 16> lookup(Vec<uint32_t, 16> low, Vec<uint32_t, 16> high, Vec<uint32_t, 16> index) {
#ifdef __AVX512F__
  using R = Vec<uint32_t, 16>::raw;
  return Vec<uint32_t, 16>::of(__builtin_bit_cast(
      R, _mm512_permutex2var_epi32(__builtin_bit_cast(__m512i, low.v), __builtin_bit_cast(__m512i, index.v),
                                   __builtin_bit_cast(__m512i, high.v))));
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

CROSSLANE_LEVEL_END
}  // namespace crosslane::lanes
