// Owns arrays of structures <-> structures of arrays, in registers and memory: K fields (2, 3, 4, ...) of 8 to 64 bits.
//
//   deinterleave(r)           K registers of consecutive memory, N structures -> register k holds field k of each
//   interleave(f)             the other way around
//   load_fields<K, T, N>(p)   the N structures at p, taken apart: reads K * N * sizeof(T) bytes, at any alignment
//   store_fields(p, f)        writes exactly those
//   aos_to_soa(p, fields, n)  n structures in memory, any n; nothing outside of them is touched
//   soa_to_aos(fields, p, n)
//
// An odd K is prime to the lane count: the elements of one field sit in lanes that are all different, so blends collect
// them and one permute sorts them. Even K go by halves. Where an instruction cannot carry the element across 128-bit
// lanes, whole lanes move first and elements within their lanes after.
// Permutes for 16 structures of 32-bit fields (+ blends), as clang 19 emits them:
//   K          2    3                                4                        8
//   AVX-512    2    3 + 3 apart, 4 + 3 together      8, of them 4 in lanes    24
//   (8 structures of 4 x 64 bits: 12 in lanes and of lanes)
//   AVX2       8    6 + 12 (Zen 3: 8 + 14)           24                       64
//   Zen 5, 64 bytes: lanes/fields_unpacked.h
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 4.1; the use of blends is ours.
#pragma once
#include "lanes/fields_unpacked.h"
#include <cstddef>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// The least element that one instruction carries to any lane of a register, and from any lane of two registers.
#ifdef __AVX512VBMI__
inline constexpr int crossing_bytes = 1, crossing_two_bytes = 1;
#elif defined(__AVX512BW__)
inline constexpr int crossing_bytes = 2, crossing_two_bytes = 2;
#else
inline constexpr int crossing_bytes = 4, crossing_two_bytes = 64;
#endif
// The least element of an odd number of fields that one permute sorts across lanes, where whole lanes moved first and
// sorted within themselves would take longer. (Zen 3: vpermd takes 8 cycles and two pipes.)
#ifdef __AVX512BW__
inline constexpr int sorting_bytes = crossing_bytes;
#else
inline constexpr int sorting_bytes = compiled_cpu == Cpu::zen3 ? 64 : crossing_bytes;
#endif

// An odd number K of fields. Lane l of register r holds field (r * Span + l) % K.
template <int Span, int K, int Field, int Register> struct Collect { // the lanes of `Register` join those before it
  constexpr int operator()(int l) const { return (Register * Span + l) % K == Field ? Span + l : l; }
};
template <int Span, int K, int Field, bool FromTwo> struct Sort { // the last register may still be a second source
  constexpr int operator()(int i) const {
    const int e = K * i + Field;
    return e % Span + (FromTwo && e / Span == K - 1 ? Span : 0);
  }
};
template <int Span, int K, int Field> struct Spread { // the inverse of Sort
  constexpr int operator()(int l) const {
    for (int i = 0; i < Span; ++i)
      if ((K * i + Field) % Span == l)
        return i;
    return dont_care;
  }
};
template <int Span, int K, int Part> struct MixTwo { // fields 0 and 1 at once; the lanes of others come later
  constexpr int operator()(int l) const {
    const int e = Part * Span + l;
    return e % K < 2 ? e / K + e % K * Span : dont_care;
  }
};

// Spans of K registers, each span for itself.
template <int Span, int G, bool FromTwo, size_t K, class T, int N>
CROSSLANE_INLINE auto apart(std::array<Vec<T, N>, K> r);
template <int Span, int G, bool FromTwo, size_t K, class T, int N>
CROSSLANE_INLINE auto together(std::array<Vec<T, N>, K> f);

