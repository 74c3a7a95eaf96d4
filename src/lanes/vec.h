// Owns Vec<T, N>: N lanes of T, and Mask<N>: one bit per lane, for any N. N = 16 is one GCN row (one zmm of 32-bit
// lanes; two for 64-bit); N = 1 is a plain scalar with the same operators, so that one template serves both. Everything
// is a thin wrapper over clang's ext_vector_type: the compiler picks the instructions of the level.
#pragma once
#include "lanes/level.h"
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define CROSSLANE_INLINE __attribute__((always_inline)) inline

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Storage: T for one lane, a clang vector for more.
template <class T, int N> struct Raw {
  using type = T __attribute__((ext_vector_type(N)));
};
template <class T> struct Raw<T, 1> {
  using type = T;
};
template <class T, int N> using raw_t = typename Raw<T, N>::type;

template <int Bytes> struct IntegerOf;
template <> struct IntegerOf<1> {
  using type = int8_t;
};
template <> struct IntegerOf<2> {
  using type = int16_t;
};
template <> struct IntegerOf<4> {
  using type = int32_t;
};
template <> struct IntegerOf<8> {
  using type = int64_t;
};
template <int Bytes> using signed_of = typename IntegerOf<Bytes>::type;
template <int Bytes> using unsigned_of = std::make_unsigned_t<signed_of<Bytes>>;

// At least 8 bits, a power of two; what is longer than 64 is an integer of the compiler's own.
template <int N, bool Long = (N > 64)> struct MaskBits {
  using type = unsigned_of<N <= 8 ? 1 : int(std::bit_ceil(unsigned(N))) / 8>;
};
template <> struct MaskBits<1, false> {
  using type = bool;
};
template <int N> struct MaskBits<N, true> {
  using type = unsigned _BitInt(int(std::bit_ceil(unsigned(N))));
};

// One bit per lane, for any number of lanes; bit i is lane i. Bits beyond lane N - 1 are zero, whatever it is made of.
// Long ones are passed in memory as long as nothing is inlined: in two registers the compiler would take them apart and
// no longer see that a comparison's bits become lanes again (128 x 8 bit selected, AVX2: 17 instructions, else 62).
template <int N> struct alignas(N > 64 ? 32 : alignof(typename MaskBits<N>::type)) Mask {
  using bits_t = typename MaskBits<N>::type;
  static constexpr bool whole = N == 1 || (N >= 8 && std::has_single_bit(unsigned(N))); // no bits beyond the last lane
  bits_t bits{};
  Mask() = default;
  CROSSLANE_INLINE constexpr Mask(const bits_t& b) : bits(b) {
    if constexpr (!whole)
      bits &= bits_t(bits_t(bits_t(1) << N) - 1);
  }
  // Of bits that are zero beyond the last lane.
  static CROSSLANE_INLINE Mask of(const bits_t& b) {
    Mask m;
    m.bits = b;
    return m;
  }
  friend CROSSLANE_INLINE Mask operator&(Mask a, Mask b) { return of(bits_t(a.bits & b.bits)); }
  friend CROSSLANE_INLINE Mask operator|(Mask a, Mask b) { return of(bits_t(a.bits | b.bits)); }
  friend CROSSLANE_INLINE Mask operator^(Mask a, Mask b) { return of(bits_t(a.bits ^ b.bits)); }
  CROSSLANE_INLINE Mask operator~() const {
    if constexpr (N == 1)
      return Mask(!bits);
    else
      return Mask(bits_t(~bits));
  }
};

template <int N> using BoolVec = bool __attribute__((ext_vector_type(N)));

namespace detail {
// The lanes of a clang vector, then zeros; or its first M lanes.
template <int M, class V, int N> CROSSLANE_INLINE auto padded(V v) {
  using E = std::remove_cvref_t<decltype(v[0])>;
  if constexpr (M == N)
    return v;
  else
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return raw_t<E, M>(__builtin_shufflevector(v, V(E(0)), (I < N ? I : N)...));
    }(std::make_integer_sequence<int, M>{});
}
} // namespace detail

