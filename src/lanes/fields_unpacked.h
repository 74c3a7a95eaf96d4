// Owns the fields of lanes/fields.h in registers of 64 bytes without permutes of two sources: shuffles of two registers
// within 128 bits, blends, and permutes of one register.
//
// For Zen 5. Its vpermt2 and vpermi2 take one of the two halves of the path by which a register is stored: three of
// them and three stores take 4.5 cycles, while two shuffles within 128 bits, two permutes of one register and two
// stores take 2, as the stores alone. Measured by loops of loads, one such instruction and a store on an EPYC (family
// 26, model 2), in cycles: vpermt2q, vpermt2b, vpermi2q 1.45; vpermq, vpermb, vshufi64x2, valignq, vpunpcklqdq,
// vpshufb, vpternlogq, vfmadd, vpblendmq, and vpermq into another register under a mask 1.0 to 1.07, without any 1.0.
//
//   fields      2              3                    4                     8
//   apart       2 + 2 (8, 16:  3 permutes, 6 blends 8 + 4 (8 and 16 bit:  32 to 48
//               4 + 2)         (64 bit: 8)          12 + 4; 64: 12)       (64 bit: 24)
//   together    2 + 2          3 permutes, 6 blends 4 + 8 (64 bit: 12)    40 (64 bit: 24)
//                              (64 bit: 9)
// And for AVX2, except on Zen 3: three fields of qwords by 6 shuffles of two registers, not 3 permutes and 6 blends;
// on Zen 5 four fields of qwords apart by 8.
#pragma once
#include "lanes/permute.h"
#include "lanes/registers.h"
#include <cstddef>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// Whether permutes of two sources hold up the stores of registers that are this wide.
template <class T, int N>
inline constexpr bool two_sources_delay_stores = compiled_cpu == Cpu::zen5 && N * sizeof(T) == 64;
// Keeps the compiler from making such a permute of what made v and what uses it.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> kept_apart(Vec<T, N> v) {
  if constexpr (two_sources_delay_stores<T, N>)
    return as_written(v);
  else
    return v;
}

// A permute of two sources within spans: `Span` groups of G elements each are a world of their own (a register, or one
// of its 128-bit lanes) and F says for group i of a span which group of the two sources' same span it is.
template <int N, int Span, int G, class F> struct Within {
  constexpr int operator()(int i) const {
    const int span = i / (Span * G), from = F{}(i / G % Span);
    return from < 0 ? from : from / Span * N + (span * Span + from % Span) * G + i % G;
  }
};
template <int Span, int G, class F, class T, int N> CROSSLANE_INLINE Vec<T, N> within(Vec<T, N> a, Vec<T, N> b) {
  return permute(a, b, Within<N, Span, G, F>{});
}

// Two fields: every second element from `Field` on, and back: part `Part` of the mixture.
template <int Span, int Field> struct Second {
  constexpr int operator()(int i) const { return 2 * i + Field; }
};
template <int Span, int Part> struct Mix {
  constexpr int operator()(int i) const { return (Part * Span + i) / 2 + i % 2 * Span; }
};

// Four registers' elements together within each lane; of dwords this is a square transposed.
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 4> four_mixed(const std::array<Vec<T, N>, 4>& f) {
  constexpr int lane = 16 / sizeof(T);
  const auto low0 = within<lane, 1, Mix<lane, 0>>(f[0], f[1]), high0 = within<lane, 1, Mix<lane, 1>>(f[0], f[1]);
  const auto low1 = within<lane, 1, Mix<lane, 0>>(f[2], f[3]), high1 = within<lane, 1, Mix<lane, 1>>(f[2], f[3]);
  constexpr int pairs = lane / 2;
  return {within<pairs, 2, Mix<pairs, 0>>(low0, low1), within<pairs, 2, Mix<pairs, 1>>(low0, low1),
          within<pairs, 2, Mix<pairs, 0>>(high0, high1), within<pairs, 2, Mix<pairs, 1>>(high0, high1)};
}
// Four fields of up to 32 bits: dwords take their places first, unpacks follow.
struct SquareOfDwords {
  constexpr int operator()(int i) const { return i % 4 * 4 + i / 4; }
};
template <class T, int N> CROSSLANE_INLINE Vec<T, N> placed_dwords(Vec<T, N> v) {
  return reinterpret<T>(kept_apart(permute(reinterpret<uint32_t>(v), SquareOfDwords{})));
}
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 4> four_unpacked(const std::array<Vec<T, N>, 4>& f) {
  return four_mixed(std::array{placed_dwords(f[0]), placed_dwords(f[1]), placed_dwords(f[2]), placed_dwords(f[3])});
}