template <int Span, int G, bool FromTwo, int K, int Field, int Register, class T, int N>
CROSSLANE_INLINE Vec<T, N> collect(Vec<T, N> so_far, const std::array<Vec<T, N>, K>& r) {
  if constexpr (Register == K) {
    const auto all = kept_apart(so_far);
    return within<Span, G, Sort<Span, K, Field, false>>(all, all);
  } else if constexpr (Register == K - 1 && FromTwo)
    return within<Span, G, Sort<Span, K, Field, true>>(so_far, r[Register]);
  else {
    const auto more = within<Span, G, Collect<Span, K, Field, Register>>(so_far, r[Register]);
    return collect<Span, G, FromTwo, K, Field, Register + 1>(more, r);
  }
}
template <int Span, int G, bool FromTwo, int K, int Part, int Field, class T, int N>
CROSSLANE_INLINE Vec<T, N> fill(Vec<T, N> so_far, const std::array<Vec<T, N>, K>& spread) {
  if constexpr (Field == K)
    return so_far;
  else {
    const auto more = within<Span, G, Collect<Span, K, Field, Part>>(so_far, spread[Field]);
    return fill<Span, G, FromTwo, K, Part, Field + 1>(more, spread);
  }
}

template <int Span, int G, bool FromTwo, size_t K, class T, int N>
CROSSLANE_INLINE auto apart(std::array<Vec<T, N>, K> r) {
  if constexpr (K == 1)
    return r;
  else if constexpr (K % 2)
    return [&]<size_t... F>(std::index_sequence<F...>) __attribute__((always_inline)) {
      return std::array<Vec<T, N>, K>{collect<Span, G, FromTwo, int(K), int(F), 1>(r[0], r)...};
    }(std::make_index_sequence<K>{});
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto even =
          apart<Span, G, FromTwo>(std::array{within<Span, G, Second<Span, 0>>(r[2 * I], r[2 * I + 1])...});
      const auto odd = apart<Span, G, FromTwo>(std::array{within<Span, G, Second<Span, 1>>(r[2 * I], r[2 * I + 1])...});
      std::array<Vec<T, N>, K> out;
      ((out[2 * I] = even[I], out[2 * I + 1] = odd[I]), ...);
      return out;
    }(std::make_index_sequence<K / 2>{});
}

template <int Span, int G, bool FromTwo, size_t K, class T, int N>
CROSSLANE_INLINE auto together(std::array<Vec<T, N>, K> f) {
  if constexpr (K == 1)
    return f;
  else if constexpr (K % 2)
    return [&]<size_t... F>(std::index_sequence<F...>) __attribute__((always_inline)) {
      std::array<Vec<T, N>, K> spread;
      ((spread[F] = F < 2 && FromTwo ? f[F] : kept_apart(within<Span, G, Spread<Span, K, F>>(f[F], f[F]))), ...);
      if constexpr (FromTwo)
        return std::array<Vec<T, N>, K>{fill<Span, G, FromTwo, int(K), int(F), 2>(
            within<Span, G, MixTwo<Span, int(K), int(F)>>(f[0], f[1]), spread)...};
      else
        return std::array<Vec<T, N>, K>{fill<Span, G, FromTwo, int(K), int(F), 1>(spread[0], spread)...};
    }(std::make_index_sequence<K>{});
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto even = together<Span, G, FromTwo>(std::array{f[2 * I]...});
      const auto odd = together<Span, G, FromTwo>(std::array{f[2 * I + 1]...});
      std::array<Vec<T, N>, K> out;
      ((out[2 * I] = within<Span, G, Mix<Span, 0>>(even[I], odd[I]),
        out[2 * I + 1] = within<Span, G, Mix<Span, 1>>(even[I], odd[I])),
       ...);
      return out;
    }(std::make_index_sequence<K / 2>{});
}