// Bits -> a vector of all-ones / zero integers as wide as T (clang folds this to a k-mask where there are any).
template <class T, int N> CROSSLANE_INLINE raw_t<signed_of<sizeof(T)>, N> expand(Mask<N> m) {
  using S = signed_of<sizeof(T)>;
  if constexpr (N == 1) {
    return S(m.bits ? -1 : 0);
  } else {
#ifndef __AVX512BW__
    if constexpr (N < 8) { // a cast would take the bits apart one by one
      const auto bit = []<int... I>(std::integer_sequence<int, I...>) {
        return raw_t<S, N>{S(1 << I)...};
      }(std::make_integer_sequence<int, N>{});
      return __builtin_convertvector((raw_t<S, N>(S(m.bits)) & bit) != raw_t<S, N>(S(0)), raw_t<S, N>);
    }
#endif
    constexpr int lanes = int(std::bit_ceil(unsigned(N)));
    const auto all = __builtin_convertvector(__builtin_bit_cast(BoolVec<lanes>, m.bits), raw_t<S, lanes>);
    return -detail::padded<N, raw_t<S, lanes>, lanes>(all);
  }
}
// A comparison result (all-ones / zero integers) -> bits.
template <int N, class C> CROSSLANE_INLINE Mask<N> contract(C compared) {
  if constexpr (N == 1) {
    return Mask<1>(bool(compared));
  } else {
    constexpr int least = int(std::bit_ceil(unsigned(N)));
#if defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
    using E = std::remove_cvref_t<decltype(compared[0])>;
    constexpr int lanes = least * int(sizeof(E)) < 16 ? int(16 / sizeof(E)) : least;
    const auto all = detail::padded<lanes, C, N>(compared);
    if constexpr (lanes < 8) { // a cast of fewer than 8 bits would go through memory
      if constexpr (sizeof(E) == 4)
        return Mask<N>(_mm_movepi32_mask(__builtin_bit_cast(__m128i, all)));
      else if constexpr (lanes == 2)
        return Mask<N>(_mm_movepi64_mask(__builtin_bit_cast(__m128i, all)));
      else
        return Mask<N>(_mm256_movepi64_mask(__builtin_bit_cast(__m256i, all)));
    } else
#else
    constexpr int lanes = least;
    const auto all = detail::padded<lanes, C, N>(compared);
#endif
      return Mask<N>::of(typename Mask<N>::bits_t(
          __builtin_bit_cast(typename Mask<lanes>::bits_t, __builtin_convertvector(all, BoolVec<lanes>))));
  }
}

namespace detail {
// Bytes shifted by one count, within the words they lie in. Of shifts of bytes that are then selected the compiler
// makes shifts of each byte by a count of its own, which no CPU has: `select(m, v >> 1, v)` of 64 bytes was 11
// instructions, and is 4.
template <class T, int N> CROSSLANE_INLINE raw_t<T, N> bytes_left(raw_t<T, N> bytes, unsigned count) {
  using Words = raw_t<uint16_t, N / 2>;
  const auto words = Words(__builtin_bit_cast(Words, bytes) << Words(uint16_t(count)));
  return raw_t<T, N>(__builtin_bit_cast(raw_t<T, N>, words) & raw_t<T, N>(T(0xff << count)));
}
template <class T, int N> CROSSLANE_INLINE raw_t<T, N> bytes_right(raw_t<T, N> bytes, unsigned count) {
  using Words = raw_t<uint16_t, N / 2>;
  const auto words = Words(__builtin_bit_cast(Words, bytes) >> Words(uint16_t(count)));
  const auto shifted = raw_t<T, N>(__builtin_bit_cast(raw_t<T, N>, words) & raw_t<T, N>(T(0xff >> count)));
  if constexpr (std::is_unsigned_v<T>)
    return shifted;
  const auto sign = raw_t<T, N>(T(0x80 >> count));
  return raw_t<T, N>((shifted ^ sign) - sign);
}
} // namespace detail