// Small elements of one field side by side in each 128-bit lane, as one element of 16 / K bytes.
template <int Span, int K> struct Group {
  constexpr int operator()(int i) const { return K * (i % (Span / K)) + i / (Span / K); }
};
template <int K, class T, int N> CROSSLANE_INLINE auto grouped(Vec<T, N> v) {
  return reinterpret<unsigned_of<16 / K>>(within<16 / sizeof(T), 1, Group<16 / sizeof(T), K>>(v, v));
}

// The following are for registers of 64 bytes.
template <int N, int Each> struct EvenFirst { // of Each elements at a time
  constexpr int operator()(int i) const {
    const int from = 2 * (i / Each), units = N / Each;
    return (from % units + from / units) * Each + i % Each;
  }
};
template <int N, int Each> struct HalvesMixed { // the inverse
  constexpr int operator()(int i) const { return (i / Each / 2 + i / Each % 2 * (N / Each / 2)) * Each + i % Each; }
};
template <int N, int First> struct EveryOther { // lanes whose number is odd + First are the second source's
  constexpr int operator()(int i) const { return i % 2 == First ? i : N + i; }
};
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 2> two_apart(Vec<T, N> a, Vec<T, N> b) {
  if constexpr (sizeof(T) >= 4) {
    constexpr int lane = 16 / sizeof(T), half = lane / 2;
    const auto even = kept_apart(within<lane, 1, Second<lane, 0>>(a, b));
    const auto odd = kept_apart(within<lane, 1, Second<lane, 1>>(a, b));
    return {permute(even, EvenFirst<N, half>{}), permute(odd, EvenFirst<N, half>{})};
  } else { // the fields of b between those of a
    using Pair = unsigned_of<2 * sizeof(T)>;
    const Vec<Pair, N / 2> bits(Pair(8 * sizeof(T)));
    const auto up = reinterpret<T>(reinterpret<Pair>(b) << bits), down = reinterpret<T>(reinterpret<Pair>(a) >> bits);
    const auto even = kept_apart(permute(a, up, EveryOther<N, 0>{}));
    const auto odd = kept_apart(permute(down, b, EveryOther<N, 0>{}));
    return {permute(even, EvenFirst<N, 1>{}), permute(odd, EvenFirst<N, 1>{})};
  }
}
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 2> two_together(Vec<T, N> a, Vec<T, N> b) {
  constexpr int lane = 16 / sizeof(T), qword = 8 / sizeof(T);
  const auto placed_a = kept_apart(permute(a, HalvesMixed<N, qword>{}));
  const auto placed_b = kept_apart(permute(b, HalvesMixed<N, qword>{}));
  return {within<lane, 1, Mix<lane, 0>>(placed_a, placed_b), within<lane, 1, Mix<lane, 1>>(placed_a, placed_b)};
}