// Four registers hold R rows of 4 N / R elements, one after the other; the columns follow each other in the result.
// (Four fields are R = 4.) Permutes of two registers collect halves of columns, of 8 bytes at most, where unpacks,
// which cost less, join them within their lanes.
template <int N, size_t Bytes, int R> struct Halves {
  static constexpr int half = R / 2, lane = 16 / Bytes, columns = 4 * N / R;
  static constexpr int of_row(int row, int column) { return row / (R / 4) * N + row % (R / 4) * columns + column; }
};
template <int N, size_t Bytes, int R, int Pair> struct ToHalves { // for registers 2 * Pair and 2 * Pair + 1
  using H = Halves<N, Bytes, R>;
  constexpr int operator()(int i) const {
    const int in_lane = i % H::lane, in_half = in_lane % (H::lane / 2), to = 2 * Pair + in_lane / (H::lane / 2);
    const int column = to * (N / R) + i / H::lane * (H::lane / R) + in_half / H::half;
    return H::of_row(in_half % H::half, column);
  }
};
template <int N, size_t Bytes, int R, int Field> struct OfHalves { // the inverse for rows of R: a column
  using H = Halves<N, Bytes, R>;
  constexpr int operator()(int i) const {
    const int row = Field * (R / 4) + i / H::columns, column = i % H::columns; // as the matrix of the result has them
    const int r = column / (N / R), c = column % (N / R), per_lane = H::lane / R;
    return r / 2 * N + c / per_lane * H::lane + (r % 2 * per_lane + c % per_lane) * H::half + row % H::half;
  }
};
template <int R, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, 4> four_together(const std::array<Vec<T, N>, 4>& f) {
  constexpr int half = R / 2, span = 16 / int(sizeof(T)) / half;
  const auto x0 = permute(f[0], f[1], ToHalves<N, sizeof(T), R, 0>{});
  const auto y0 = permute(f[2], f[3], ToHalves<N, sizeof(T), R, 0>{});
  const auto x1 = permute(f[0], f[1], ToHalves<N, sizeof(T), R, 1>{});
  const auto y1 = permute(f[2], f[3], ToHalves<N, sizeof(T), R, 1>{});
  return {within<span, half, Mix<span, 0>>(x0, y0), within<span, half, Mix<span, 1>>(x0, y0),
          within<span, half, Mix<span, 0>>(x1, y1), within<span, half, Mix<span, 1>>(x1, y1)};
}
template <int R, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, 4> four_apart(const std::array<Vec<T, N>, 4>& r) {
  constexpr int half = R / 2, span = 16 / int(sizeof(T)) / half;
  const auto x0 = within<span, half, Second<span, 0>>(r[0], r[1]), y0 = within<span, half, Second<span, 1>>(r[0], r[1]);
  const auto x1 = within<span, half, Second<span, 0>>(r[2], r[3]), y1 = within<span, half, Second<span, 1>>(r[2], r[3]);
  return {permute(x0, x1, OfHalves<N, sizeof(T), R, 0>{}), permute(x0, x1, OfHalves<N, sizeof(T), R, 1>{}),
          permute(y0, y1, OfHalves<N, sizeof(T), R, 2>{}), permute(y0, y1, OfHalves<N, sizeof(T), R, 3>{})};
}
// Four fields of qwords, halves of structures as lanes: unpacks make the lanes, moves of lanes the rest. (On Zen 4
// these 12 are faster than 8 permutes of two sources, by a quarter.)
template <int Lanes, int Half> struct HalvesJoined {
  constexpr int operator()(int i) const { return Half * (Lanes / 2) + i + (i < Lanes / 2 ? 0 : Lanes / 2); }
};
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 4> four_by_lanes(const std::array<Vec<T, N>, 4>& f) {
  const auto even01 = within<2, 1, Mix<2, 0>>(f[0], f[1]), odd01 = within<2, 1, Mix<2, 1>>(f[0], f[1]);
  const auto even23 = within<2, 1, Mix<2, 0>>(f[2], f[3]), odd23 = within<2, 1, Mix<2, 1>>(f[2], f[3]);
  const auto even0 = within<4, 2, HalvesJoined<4, 0>>(even01, even23),
             odd0 = within<4, 2, HalvesJoined<4, 0>>(odd01, odd23);
  const auto even1 = within<4, 2, HalvesJoined<4, 1>>(even01, even23),
             odd1 = within<4, 2, HalvesJoined<4, 1>>(odd01, odd23);
  return {within<4, 2, Second<4, 0>>(even0, odd0), within<4, 2, Second<4, 1>>(even0, odd0),
          within<4, 2, Second<4, 0>>(even1, odd1), within<4, 2, Second<4, 1>>(even1, odd1)};
}
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 4> four_from_lanes(const std::array<Vec<T, N>, 4>& r) {
  const auto low0 = within<4, 2, HalvesJoined<4, 0>>(r[0], r[1]), high0 = within<4, 2, HalvesJoined<4, 1>>(r[0], r[1]);
  const auto low1 = within<4, 2, HalvesJoined<4, 0>>(r[2], r[3]), high1 = within<4, 2, HalvesJoined<4, 1>>(r[2], r[3]);
  const auto even01 = within<4, 2, Second<4, 0>>(low0, low1), even23 = within<4, 2, Second<4, 1>>(low0, low1);
  const auto odd01 = within<4, 2, Second<4, 0>>(high0, high1), odd23 = within<4, 2, Second<4, 1>>(high0, high1);
  return {within<2, 1, Mix<2, 0>>(even01, odd01), within<2, 1, Mix<2, 1>>(even01, odd01),
          within<2, 1, Mix<2, 0>>(even23, odd23), within<2, 1, Mix<2, 1>>(even23, odd23)};
}
// Whether these can: halves of at most 8 bytes, a permute for the element; apart, a shuffle of two sources for the
// half.
template <int R, class T, int N>
inline constexpr bool by_halves = R >= 4 && N * sizeof(T) > 16 && R * sizeof(T) <= 16 &&
                                  sizeof(T) >= crossing_two_bytes;
