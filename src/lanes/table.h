// Owns lookups in tables that fit in registers: lane i of the result is element index[i] of a table of up to 512 bytes.
// With 64 elements of 32 bits this is what a GPU of 64 lanes calls a backward permute (ds_bpermute).
//
//   lookup_dirty(table, index)         index modulo the number of elements: upper bits may hold anything
//   lookup_clean(table, index)         an index beyond the table gives zero, whatever its upper bits
//   lookup_by<Lookup::gather>(t, i)    lookup_dirty by one way, by name
//
// `table` is a Vec of 2 to 256 elements (a power of two, up to 512 bytes) of 8, 16, 32 or 64 bits, `index` a Vec of
// unsigned elements of the same size, of any length. Instructions for each register of indexes, and elements of the
// table (lanes/indexed.h has the instructions):
//
//   way      level           8 bit               16 bit       32 bit        64 bit
//   permute  AVX-512         VBMI: 64: 1         32: 1        16: 1         8: 1         vperm
//                            128: 1              64: 1        32: 1         16: 1        vpermi2
//                            256: 4              128: 4       64: 4         32: 4        2 vpermi2, test, blend
//                                                                           64: 9        4 vpermi2, 2 tests, 3 blends
//            AVX2            -                   -            16: 4         8: 7         vpermd, blends
//   shuffle  AVX2, AVX-512   64: 8, 10 (AVX2)    32: 13       -             -            4 vpshufb, blends
//   gather   AVX2, AVX-512   -                   -            all           all          table in memory
//   memory   every           all                 all          all           all          an element at a time
//
// A table of at most 16 bytes is one in-lane shuffle. lookup_clean adds a comparison and a blend with zero, both free
// where the last instruction takes a zeroing mask. lookup_dirty takes permute where there is one, then shuffle, up to
// lookup_in_registers<T> elements; else memory, and a gather never. Nanoseconds for 64 bytes of results in a loop. On
// Zen 4: 64 x 32 bit permute 0.9, memory 5.4, gather 6.5 (AVX2: 3.9, 5.4, 5.8); 64 x 64 bit permute 1.5, memory 4.9,
// gather 6.1; 64 x 8 bit permute 1.1, shuffle 1.3 (AVX2 1.9), memory 24. Sapphire Rapids (family 6 model 207), permute
// or shuffle | memory | gather:
//            8 bit              16 bit           32 bit                64 bit
//   AVX2     16   0.7 | 19      8   1.0 | 12     8   0.7 | 4.0 | 3.2   4   1.1 | 2.1 | 2.3
//            64   3.8 | 19      32  4.6 | 12     16  1.4 | 4.0 | 3.0   8   2.0 | 2.2 | 2.3
//            256  16  | 19      64  9.1 | 12     32  3.6 | 4.1 | 3.3   16  4.3 | 2.3 | 2.6
//                               128 17  | 13     64  7.8 | 4.6 | 3.6   64  17  | 4.4 | 4.7
//   AVX-512  64   0.4 | 47      32  0.6 | 23     16  0.4 | 5.0 | 3.4   8   0.4 | 2.4 | 1.8
//   (VBMI)   256  1.6 | 44      128 1.7 | 24     128 2.0 | 5.1 | 3.8   64  2.1 | 3.2 | 3.8
// Zen 3 (family 25 model 1), -march=znver3, the same; the last is a loop over a table that lies in memory, which memory
// here first writes there:
//            8 bit              16 bit           32 bit                       64 bit
//   AVX2     16   0.9 | 30      16  2.0 | 17     16  2.0 | 6.7 | 8.1 | 5.6    8   2.3 | 3.6 | 5.3 | 2.8
//            64   2.7 | 31      32  3.3 | 17     32  4.2 | 7.0 | 9.4 | 5.5    16  4.5 | 4.1 | 6.6 | 2.8
//            256  9.9 | 28      64  5.6 | 17     64  8.5 | 7.5 | 12  | 5.5    32  8.8 | 6.4 | 9.2 | 2.8
//                               128 9.9 | 18     128 17  | 11  | 18  | 5.5    64  18  | 11  | 15  | 3.0
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.1.2 to 3.1.5.
#pragma once
#include "lanes/indexed.h"
#include "lanes/plan/host.h"

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
    return sizeof(T) >= 4;
