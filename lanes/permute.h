// Owns compile-time permutes: a lambda says for each element of the result which element of the sources it is.
//
//   permute(v, [](auto i) { return i ^ 1; })                                 swap neighbours
//   permute(a, b, [](auto i) { return i % 2 ? i / 2 + 16 : i / 2; })         interleave two vectors of 16
//   permute<Half>(v, [](auto i) { return i + 8; })                           the upper half, as a shorter vector
//
// Elements of the second source follow those of the first. `dont_care` leaves an element to the cheapest plan, `zero` makes it
// zero. Sources and result are vectors of clang (vector_size, ext_vector_type) or Vec<T, N>, of 8, 16, 32 or 64-bit elements,
// up to 256 bytes; the result may have another number of elements than the sources. The lambda has no captures.
// An index outside of the sources is a compile-time error.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", appendix A.
#pragma once
#include "lanes/vec.h"
#include <array>
#include <utility>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

inline constexpr int dont_care = -1, zero = -2;

namespace detail {
template <class V> struct VectorOf {
  using element = std::remove_cvref_t<decltype(std::declval<V>()[0])>;
  static constexpr int lanes = sizeof(V) / sizeof(element);
  static CROSSLANE_INLINE V raw(V v) { return v; }
  static CROSSLANE_INLINE V wrap(V v) { return v; }
};
template <class T, int N> struct VectorOf<Vec<T, N>> {
  using element = T;
  static constexpr int lanes = N;
  static CROSSLANE_INLINE raw_t<T, N> raw(Vec<T, N> v) { return v.v; }
  static CROSSLANE_INLINE Vec<T, N> wrap(raw_t<T, N> v) { return Vec<T, N>::of(v); }
};

// The lambda's answers for a result of `Elements`, checked against sources of `Total` elements in all.
template <class F, int Elements, int Total> consteval std::array<int, Elements> indices() {
  static_assert(std::is_empty_v<F>, "permute: the lambda must not capture; make what it needs a template argument");
  return []<int... I>(std::integer_sequence<int, I...>) {
    constexpr auto checked = [](int from) {
      if (from < zero || from >= Total) throw "permute: the lambda names an element outside of the sources";
      return from;
    };
    return std::array<int, Elements>{checked(int(F{}(std::integral_constant<int, I>{})))...};
  }(std::make_integer_sequence<int, Elements>{});
}

// The same in the terms of __builtin_shufflevector; `blank` is where a source of zeros begins.
template <auto From, int Blank, class V> CROSSLANE_INLINE auto shuffle(V a, V b) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    return __builtin_shufflevector(a, b, (From[I] == zero ? Blank : From[I])...);
  }(std::make_index_sequence<From.size()>{});
}
} // namespace detail

template <class Result = void, class V, class F> CROSSLANE_INLINE auto permute(V v0, V v1, F) {
  using In = detail::VectorOf<V>;
  using R = std::conditional_t<std::is_void_v<Result>, V, Result>;
  using Out = detail::VectorOf<R>;
  static_assert(sizeof(typename Out::element) == sizeof(typename In::element), "permute: elements change size");
  constexpr auto from = detail::indices<F, Out::lanes, 2 * In::lanes>();
  const auto a = In::raw(v0), b = In::raw(v1);
  auto moved = detail::shuffle<from, dont_care>(a, b);
  constexpr bool zeros = [&] {
    for (int f : from)
      if (f == zero) return true;
    return false;
  }();
  if constexpr (zeros) {
    constexpr auto keep = [&] {
      std::array<int, Out::lanes> k;
      for (int i = 0; i < Out::lanes; ++i) k[i] = from[i] == zero ? Out::lanes : i;
      return k;
    }();
    moved = detail::shuffle<keep, dont_care>(moved, decltype(moved){});
  }
  return Out::wrap(__builtin_bit_cast(decltype(Out::raw(std::declval<R>())), moved));
}

template <class Result = void, class V, class F> CROSSLANE_INLINE auto permute(V v, F f) {
  constexpr int lanes = detail::VectorOf<V>::lanes;
  return permute<Result>(v, v, [](auto i) {
    const int from = F{}(i);
    return from >= lanes ? 2 * lanes : from; // outside of the one source is outside of both
  });
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