template <int R, class T, int N> inline constexpr bool by_halves_apart = by_halves<R, T, N> && R * sizeof(T) >= 8;

// Register i of 2 K halves in the order of memory.
template <size_t I, size_t K, class T, int N>
CROSSLANE_INLINE Vec<T, N / 2> half_of(const std::array<Vec<T, N>, K>& r) {
  return part<N / 2, int(I % 2)>(r[I / 2]);
}
// Where permutes of two sources hold up stores; even K by fewer fields.
template <size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> apart_unpacked(const std::array<Vec<T, N>, K>& r) {
  if constexpr (K % 2)
    return apart<N, 1, false>(r);
  else if constexpr (K == 2)
    return two_apart(r[0], r[1]);
  else if constexpr (K == 4 && sizeof(T) < 4)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto fields = deinterleave(std::array{grouped<4>(r[I])...});
      return std::array<Vec<T, N>, K>{reinterpret<T>(fields[I])...};
    }(std::make_index_sequence<K>{});
  else if constexpr (K == 4) {
    const auto m = four_mixed(r);
    return {placed_dwords(kept_apart(m[0])), placed_dwords(kept_apart(m[1])), placed_dwords(kept_apart(m[2])),
            placed_dwords(kept_apart(m[3]))};
  } else if constexpr (K == 8 && sizeof(T) == 8)
    return eight_apart(r);
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      constexpr size_t half = K / 2;
      const auto pairs = [](Vec<T, N> a, Vec<T, N> b) __attribute__((always_inline)) {
        if constexpr (K == 8 && sizeof(T) == 4) // fields 0 to 3, and 4 to 7
          return std::array{lanes_of<0>(a, b), lanes_of<1>(a, b)};
        else if constexpr (K == 8) {
          using Four = unsigned_of<4 * sizeof(T)>;
          const auto two = two_apart(reinterpret<Four>(a), reinterpret<Four>(b));
          return std::array{reinterpret<T>(two[0]), reinterpret<T>(two[1])};
        } else // even and odd
          return two_apart(a, b);
      };
      const std::array two{pairs(r[2 * I], r[2 * I + 1])...};
      const auto first = deinterleave(std::array<Vec<T, N>, half>{two[I][0]...});
      const auto second = deinterleave(std::array<Vec<T, N>, half>{two[I][1]...});
      if constexpr (K == 8)
        return std::array<Vec<T, N>, K>{first[I]..., second[I]...};
      std::array<Vec<T, N>, K> out;
      ((out[2 * I] = first[I], out[2 * I + 1] = second[I]), ...);
      return out;
    }(std::make_index_sequence<K / 2>{});
}
template <size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> together_unpacked(const std::array<Vec<T, N>, K>& f) {
  if constexpr (K % 2)
    return together<N, 1, false>(f);
  else if constexpr (K == 2)
    return two_together(f[0], f[1]);
  else if constexpr (K == 4)
    return four_unpacked(f);
  else if constexpr (K == 8 && sizeof(T) == 8)
    return eight_together(f);
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto even = interleave(std::array{f[2 * I]...}), odd = interleave(std::array{f[2 * I + 1]...});
      const std::array two{two_together(even[I], odd[I])...};
      std::array<Vec<T, N>, K> out;
      ((out[2 * I] = two[I][0], out[2 * I + 1] = two[I][1]), ...);
      return out;
    }(std::make_index_sequence<K / 2>{});
}