// Even and odd 128-bit lanes of two registers.
template <int Odd, class T, int N> CROSSLANE_INLINE Vec<T, N> lanes_of(Vec<T, N> a, Vec<T, N> b) {
  return within<4, 16 / sizeof(T), Second<4, Odd>>(a, b);
}
template <class V> CROSSLANE_INLINE std::array<V, 4> square_of_lanes(V a, V b, V c, V d) {
  const V even_ab = lanes_of<0>(a, b), odd_ab = lanes_of<1>(a, b), even_cd = lanes_of<0>(c, d),
          odd_cd = lanes_of<1>(c, d);
  return {lanes_of<0>(even_ab, even_cd), lanes_of<0>(odd_ab, odd_cd), lanes_of<1>(even_ab, even_cd),
          lanes_of<1>(odd_ab, odd_cd)};
}
// Three and four fields of qwords, in registers of 32 or 64 bytes: 128-bit lanes, then qwords.
template <int... From> struct LanesFrom {
  constexpr int operator()(int i) const {
    constexpr int from[] = {From...};
    return from[i];
  }
};
template <int... From, class T, int N> CROSSLANE_INLINE Vec<T, N> lanes_from(Vec<T, N> a, Vec<T, N> b) {
  return kept_apart(within<int(sizeof...(From)), 2, LanesFrom<From...>>(a, b));
}
struct HighThenLow {
  constexpr int operator()(int i) const { return i + 1; }
};
// Field 0 of a structure and field 1, field 2 of it and field 0 of the next, fields 1 and 2 of that.
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 3> three_apart(const std::array<Vec<T, N>, 3>& r) {
  Vec<T, N> f01, f20, f12;
  if constexpr (N == 4)
    f01 = lanes_from<0, 3>(r[0], r[1]), f20 = lanes_from<1, 2>(r[0], r[2]), f12 = lanes_from<0, 3>(r[1], r[2]);
  else {
    const auto low = lanes_from<1, 2, 4, 5>(r[0], r[1]), high = lanes_from<2, 3, 5, 6>(r[1], r[2]);
    f01 = lanes_from<0, 3, 4, 6>(r[0], high), f20 = lanes_from<0, 2, 5, 7>(low, high);
    f12 = lanes_from<1, 3, 4, 7>(low, r[2]);
  }
  return {permute(f01, f20, EveryOther<N, 0>{}), within<2, 1, HighThenLow>(f01, f12),
          permute(f20, f12, EveryOther<N, 0>{})};
}
template <class T, int N> CROSSLANE_INLINE std::array<Vec<T, N>, 3> three_together(const std::array<Vec<T, N>, 3>& f) {
  const auto f01 = kept_apart(within<2, 1, Mix<2, 0>>(f[0], f[1]));
  const auto f20 = kept_apart(permute(f[2], f[0], EveryOther<N, 0>{}));
  const auto f12 = kept_apart(within<2, 1, Mix<2, 1>>(f[1], f[2]));
  if constexpr (N == 4)
    return {lanes_from<0, 2>(f01, f20), lanes_from<0, 3>(f12, f01), lanes_from<1, 3>(f20, f12)};
  else {
    const auto even = lanes_from<0, 2, 4, 6>(f01, f20), odd = lanes_from<1, 3, 5, 7>(f20, f12);
    const auto both = lanes_from<0, 2, 5, 7>(f12, f01);
    return {lanes_from<0, 2, 4, 6>(even, both), lanes_from<0, 2, 5, 7>(odd, even), lanes_from<1, 3, 5, 7>(both, odd)};
  }
}
template <class T> CROSSLANE_INLINE std::array<Vec<T, 4>, 4> four_qwords_apart(const std::array<Vec<T, 4>, 4>& r) {
  const auto low02 = lanes_from<0, 2>(r[0], r[2]), low13 = lanes_from<0, 2>(r[1], r[3]);
  const auto high02 = lanes_from<1, 3>(r[0], r[2]), high13 = lanes_from<1, 3>(r[1], r[3]);
  return {within<2, 1, Mix<2, 0>>(low02, low13), within<2, 1, Mix<2, 1>>(low02, low13),
          within<2, 1, Mix<2, 0>>(high02, high13), within<2, 1, Mix<2, 1>>(high02, high13)};
}

// Eight fields of qwords: a structure in each register.
template <class T> CROSSLANE_INLINE std::array<Vec<T, 8>, 8> eight_apart(const std::array<Vec<T, 8>, 8>& r) {
  const auto even = square_of_lanes(r[0], r[2], r[4], r[6]), odd = square_of_lanes(r[1], r[3], r[5], r[7]);
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return std::array<Vec<T, 8>, 8>{within<2, 1, Mix<2, I % 2>>(even[I / 2], odd[I / 2])...};
  }(std::make_index_sequence<8>{});
}
template <class T> CROSSLANE_INLINE std::array<Vec<T, 8>, 8> eight_together(const std::array<Vec<T, 8>, 8>& f) {
  const auto pair = [&](auto odd, int i) __attribute__((always_inline)) {
    return within<2, 1, Mix<2, decltype(odd)::value>>(f[2 * i], f[2 * i + 1]);
  };
  const std::integral_constant<int, 0> low;
  const std::integral_constant<int, 1> high;
  const auto even = square_of_lanes(pair(low, 0), pair(low, 1), pair(low, 2), pair(low, 3));
  const auto odd = square_of_lanes(pair(high, 0), pair(high, 1), pair(high, 2), pair(high, 3));
  return {even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]};
}
} // namespace detail

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
