// Owns lookups in tables that fit in registers: lane i of the result is element index[i] of a table of up to 512 bytes.
// With 64 elements of 32 bits this is what a GPU of 64 lanes calls a backward permute (ds_bpermute).
//
//   lookup_dirty(table, index)         index modulo the number of elements: upper bits may hold anything
//   lookup_clean(table, index)         an index beyond the table gives zero, whatever its upper bits
//   lookup_by<Lookup::gather>(t, i)    lookup_dirty by one way, by name
//
// `table` is a Vec of 16 to 256 elements (a power of two) of 8, 16, 32 or 64 bits, `index` a Vec of unsigned elements
// of the same size, of any length. Instructions for each register of indexes, and elements of the table:
//
//   way      level           8 bit               16 bit       32 bit        64 bit
//   permute  AVX-512         VBMI: 64: 1         32: 1        16: 1         8: 1         vperm
//                            128: 1              64: 1        32: 1         16: 1        vpermi2
//                            256: 4              128: 4       64: 4         32: 4        2 vpermi2, test, blend
//                                                                           64: 9        4 vpermi2, 2 tests, 3 blends
//            AVX2            -                   -            64: 20        -            8 vpermd, 7 blends, 5 to test
//   shuffle  AVX2, AVX-512   64: 8, 10 (AVX2)    -            -             -            4 vpshufb, blends
//   gather   AVX2, AVX-512   -                   -            all           all          table in memory
//   memory   every           all                 all          all           all          an element at a time
//
// lookup_clean adds a comparison and a blend with zero, both free where the last instruction takes a zeroing mask.
// lookup_dirty takes permute where there is one, then shuffle, then memory, and a gather never. On Zen 4, nanoseconds
// for 64 bytes of results in a loop: 64 x 32 bit permute 0.9, memory 5.4, gather 6.5 (AVX2: 3.9, 5.4, 5.8); 64 x 64 bit
// permute 1.5, memory 4.9, gather 6.1; 64 x 8 bit permute 1.1, shuffle 1.3 (AVX2 1.9), memory 24.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.1.2 to 3.1.5.
#pragma once
#include "lanes/registers.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Lookup { permute, shuffle, gather, memory };

// Whether a way exists at this level for tables of T.
template <Lookup By, class T> consteval bool has_lookup() {
  if (By == Lookup::memory)
    return true;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#ifdef __AVX512VBMI__
  if (By == Lookup::permute)
    return true;
#else
  if (By == Lookup::permute)
    return sizeof(T) > 1;
#endif
#elif defined(__AVX2__)
  if (By == Lookup::permute)
    return sizeof(T) == 4;
#endif
#ifdef __AVX2__
  if (By == Lookup::shuffle)
    return sizeof(T) == 1;
  if (By == Lookup::gather)
    return sizeof(T) >= 4;
#endif
  return false;
}

namespace detail {
// v, then zeros: a gather must not have lanes of no value.
template <int M, class T, int N> CROSSLANE_INLINE Vec<T, M> longer(Vec<T, N> v) {
  if constexpr (M == N)
    return v;
  else if constexpr (N == 1)
    return Vec<T, M>(v.v);
  else
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return Vec<T, M>::of(__builtin_shufflevector(v.v, raw_t<T, N>(T(0)), (I < N ? I : N)...));
    }(std::make_integer_sequence<int, M>{});
}

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

#if defined(__AVX512BW__) && defined(__AVX512VL__)
template <int Size> CROSSLANE_INLINE __m512i permute_one(__m512i i, __m512i t) {
  if constexpr (Size == 8)
    return _mm512_permutexvar_epi64(i, t);
  else if constexpr (Size == 4)
    return _mm512_permutexvar_epi32(i, t);
  else if constexpr (Size == 2)
    return _mm512_permutexvar_epi16(i, t);
#ifdef __AVX512VBMI__
  else
    return _mm512_permutexvar_epi8(i, t);
#endif
}
template <int Size> CROSSLANE_INLINE __m512i permute_two(__m512i low, __m512i i, __m512i high) {
  if constexpr (Size == 8)
    return _mm512_permutex2var_epi64(low, i, high);
  else if constexpr (Size == 4)
    return _mm512_permutex2var_epi32(low, i, high);
  else if constexpr (Size == 2)
    return _mm512_permutex2var_epi16(low, i, high);
#ifdef __AVX512VBMI__
  else
    return _mm512_permutex2var_epi8(low, i, high);
#endif
}
template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_permute(Vec<T, E> table, Vec<U, N> index) {
  constexpr int lanes = 64 / sizeof(T);
  static_assert(N == lanes);
  if constexpr (E <= lanes) {
    const auto i = E < lanes ? index & Vec<U, N>(U(E - 1)) : index;
    return from_machine<T>(permute_one<sizeof(T)>(machine(i), machine(longer<lanes>(table))));
  } else {
    return among<0, E / (2 * lanes), 2 * lanes>(
        [&](auto k) {
          return from_machine<T>(permute_two<sizeof(T)>(machine(part<lanes, 2 * k>(table)), machine(index),
                                                        machine(part<lanes, 2 * k + 1>(table))));
        },
        index);
  }
}
#elif defined(__AVX2__)
template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_permute(Vec<T, E> table, Vec<U, N> index) {
  static_assert(N == 8 && sizeof(T) == 4);
  return among<0, E / 8, 8>(
      [&](auto k) { return from_machine<T>(_mm256_permutevar8x32_epi32(machine(part<8, k>(table)), machine(index))); },
      index);
}
#endif