// Fewer instructions than by blends; on Zen 3 those of 32 bytes across lanes cost more.
template <class T, int N>
inline constexpr bool three_by_lanes =
    sizeof(T) == 8 &&
    (two_sources_delay_stores<T, N> || (register_bytes == 32 && N * sizeof(T) == 32 && compiled_cpu != Cpu::zen3));

// Whether to group: there is a byte shuffle, and nothing better.
#ifdef __SSSE3__
template <class T, int N> // NOLINTNEXTLINE(misc-redundant-expression): not at all levels
inline constexpr bool groups = sizeof(T) < 4 && sizeof(T) < crossing_two_bytes && N * sizeof(T) >= 16;
#else
template <class T, int N> inline constexpr bool groups = false;
#endif
} // namespace detail

// Every second lane of one value, from `First` on.
template <int First, class T, int N> CROSSLANE_INLINE Vec<T, N / 2> every_second(Vec<T, N> v) {
  if constexpr (N == 2)
    return Vec<T, 1>::of(v.v[First]);
  else
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return Vec<T, N / 2>::of(__builtin_shufflevector(v.v, v.v, (2 * I + First)...));
    }(std::make_integer_sequence<int, N / 2>{});
}

template <size_t K, class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, K> deinterleave(std::array<Vec<T, N>, K> r) {
  constexpr int bytes = N * sizeof(T), in_lane = 16 / sizeof(T);
  if constexpr (bytes > register_bytes)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto low = deinterleave(std::array<Vec<T, N / 2>, K>{detail::half_of<I>(r)...});
      const auto high = deinterleave(std::array<Vec<T, N / 2>, K>{detail::half_of<K + I>(r)...});
      return std::array<Vec<T, N>, K>{join(low[I], high[I])...};
    }(std::make_index_sequence<K>{});
  else if constexpr (detail::groups<T, N> && (K == 2 || K == 4))
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto fields = deinterleave(std::array{detail::grouped<K>(r[I])...});
      return std::array<Vec<T, N>, K>{reinterpret<T>(fields[I])...};
    }(std::make_index_sequence<K>{});
  else if constexpr (detail::groups<T, N> && K == 8) // fields 0 to 3 and 4 to 7 first
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      using Four = unsigned_of<4 * sizeof(T)>;
      const std::array halves{
          deinterleave(std::array{reinterpret<Four>(r[2 * I]), reinterpret<Four>(r[2 * I + 1])})...};
      const auto low = deinterleave(std::array<Vec<T, N>, 4>{reinterpret<T>(halves[I][0])...});
      const auto high = deinterleave(std::array<Vec<T, N>, 4>{reinterpret<T>(halves[I][1])...});
      return std::array<Vec<T, N>, K>{low[I]..., high[I]...};
    }(std::make_index_sequence<4>{});
  else if constexpr (K == 4 && bytes == 64 && sizeof(T) == 8)
    return detail::four_from_lanes(r);
  else if constexpr (K == 3 && detail::three_by_lanes<T, N>)
    return detail::three_apart(r);
  else if constexpr (K == 4 && sizeof(T) == 8 && register_bytes == 32 && bytes == 32 && compiled_cpu == Cpu::zen5)
    return detail::four_qwords_apart(r);
  else if constexpr (detail::two_sources_delay_stores<T, N> && (K % 2 == 0 || sizeof(T) >= detail::sorting_bytes))
    return detail::apart_unpacked(r);
  else if constexpr (K == 4 && detail::by_halves_apart<4, T, N>)
    return detail::four_apart<4>(r);
  else if constexpr (bytes <= 16 || sizeof(T) >= detail::crossing_two_bytes ||
                     (K % 2 && sizeof(T) >= detail::sorting_bytes))
    return detail::apart<N, 1, sizeof(T) >= detail::crossing_two_bytes>(r);
  else
    return detail::apart<in_lane, 1, false>(detail::apart<bytes / 16, in_lane, 8 >= detail::crossing_two_bytes>(r));
}

