// Owns the instructions that permute one register, or two, by indexes that are known at run time only: 16, 32 or 64
// bytes, elements of 8, 16, 32 or 64 bits. Indexes count modulo the number of elements. lanes/dynamic.h and
// lanes/table.h are made of these. Instructions, without what a level has for the one above it:
//
//                      8 bit             16 bit                  32 bit      64 bit
//   within 128 bits    and, vpshufb      and-or, vpermw          vpermilps   add, vpermilpd
//     AVX2                               3, vpshufb
//   one register       vpermb (VBMI)     vpermw                  vpermd      vpermq
//     AVX-512, 64      8 (4 vpshufb)
//     AVX2, 32         5 (2 vpshufb)     8 (2 vpshufb)           vpermd      4 (vpermd)
//   two registers      vpermi2b (VBMI)   vpermi2w                vpermi2d    vpermi2q
#pragma once
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace detail {

// Finds each index' element among `Count` pieces of the table of `Size` elements: `leaf` looks up in one, the bits
// above choose between them.
template <int First, int Count, int Size, class Leaf, class U, int N>
CROSSLANE_INLINE auto among(Leaf leaf, Vec<U, N> index) {
  if constexpr (Count == 1) {
    return leaf(std::integral_constant<int, First>{});
  } else {
    const auto low = among<First, Count / 2, Size>(leaf, index);
    const auto high = among<First + Count / 2, Count / 2, Size>(leaf, index);
    using V = std::remove_cvref_t<decltype(low)>;
    constexpr int bit = std::countr_zero(unsigned(Count * Size / 2));
#ifdef __AVX512BW__
    const auto upper = (index.v & raw_t<U, N>(U(U(1) << bit))) != raw_t<U, N>(U(0));
#else
    // The bit as sign, which is all that blends look at.
    using S = signed_of<sizeof(U)>;
    const auto upper = bitcast<S>(index << Vec<U, N>(U(sizeof(U) * 8 - 1 - bit))).v < raw_t<S, N>(S(0));
#endif
    return V::of(upper ? high.v : low.v);
  }
}

// An element at a time.
template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_memory(Vec<T, E> table, Vec<U, N> index) {
  alignas(64) T t[E], out[N];
  alignas(64) U at[N];
  store(t, table), store(at, index);
  for (int i = 0; i < N; ++i)
    out[i] = t[at[i] % E];
  return load<T, N>(out);
}

#ifdef __AVX2__
CROSSLANE_INLINE __m128i shuffle_bytes(__m128i v, __m128i i) { return _mm_shuffle_epi8(v, i); }
CROSSLANE_INLINE __m256i shuffle_bytes(__m256i v, __m256i i) { return _mm256_shuffle_epi8(v, i); }
CROSSLANE_INLINE __m128 shuffle_dwords(__m128 v, __m128i i) { return _mm_permutevar_ps(v, i); }
CROSSLANE_INLINE __m256 shuffle_dwords(__m256 v, __m256i i) { return _mm256_permutevar_ps(v, i); }
CROSSLANE_INLINE __m128d shuffle_qwords(__m128d v, __m128i i) { return _mm_permutevar_pd(v, i); }
CROSSLANE_INLINE __m256d shuffle_qwords(__m256d v, __m256i i) { return _mm256_permutevar_pd(v, i); }
#ifdef __AVX512BW__
CROSSLANE_INLINE __m512i shuffle_bytes(__m512i v, __m512i i) { return _mm512_shuffle_epi8(v, i); }
CROSSLANE_INLINE __m512 shuffle_dwords(__m512 v, __m512i i) { return _mm512_permutevar_ps(v, i); }
CROSSLANE_INLINE __m512d shuffle_qwords(__m512d v, __m512i i) { return _mm512_permutevar_pd(v, i); }
#endif

// Floats of T's size in as many bytes.
template <class T> using float_of = std::conditional_t<sizeof(T) == 4, float, double>;

// The bytes of an element within 128 bits: what vpshufb takes for an index of elements. Of words 2 i and 2 i + 1.
template <class U, int N> CROSSLANE_INLINE auto byte_index(Vec<U, N> index) {
  if constexpr (sizeof(U) == 1)
    return machine(index & Vec<U, N>(U(15)));
  else
    return machine((index & Vec<U, N>(U(7))) * Vec<U, N>(U(0x0202)) + Vec<U, N>(U(0x0100)));
}
// The dwords of a qword: what vpermd takes, which looks at three bits.
template <class U> CROSSLANE_INLINE __m256i dword_index(Vec<U, 4> index) {
  const __m256i twice = machine(index + index);
  return _mm256_add_epi32(_mm256_shuffle_epi32(twice, 0xa0), _mm256_set1_epi64x(0x100000000));
}
// 128 bits in all lanes of `Bytes`.
template <int Bytes> CROSSLANE_INLINE auto repeated(__m128i v) {
  if constexpr (Bytes == 16)
    return v;
  else if constexpr (Bytes == 32)
    return _mm256_broadcastsi128_si256(v);
#ifdef __AVX512BW__
  else
    return _mm512_broadcast_i32x4(v);
#endif
}
#endif

// The instruction for one register.
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define CROSSLANE_PERMUTE(bits)                                                                                        \
  CROSSLANE_INLINE __m128i permute_##bits(__m128i i, __m128i t) { return _mm_permutexvar_epi##bits(i, t); }
CROSSLANE_PERMUTE(16)
#ifdef __AVX512VBMI__
CROSSLANE_PERMUTE(8)
#endif
#undef CROSSLANE_PERMUTE
#define CROSSLANE_PERMUTE(bits)                                                                                        \
  CROSSLANE_INLINE __m256i permute_##bits(__m256i i, __m256i t) { return _mm256_permutexvar_epi##bits(i, t); }         \
  CROSSLANE_INLINE __m512i permute_##bits(__m512i i, __m512i t) { return _mm512_permutexvar_epi##bits(i, t); }         \
  CROSSLANE_INLINE __m128i permute_two_##bits(__m128i a, __m128i i, __m128i b) {                                       \
    return _mm_permutex2var_epi##bits(a, i, b);                                                                        \
  }                                                                                                                    \
  CROSSLANE_INLINE __m256i permute_two_##bits(__m256i a, __m256i i, __m256i b) {                                       \
    return _mm256_permutex2var_epi##bits(a, i, b);                                                                     \
  }                                                                                                                    \
  CROSSLANE_INLINE __m512i permute_two_##bits(__m512i a, __m512i i, __m512i b) {                                       \
    return _mm512_permutex2var_epi##bits(a, i, b);                                                                     \
  }
