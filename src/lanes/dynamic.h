// Owns permutes of rows of 16 lanes, and of waves of four rows, by indexes that are only known at run time: lookups
// (lanes/table.h) by the names that a row and a wave have for them. AVX-512 has them as instructions, AVX2 composes
// them of permutes of eight lanes and blends, elsewhere they go through memory.
#pragma once
#include "lanes/table.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Lane i gets v[index[i] % 16].
CROSSLANE_INLINE Vec<uint32_t, 16> permute(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
  return lookup_dirty(v, index);
}

// Lane i gets v[i / 4 * 4 + index[i] % 4]: cheaper, as no data leaves its 128 bits.
CROSSLANE_INLINE Vec<uint32_t, 16> permute_in_quads(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
#if defined(__AVX2__)
  return detail::by_parts<register_bytes>(
      [](auto a, auto i) {
#ifdef __AVX512F__
        return detail::from_machine<uint32_t>(
            _mm512_castps_si512(_mm512_permutevar_ps(_mm512_castsi512_ps(detail::machine(a)), detail::machine(i))));
#else
        return detail::from_machine<uint32_t>(
            _mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(detail::machine(a)), detail::machine(i))));
#endif
      },
      v, index);
#else
  const auto quads = Vec<uint32_t, 16>::of({0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12});
  return permute(v, quads + (index & Vec<uint32_t, 16>(3u)));
#endif
}

// Lane i gets table[index[i] % 32] of the 32 elements low, high.
CROSSLANE_INLINE Vec<uint32_t, 16> lookup(Vec<uint32_t, 16> low, Vec<uint32_t, 16> high, Vec<uint32_t, 16> index) {
  return lookup_dirty(std::bit_cast<Vec<uint32_t, 32>>(std::array{low, high}), index);
}

// Lane i gets table[index[i] % 64] of the 64 elements of a whole wave's register.
CROSSLANE_INLINE Vec<uint32_t, 16> lookup(const Vec<uint32_t, 16> (&table)[4], Vec<uint32_t, 16> index) {
  return lookup_dirty(std::bit_cast<Vec<uint32_t, 64>>(std::array{table[0], table[1], table[2], table[3]}), index);
}
// The same for all 64 lanes; out may be the table.
CROSSLANE_INLINE void lookup(const Vec<uint32_t, 16> (&table)[4], const Vec<uint32_t, 16> (&index)[4],
                             Vec<uint32_t, 16> (&out)[4]) {
  const auto whole = [](const Vec<uint32_t, 16>(&v)[4]) {
    return std::bit_cast<Vec<uint32_t, 64>>(std::array{v[0], v[1], v[2], v[3]});
  };
  const auto found = std::bit_cast<std::array<Vec<uint32_t, 16>, 4>>(lookup_dirty(whole(table), whole(index)));
  for (int r = 0; r < 4; ++r)
    out[r] = found[r];
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