template <size_t K, class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, K> interleave(std::array<Vec<T, N>, K> f) {
  constexpr int bytes = N * sizeof(T), in_lane = 16 / sizeof(T);
  if constexpr (bytes > register_bytes)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto low = interleave(std::array<Vec<T, N / 2>, K>{part<N / 2, 0>(f[I])...});
      const auto high = interleave(std::array<Vec<T, N / 2>, K>{part<N / 2, 1>(f[I])...});
      const std::array<Vec<T, N / 2>, 2 * K> all{low[I]..., high[I]...};
      return std::array<Vec<T, N>, K>{join(all[2 * I], all[2 * I + 1])...};
    }(std::make_index_sequence<K>{});
  else if constexpr (K == 4 && bytes == 64 && sizeof(T) == 8)
    return detail::four_by_lanes(f);
  else if constexpr (K == 3 && detail::three_by_lanes<T, N>)
    return detail::three_together(f);
  else if constexpr (detail::two_sources_delay_stores<T, N> && (K % 2 == 0 || sizeof(T) >= detail::sorting_bytes))
    return detail::together_unpacked(f);
  else if constexpr (K == 4 && detail::by_halves<4, T, N>)
    return detail::four_together<4>(f);
  else if constexpr (K == 4 && bytes == 64 && sizeof(T) == 1)
    return detail::four_unpacked(f);
  else if constexpr (bytes <= 16 || sizeof(T) >= detail::crossing_two_bytes ||
                     (K % 2 && sizeof(T) >= detail::sorting_bytes))
    return detail::together<N, 1, sizeof(T) >= detail::crossing_two_bytes>(f);
  else
    return detail::together<bytes / 16, in_lane, 8 >= detail::crossing_two_bytes>(
        detail::together<in_lane, 1, false>(f));
}

namespace detail {
// Register i has 128 bits i and K + i of memory: nothing is left to cross. Zen 3, 8 KB, 4 fields of 8 and 16 bits: 133
// and 133 ns, by whole registers 149 and 149; 4 of 32 bits 3 to 6 % slower, 3 of 16 to 64 bits 25 to 35 %.
template <size_t K, class T, int N>
CROSSLANE_INLINE std::array<Vec<T, N>, K> apart_in_lanes(const std::array<Vec<T, N>, K>& r) {
  if constexpr (groups<T, N>)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      const auto fields = apart_in_lanes(std::array{grouped<K>(r[I])...});
      return std::array<Vec<T, N>, K>{reinterpret<T>(fields[I])...};
    }(std::make_index_sequence<K>{});
  else
    return apart<16 / sizeof(T), 1, false>(r);
}
template <size_t K, class T, int N>
inline constexpr bool loads_halves =
    compiled_cpu == Cpu::zen3 && register_bytes == 32 && N * sizeof(T) == 32 && K == 4 && sizeof(T) <= 2;
} // namespace detail

