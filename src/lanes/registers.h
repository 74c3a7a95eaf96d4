// Owns the way between a Vec and the machine's registers: parts of a Vec that is longer than a register, the joining of
// parts, compiler intrinsics' types, and sets of lanes of any number. The algorithms of lanes/ are written on these.
#pragma once
#include "lanes/vec.h"
#include <array>
#include <immintrin.h>
#include <utility>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Bytes of the widest register of the level.
#if defined(__AVX512BW__) && defined(__AVX512VL__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

// Lanes K * M to K * M + M - 1 of v. Costs nothing where the part is a whole register.
template <int M, int K, class T, int N> CROSSLANE_INLINE Vec<T, M> part(Vec<T, N> v) {
  static_assert(K * M + M <= N);
  if constexpr (M == N)
    return v;
  else if constexpr (M == 1)
    return Vec<T, 1>::of(v.v[K]);
  else
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return Vec<T, M>::of(__builtin_shufflevector(v.v, v.v, (K * M + I)...));
    }(std::make_integer_sequence<int, M>{});
}

// The lanes of `low`, then those of `high`.
template <class T, int N> CROSSLANE_INLINE Vec<T, 2 * N> join(Vec<T, N> low, Vec<T, N> high) {
  if constexpr (N == 1)
    return Vec<T, 2>::of(raw_t<T, 2>{low.v, high.v});
  else
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return Vec<T, 2 * N>::of(__builtin_shufflevector(low.v, high.v, I...));
    }(std::make_integer_sequence<int, 2 * N>{});
}
// All parts one after the other; their number is a power of two.
template <class T, int N, size_t Parts>
CROSSLANE_INLINE Vec<T, N* int(Parts)> join(const std::array<Vec<T, N>, Parts>& a) {
  return [&]<size_t... I>(std::index_sequence<I...>) {
    if constexpr (Parts == 1)
      return a[0];
    else
      return join(join(std::array<Vec<T, N>, Parts / 2>{a[I]...}),
                  join(std::array<Vec<T, N>, Parts / 2>{a[Parts / 2 + I]...}));
  }(std::make_index_sequence<(Parts + 1) / 2>{});
}

// Calls f with std::integral_constant 0 to Count - 1: a loop that is unrolled by the language, so that nothing spills.
template <int Count, class F> CROSSLANE_INLINE void unrolled(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, Count>{});
}

namespace detail {
// f on parts of Bytes bytes of the vectors (all of one size in bytes), its results joined.
template <int Bytes, class F, class V, class... Vs> CROSSLANE_INLINE auto by_parts(F f, V v, Vs... vs) {
  if constexpr (sizeof(V) <= Bytes) {
    return f(v, vs...);
  } else {
    constexpr int parts = sizeof(V) / Bytes;
    const auto at = [&](auto k) { return f(part<V::lanes / parts, k>(v), part<Vs::lanes / parts, k>(vs)...); };
    std::array<decltype(at(std::integral_constant<int, 0>{})), parts> out;
    unrolled<parts>([&](auto k) { out[k] = at(k); });
    return join(out);
  }
}
} // namespace detail

// The same bits as a vector of elements of another size.
template <class To, class T, int N> CROSSLANE_INLINE auto reinterpret(Vec<T, N> v) {
  constexpr int lanes = N * int(sizeof(T)) / int(sizeof(To));
  static_assert(lanes * sizeof(To) == N * sizeof(T));
  return Vec<To, lanes>::of(__builtin_bit_cast(raw_t<To, lanes>, v.v));
}

template <class T, int N> CROSSLANE_INLINE Vec<T, N> iota(T first = 0) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    return Vec<T, N>::of(raw_t<T, N>{T(first + T(I))...});
  }(std::make_integer_sequence<int, N>{});
}

// The n lowest bits, n from 0 to 64.
CROSSLANE_INLINE constexpr uint64_t low_bits(unsigned n) { return n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1; }

