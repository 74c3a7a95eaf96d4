// Owns permutes by indexes that are only known at run time, of every size of element, length and level:
//
//   permute(v, index)            lane i = v[index[i] % N]
//   permute(a, b, index)         lane i = a[j], or b[j - N] for j of N and more, with j = index[i] % (2 N)
//   permute_in_lanes(v, index)   within each 128 bits, of L elements: lane i = v[i / L * L + index[i] % L]
//   permute_in_quads, lookup     what a row of 16 lanes and a wave of four rows call these
//
// Vectors of N lanes of 8, 16, 32 or 64 bits, N a power of two; indexes are integers of the same size, of which the
// upper bits may hold anything. Up to 512 bytes, the two sources together. Instructions for one register are in
// lanes/indexed.h; what is longer than a register is a lookup in a table (lanes/table.h); below AVX2 through memory.
// Two sources of AVX-512 are one instruction, as is one source, except bytes without VBMI.
#pragma once
#include "lanes/table.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
template <class T, int N, class U> consteval void check_permute() {
  static_assert(std::is_integral_v<U> && sizeof(U) == sizeof(T),
                "permute: the index vector needs integers of the size of the elements that it moves");
  static_assert((N & (N - 1)) == 0, "permute: the number of lanes is no power of two");
}
} // namespace detail

template <class T, int N, class U> CROSSLANE_INLINE Vec<T, N> permute(Vec<T, N> v, Vec<U, N> index) {
  detail::check_permute<T, N, U>();
  if constexpr (N == 1)
    return v;
  else
    return lookup_dirty(v, bitcast<unsigned_of<sizeof(T)>>(index));
}

template <class T, int N, class U> CROSSLANE_INLINE Vec<T, N> permute(Vec<T, N> a, Vec<T, N> b, Vec<U, N> index) {
  detail::check_permute<T, N, U>();
  static_assert(2 * N * sizeof(T) <= 512, "permute: the two sources have more than 512 bytes together");
  return lookup_dirty(join(a, b), bitcast<unsigned_of<sizeof(T)>>(index));
}

template <class T, int N, class U> CROSSLANE_INLINE Vec<T, N> permute_in_lanes(Vec<T, N> v, Vec<U, N> index) {
  detail::check_permute<T, N, U>();
  constexpr int lanes = 16 / sizeof(T);
  const auto i = bitcast<unsigned_of<sizeof(T)>>(index);
  if constexpr (N <= lanes)
    return permute(v, i);
  else
    return detail::by_parts<register_bytes>([](auto x, auto at) { return detail::index_in_lanes(x, at); }, v, i);
}

// Cheaper than a permute of the row, as no data leaves its 128 bits.
CROSSLANE_INLINE Vec<uint32_t, 16> permute_in_quads(Vec<uint32_t, 16> v, Vec<uint32_t, 16> index) {
  return permute_in_lanes(v, index);
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