CROSSLANE_PERMUTE(16)
CROSSLANE_PERMUTE(32)
CROSSLANE_PERMUTE(64)
#ifdef __AVX512VBMI__
CROSSLANE_PERMUTE(8)
#endif
#undef CROSSLANE_PERMUTE
#endif

// Lane i gets v[i / L * L + index[i] % L], with L elements in 128 bits. A register.
template <class T, int N, class U> CROSSLANE_INLINE Vec<T, N> index_in_lanes(Vec<T, N> v, Vec<U, N> index) {
#ifdef __AVX2__
  if constexpr (sizeof(T) == 4) {
    const auto f = machine_float(v);
    return from_machine<T>(shuffle_dwords(f, machine(index)));
  } else if constexpr (sizeof(T) == 8) {
    return from_machine<T>(shuffle_qwords(machine_float(v), machine(index + index)));
#ifdef __AVX512BW__
  } else if constexpr (sizeof(T) == 2) {
    const auto lane = iota<U, N>() & Vec<U, N>(U(~7));
    return from_machine<T>(permute_16(machine((index & Vec<U, N>(U(7))) | lane), machine(v)));
#endif
  } else {
    return from_machine<T>(shuffle_bytes(machine(v), byte_index(index)));
  }
#else
  constexpr int each = 16 / sizeof(T);
  return lookup_memory(v, (index & Vec<U, N>(U(each - 1))) | (iota<U, N>() & Vec<U, N>(U(~U(each - 1)))));
#endif
}

#ifdef __AVX2__
// Lane i gets table[index[i] % E] by in-lane shuffles, each 128 bits of the table in all lanes: of bytes and words.
template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> index_shuffled(Vec<T, E> table, Vec<U, N> index) {
  constexpr int bytes = N * sizeof(T), each = 16 / sizeof(T);
  const auto i = byte_index(index);
  return among<0, E / each, each>(
      [&](auto k) { return from_machine<T>(shuffle_bytes(repeated<bytes>(machine(part<each, k>(table))), i)); }, index);
}
#endif

// Lane i gets table[index[i] % E]: `index` is one register, the table may be shorter or longer.
template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> index_table(Vec<T, E> table, Vec<U, N> index) {
#ifdef __AVX2__
  constexpr int bytes = N * sizeof(T), each = 16 / sizeof(T);
  static_assert(bytes >= 16 && bytes <= register_bytes);
  if constexpr (E <= each) {
    const auto all = from_machine<T>(repeated<bytes>(machine(longer<each>(table))));
    return index_in_lanes(all, E < each ? index & Vec<U, N>(U(E - 1)) : index);
  } else {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#ifdef __AVX512VBMI__
    constexpr bool crosses = true;
#else
    constexpr bool crosses = sizeof(T) > 1;
#endif
    if constexpr (crosses && E <= N) {
      const auto i = machine(E < N ? index & Vec<U, N>(U(E - 1)) : index), t = machine(longer<N>(table));
      if constexpr (sizeof(T) == 8)
        return from_machine<T>(permute_64(i, t));
      else if constexpr (sizeof(T) == 4)
        return from_machine<T>(permute_32(i, t));
      else if constexpr (sizeof(T) == 2)
        return from_machine<T>(permute_16(i, t));
#ifdef __AVX512VBMI__
      else
        return from_machine<T>(permute_8(i, t));
#endif
    } else if constexpr (crosses) {
      const auto i = machine(index);
      return among<0, E / (2 * N), 2 * N>(
          [&](auto k) {
            const auto a = machine(part<N, 2 * k>(table)), b = machine(part<N, 2 * k + 1>(table));
            if constexpr (sizeof(T) == 8)
              return from_machine<T>(permute_two_64(a, i, b));
            else if constexpr (sizeof(T) == 4)
              return from_machine<T>(permute_two_32(a, i, b));
            else if constexpr (sizeof(T) == 2)
              return from_machine<T>(permute_two_16(a, i, b));
#ifdef __AVX512VBMI__
            else
              return from_machine<T>(permute_two_8(a, i, b));
#endif
          },
          index);
    } else
#else
    if constexpr (sizeof(T) >= 4 && bytes == 16) { // across lanes there are 256 bits only
      return part<N, 0>(index_table(table, longer<2 * N>(index)));
    } else if constexpr (sizeof(T) >= 4) {
      const __m256i i = [&] {
        if constexpr (sizeof(T) == 8)
          return dword_index(index);
        else
          return machine(index);
      }();
      return among<0, E / N, N>(
          [&](auto k) { return from_machine<T>(_mm256_permutevar8x32_epi32(machine(part<N, k>(table)), i)); }, index);
    } else
#endif
      return index_shuffled(table, index);
  }
#else
  return lookup_memory(table, index);
#endif
}

} // namespace detail
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