#endif
#ifdef __AVX2__
  if (By == Lookup::shuffle)
    return sizeof(T) <= 2;
  if (By == Lookup::gather)
    return sizeof(T) >= 4;
#endif
  return false;
}

// The greatest table, in elements, for which permutes are the better way than an element at a time from memory.
#if defined(__AVX2__) && !defined(__AVX512BW__)
template <class T>
inline constexpr int lookup_in_registers = sizeof(T) == 1              ? 256
                                           : sizeof(T) == 2            ? (is_zen(compiled_cpu) ? 128 : 64)
                                           : !is_zen(compiled_cpu)     ? 64 / sizeof(T)
                                           : compiled_cpu != Cpu::zen3 ? 256 / sizeof(T)
                                           : sizeof(T) == 4            ? 32
                                                                       : 8;
#else
template <class T> inline constexpr int lookup_in_registers = 256;
#endif

namespace detail {
#ifdef __AVX2__
// Elements of 32 and 64 bits by a gather; `index` in range.
template <class T, class U, int N> CROSSLANE_INLINE Vec<T, N> gather_register(const T* table, Vec<U, N> index) {
  const auto i = machine(index);
#ifdef __AVX512F__
  if constexpr (sizeof(i) == 64) {
    if constexpr (sizeof(T) == 4)
      return from_machine<T>(_mm512_i32gather_epi32(i, table, 4));
    else
      return from_machine<T>(_mm512_i64gather_epi64(i, table, 8));
  } else
#endif
      if constexpr (sizeof(i) == 16) {
    if constexpr (sizeof(T) == 4)
      return from_machine<T>(_mm_i32gather_epi32(reinterpret_cast<const int*>(table), i, 4));
    else
      return from_machine<T>(_mm_i64gather_epi64(reinterpret_cast<const long long*>(table), i, 8));
  } else {
    if constexpr (sizeof(T) == 4)
      return from_machine<T>(_mm256_i32gather_epi32(reinterpret_cast<const int*>(table), i, 4));
    else
      return from_machine<T>(_mm256_i64gather_epi64(reinterpret_cast<const long long*>(table), i, 8));
  }
}
#endif

} // namespace detail

template <Lookup By, class T, int E, class U, int N>
CROSSLANE_INLINE Vec<T, N> lookup_by(Vec<T, E> table, Vec<U, N> index) {
  static_assert(std::is_unsigned_v<U> && sizeof(U) == sizeof(T),
                "lookup: indexes are unsigned and as wide as the elements");
  static_assert(E >= 2 && E <= 256 && (E & (E - 1)) == 0 && E * sizeof(T) <= 512,
                "lookup: the table has 2 to 256 elements, a power of two, of up to 512 bytes");
  static_assert(has_lookup<By, T>(), "lookup: this way does not exist for this element at this level");
  [[maybe_unused]] constexpr int least = 16 / sizeof(T);
  if constexpr (By == Lookup::memory) {
    return detail::lookup_memory(table, index);
  } else if constexpr (N < least) {
    return part<N, 0>(lookup_by<By>(table, detail::longer<least>(index)));
  } else if constexpr (By == Lookup::gather) {
#ifdef __AVX2__
    alignas(64) T t[E];
    store(t, table);
    return detail::by_parts<register_bytes>(
        [&](auto i) { return detail::gather_register(t, i & decltype(i)(U(E - 1))); }, index);
#endif
  } else {
#ifdef __AVX2__
    return detail::by_parts<register_bytes>(
        [&](auto i) {
          if constexpr (By == Lookup::shuffle && E > least)
            return detail::index_shuffled(table, i);
          else
            return detail::index_table(table, i);
        },
        index);
#endif
  }
}

template <class T, int E, class U, int N> CROSSLANE_INLINE Vec<T, N> lookup_dirty(Vec<T, E> table, Vec<U, N> index) {
  if constexpr (E > lookup_in_registers<T>)
    return lookup_by<Lookup::memory>(table, index);
  else if constexpr (has_lookup<Lookup::permute, T>())
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