template <size_t K, class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, K> load_fields(const void* p) {
  const auto* bytes = static_cast<const std::byte*>(p);
  if constexpr (detail::loads_halves<K, T, N>)
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      return detail::apart_in_lanes(
          std::array<Vec<T, N>, K>{join(load<T, N / 2>(bytes + I * 16), load<T, N / 2>(bytes + (K + I) * 16))...});
    }(std::make_index_sequence<K>{});
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return deinterleave(std::array<Vec<T, N>, K>{load<T, N>(bytes + I * N * sizeof(T))...});
  }(std::make_index_sequence<K>{});
}
template <size_t K, class T, int N> CROSSLANE_INLINE void store_fields(void* p, std::array<Vec<T, N>, K> f) {
  auto* bytes = static_cast<std::byte*>(p);
  const auto r = interleave(f);
  [&]<size_t... I>(std::index_sequence<I...>)
      __attribute__((always_inline)) { (store(bytes + I * N * sizeof(T), r[I]), ...); }(std::make_index_sequence<K>{});
}

namespace detail {
// Blocks of N structures; the last block overlaps the one before it. False if there are fewer than N.
template <int N, class F> CROSSLANE_INLINE bool blocks(size_t n, F move) {
  if (n < N)
    return false;
  for (size_t i = 0; i + N <= n; i += N)
    move(i);
  if (n % N)
    move(n - N);
  return true;
}
} // namespace detail

// n structures of K fields at `structures` -> fields[k][0 .. n-1]. Nothing may overlap.
template <size_t K, class T> void aos_to_soa(const T* structures, const std::array<T*, K>& to, size_t n) {
  const std::array<T*, K> fields = to; // no store can change these
  const auto move = [&]<int N>(size_t i) __attribute__((always_inline)) {
    const auto f = load_fields<K, T, N>(structures + K * i);
    [&]<size_t... I>(std::index_sequence<I...>)
        __attribute__((always_inline)) { (store(fields[I] + i, f[I]), ...); }(std::make_index_sequence<K>{});
  };
  constexpr int wide = register_bytes / sizeof(T), narrow = 16 / sizeof(T);
  if (detail::blocks<wide>(n, [&](size_t i) __attribute__((always_inline)) { move.template operator()<wide>(i); }))
    return;
  if (detail::blocks<narrow>(n, [&](size_t i) __attribute__((always_inline)) { move.template operator()<narrow>(i); }))
    return;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < K; ++k)
      store(fields[k] + i, load<T, 1>(structures + K * i + k));
}
// fields[k][0 .. n-1] -> n structures of K fields. Nothing may overlap.
template <size_t K, class T> void soa_to_aos(const std::array<const T*, K>& from, T* structures, size_t n) {
  const std::array<const T*, K> fields = from; // no store can change these
  const auto move = [&]<int N>(size_t i) __attribute__((always_inline)) {
    [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      store_fields(structures + K * i, std::array<Vec<T, N>, K>{load<T, N>(fields[I] + i)...});
    }(std::make_index_sequence<K>{});
  };
  constexpr int wide = register_bytes / sizeof(T), narrow = 16 / sizeof(T);
  if (detail::blocks<wide>(n, [&](size_t i) __attribute__((always_inline)) { move.template operator()<wide>(i); }))
    return;
  if (detail::blocks<narrow>(n, [&](size_t i) __attribute__((always_inline)) { move.template operator()<narrow>(i); }))
    return;
  for (size_t i = 0; i < n; ++i)
    for (size_t k = 0; k < K; ++k)
      store(structures + K * i + k, load<T, 1>(fields[k] + i));
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