// A set of N lanes, N from 1 to 256: bit i of the words is lane i. Bits beyond lane N - 1 are ignored. Made from an
// integer (up to 64 lanes), from words (more than 64 lanes), or from a Mask.
template <int N> struct LaneMask {
  static constexpr int words = (N + 63) / 64;
  std::array<uint64_t, words> word;
  CROSSLANE_INLINE constexpr LaneMask(uint64_t bits)
    requires(N <= 64)
      : word{bits & low_bits(N)} {}
  CROSSLANE_INLINE constexpr LaneMask(const std::array<uint64_t, words>& w)
    requires(N > 64)
      : word(w) {}
  template <int M>
  CROSSLANE_INLINE constexpr LaneMask(Mask<M> m)
    requires(N == M)
      : word{} {
    if constexpr (N <= 64)
      word[0] = uint64_t(m.bits);
    else
      for (int w = 0; w < words; ++w)
        word[w] = uint64_t(m.bits >> 64 * w);
  }
  // Lanes K * M to K * M + M - 1, as an integer.
  template <int M, int K> CROSSLANE_INLINE constexpr uint64_t bits() const {
    static_assert(M <= 64);
    return word[K * M / 64] >> (K * M % 64) & low_bits(M);
  }
  CROSSLANE_INLINE constexpr int count() const {
    int n = 0;
    for (uint64_t w : word)
      n += std::popcount(w);
    return n;
  }
};

namespace detail {
// Keeps the compiler from merging what made v with what uses it.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> as_written(Vec<T, N> v) {
  asm("" : "+v"(v.v));
  return v;
}

template <int Bytes> struct Machine;
template <> struct Machine<16> {
  using type = __m128i;
};
template <> struct Machine<32> {
  using type = __m256i;
};
template <> struct Machine<64> {
  using type = __m512i;
};
template <class T, int N> CROSSLANE_INLINE auto machine(Vec<T, N> v) {
  return __builtin_bit_cast(typename Machine<sizeof(T) * N>::type, v.v);
}
template <class T, class M> CROSSLANE_INLINE auto from_machine(M m) {
  constexpr int lanes = sizeof(M) / sizeof(T);
  return Vec<T, lanes>::of(__builtin_bit_cast(raw_t<T, lanes>, m));
}
// The same for floats of T's size.
template <class T, int N> CROSSLANE_INLINE auto machine_float(Vec<T, N> v) {
  if constexpr (sizeof(T) == 4 && N == 4)
    return __builtin_bit_cast(__m128, v.v);
  else if constexpr (sizeof(T) == 4 && N == 8)
    return __builtin_bit_cast(__m256, v.v);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(__m512, v.v);
  else if constexpr (N == 2)
    return __builtin_bit_cast(__m128d, v.v);
  else if constexpr (N == 4)
    return __builtin_bit_cast(__m256d, v.v);
  else
    return __builtin_bit_cast(__m512d, v.v);
}

// v, then zeros.
template <int M, class T, int N> CROSSLANE_INLINE Vec<T, M> longer(Vec<T, N> v) {
  if constexpr (M == N)
    return v;
  else if constexpr (N == 1)
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return Vec<T, M>::of(raw_t<T, M>{(I ? T(0) : v.v)...});
    }(std::make_integer_sequence<int, M>{});
  else
    return Vec<T, M>::of(padded<M, raw_t<T, N>, N>(v.v));
}

// All-ones or zero elements, as wide as T, for the N low bits.
template <class T, int N> CROSSLANE_INLINE raw_t<signed_of<sizeof(T)>, N> spread(uint64_t bits) {
  return expand<T, N>(Mask<N>(typename Mask<N>::bits_t(bits)));
}
// a in the lanes of the N low bits that are set, else b. Any N up to 64.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> blend(uint64_t bits, Vec<T, N> a, Vec<T, N> b) {
  if constexpr (N == 1)
    return (bits & 1) ? a : b;
  else
    return Vec<T, N>::of(spread<T, N>(bits) ? a.v : b.v);
}
} // namespace detail

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