#ifdef __AVX2__
// Bytes by in-lane shuffles: each 16 of the table in all lanes.
template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_shuffle(Vec<T, E> table, Vec<U, N> index) {
  const auto i = machine(index & Vec<U, N>(U(15)));
  return among<0, E / 16, 16>(
      [&](auto k) {
        const __m128i piece = machine(part<16, k>(table));
#ifdef __AVX512BW__
        if constexpr (N == 64)
          return from_machine<T>(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(piece), i));
        else
#endif
          return from_machine<T>(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(piece), i));
      },
      index);
}

// Elements of 32 and 64 bits by a gather; `index` in range.
template <class T, class U, int N> CROSSLANE_INLINE Vec<T, N> gather(const T* table, Vec<U, N> index) {
  const auto i = machine(index);
#ifdef __AVX512F__
  if constexpr (sizeof(i) == 64) {
    if constexpr (sizeof(T) == 4)
      return from_machine<T>(_mm512_i32gather_epi32(i, table, 4));
    else
      return from_machine<T>(_mm512_i64gather_epi64(i, table, 8));
  } else
#endif
  {
    if constexpr (sizeof(T) == 4)
      return from_machine<T>(_mm256_i32gather_epi32(reinterpret_cast<const int*>(table), i, 4));
    else
      return from_machine<T>(_mm256_i64gather_epi64(reinterpret_cast<const long long*>(table), i, 8));
  }
}
#endif

template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_memory(Vec<T, E> table, Vec<U, N> index) {
  alignas(64) T t[E], out[N];
  alignas(64) U at[N];
  store(t, table), store(at, index);
  for (int i = 0; i < N; ++i)
    out[i] = t[at[i] % E];
  return load<T, N>(out);
}
} // namespace detail

template <Lookup By, class T, int E, class U, int N>
CROSSLANE_INLINE Vec<T, N> lookup_by(Vec<T, E> table, Vec<U, N> index) {
  static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T),
                "lookup: indexes are unsigned and as wide as the elements");
  static_assert(E >= 16 && E <= 256 && (E & (E - 1)) == 0 && E * sizeof(T) <= 512,
                "lookup: 16 to 256 elements, up to 512 bytes");
  static_assert(has_lookup<By, T>(), "lookup: this way does not exist for this element at this level");
  [[maybe_unused]] constexpr int lanes = register_bytes / sizeof(T);
  if constexpr (By == Lookup::memory) {
    return detail::lookup_memory(table, index);
  } else if constexpr (N < lanes) {
    return part<N, 0>(lookup_by<By>(table, detail::longer<lanes>(index)));
  } else if constexpr (By == Lookup::gather) {
#ifdef __AVX2__
    alignas(64) T t[E];
    store(t, table);
    return detail::by_parts<register_bytes>([&](auto i) { return detail::gather(t, i & decltype(i)(U(E - 1))); },
                                            index);
#endif
  } else {
#ifdef __AVX2__
    return detail::by_parts<register_bytes>(
        [&](auto i) {
          if constexpr (By == Lookup::permute)
            return detail::lookup_permute(table, i);
          else
            return detail::lookup_shuffle(table, i);
        },
        index);
#endif
  }
}

template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_dirty(Vec<T, E> table, Vec<U, N> index) {
  if constexpr (has_lookup<Lookup::permute, T>())
    return lookup_by<Lookup::permute>(table, index);
  else if constexpr (has_lookup<Lookup::shuffle, T>())
    return lookup_by<Lookup::shuffle>(table, index);
  else
    return lookup_by<Lookup::memory>(table, index);
}

template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_clean(Vec<T, E> table, Vec<U, N> index) {
  const auto found = lookup_dirty(table, index);
  if constexpr (sizeof(U) == 1 && E == 256)
    return found; // every index of 8 bits is in a table of 256
  else if constexpr (N == 1)
    return index.v < U(E) ? found : Vec<T, N>(T(0));
  else
    return Vec<T, N>::of(index.v < raw_t<U, N>(U(E)) ? found.v : raw_t<T, N>(T(0)));
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
