// Owns Vec<T, N>: N lanes of T, and Mask<N>: one bit per lane. N = 16 is one GCN row (one zmm of 32-bit lanes; two for
// 64-bit); N = 1 is a plain scalar with the same operators, so that one template serves both.
// Everything is a thin wrapper over clang's ext_vector_type: the compiler picks the instructions of the level.
#pragma once
#include "lanes/level.h"
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
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

template <int N> struct MaskBits {
  using type = unsigned_of<N / 8>;
};
template <> struct MaskBits<1> {
  using type = bool;
};

// One bit per lane; bit i is lane i.
template <int N> struct Mask {
  using bits_t = typename MaskBits<N>::type;
  bits_t bits{};
  Mask() = default;
  CROSSLANE_INLINE constexpr Mask(bits_t b) : bits(b) {}
  friend CROSSLANE_INLINE Mask operator&(Mask a, Mask b) { return Mask(bits_t(a.bits & b.bits)); }
  friend CROSSLANE_INLINE Mask operator|(Mask a, Mask b) { return Mask(bits_t(a.bits | b.bits)); }
  friend CROSSLANE_INLINE Mask operator^(Mask a, Mask b) { return Mask(bits_t(a.bits ^ b.bits)); }
  CROSSLANE_INLINE Mask operator~() const {
    if constexpr (N == 1)
      return Mask(!bits);
    else
      return Mask(bits_t(~bits));
  }
};

template <int N> using BoolVec = bool __attribute__((ext_vector_type(N)));

// Bits -> a vector of all-ones / zero integers as wide as T (clang folds this to a k-mask where there are any).
template <class T, int N> CROSSLANE_INLINE raw_t<signed_of<sizeof(T)>, N> expand(Mask<N> m) {
  if constexpr (N == 1) {
    return signed_of<sizeof(T)>(m.bits ? -1 : 0);
  } else {
    return -__builtin_convertvector(__builtin_bit_cast(BoolVec<N>, m.bits), raw_t<signed_of<sizeof(T)>, N>);
  }
}
// A comparison result (all-ones / zero integers) -> bits.
template <int N, class C> CROSSLANE_INLINE Mask<N> contract(C compared) {
  if constexpr (N == 1) {
    return Mask<1>(bool(compared));
  } else {
    return Mask<N>(__builtin_bit_cast(typename Mask<N>::bits_t, __builtin_convertvector(compared, BoolVec<N>)));
  }
}

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