template <class T, int N> struct Vec {
  using element = T;
  static constexpr int lanes = N;
  using raw = raw_t<T, N>;
  raw v;

  Vec() = default;
  // Implicit from a scalar (broadcast), so that formulas read like the manual's.
  template <class S>
    requires(std::is_arithmetic_v<S> || std::is_same_v<S, _Float16>)
  CROSSLANE_INLINE constexpr Vec(S s) : v(raw(T(s))) {}
  static CROSSLANE_INLINE Vec of(raw r) {
    Vec x;
    x.v = r;
    return x;
  }

#define CROSSLANE_OPERATOR(o)                                                                                          \
  friend CROSSLANE_INLINE Vec operator o(Vec a, Vec b) { return of(raw(a.v o b.v)); }
  CROSSLANE_OPERATOR(+)
  CROSSLANE_OPERATOR(-)
  CROSSLANE_OPERATOR(*)
  CROSSLANE_OPERATOR(/)
  CROSSLANE_OPERATOR(&)
  CROSSLANE_OPERATOR(|)
  CROSSLANE_OPERATOR(^)
  CROSSLANE_OPERATOR(<<) // counts must be below the width
  CROSSLANE_OPERATOR(>>)
#undef CROSSLANE_OPERATOR
  template <class S>
    requires(std::is_integral_v<S> && sizeof(T) == 1 && N % 16 == 0)
  friend CROSSLANE_INLINE Vec operator<<(Vec a, S count) {
    return of(detail::bytes_left<T, N>(a.v, unsigned(count)));
  }
  template <class S>
    requires(std::is_integral_v<S> && sizeof(T) == 1 && N % 16 == 0)
  friend CROSSLANE_INLINE Vec operator>>(Vec a, S count) {
    return of(detail::bytes_right<T, N>(a.v, unsigned(count)));
  }
  CROSSLANE_INLINE Vec operator-() const { return of(raw(-v)); }
  CROSSLANE_INLINE Vec operator~() const { return of(raw(~v)); }

#define CROSSLANE_COMPARE(o)                                                                                           \
  friend CROSSLANE_INLINE Mask<N> operator o(Vec a, Vec b) { return contract<N>(a.v o b.v); }
  CROSSLANE_COMPARE(==)
  CROSSLANE_COMPARE(!=)
  CROSSLANE_COMPARE(<)
  CROSSLANE_COMPARE(<=)
  CROSSLANE_COMPARE(>)
  CROSSLANE_COMPARE(>=)
#undef CROSSLANE_COMPARE
};

// a where the mask bit is set, else b.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> select(Mask<N> m, std::type_identity_t<Vec<T, N>> a, Vec<T, N> b) {
  if constexpr (N == 1)
    return m.bits ? a : b;
  else
    return Vec<T, N>::of(expand<T, N>(m) ? a.v : b.v);
}

// Same bits, other type of the same size.
template <class To, class T, int N> CROSSLANE_INLINE Vec<To, N> bitcast(Vec<T, N> a) {
  static_assert(sizeof(To) == sizeof(T));
  return Vec<To, N>::of(__builtin_bit_cast(raw_t<To, N>, a.v));
}

// Value conversion as C++ does it: integer truncation and extension, int <-> float in the current rounding mode.
// Float to integer is only defined in range; semantics/ clamps first.
template <class To, class T, int N> CROSSLANE_INLINE Vec<To, N> convert(Vec<T, N> a) {
  if constexpr (N == 1)
    return Vec<To, N>::of(To(a.v));
  else
    return Vec<To, N>::of(__builtin_convertvector(a.v, raw_t<To, N>));
}

template <class T, int N> CROSSLANE_INLINE Vec<T, N> load(const void* p) {
  Vec<T, N> r;
  std::memcpy(&r.v, p, sizeof(T) * N);
  return r;
}
template <class T, int N> CROSSLANE_INLINE void store(void* p, Vec<T, N> a) { std::memcpy(p, &a.v, sizeof(T) * N); }

// Stores only lanes whose mask bit is set. AVX-512 stores under a k-mask: faster than load, merge and store.
template <class T, int N> CROSSLANE_INLINE void store(void* p, Mask<N> m, Vec<T, N> a) {
#ifdef __AVX512F__
  if constexpr (N == 16 && sizeof(T) == 4) {
    _mm512_mask_storeu_epi32(p, m.bits, __builtin_bit_cast(__m512i, a.v));
    return;
  }
#endif
  store<T, N>(p, select(m, a, load<T, N>(p)));
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
