// Owns loads and stores of elements at any places, by a vector of indexes:
//
//   gather(p, index)                   lane i = p[index[i]]
//   gather(p, mask, index, other)      the same where the mask is set, else other's lane; nothing else is read
//   gather_from<Size>(p, index)        indexes are below Size, and p[0] to p[Size - 1] may all be read: from registers
//                                      where such a table is small enough, else as gather
//   scatter(p, index, v)               p[index[i]] = lane i, the last lane wins where indexes are equal
//   scatter(p, mask, index, v)         the same of the lanes whose mask bit is set; nothing else is written
// and the ways by name:
//   _scalar            one move per element
//   _instruction       the instruction, for elements of 32 and 64 bits: gather from AVX2 on, scatter with AVX-512; else
//                      element by element
//
// Elements of 8 to 64 bits, indexes integers of any size (instructions take those of the element's size; unsigned ones
// of 32 bits count to 2^32, which instructions do not, so that they are moved one by one), in elements, of any number.
//
// Which way is the better one depends on the CPU. Nanoseconds for 64 bytes in a loop, elements in L1, on Sapphire
// Rapids (family 6 model 207), scalar | instruction | from registers, by elements of the table:
//              8 bit              16 bit             32 bit                  64 bit
//   AVX2       16   24 | - | 0.7  16  12 | - | 2.4   16  3.6 | 3.0 | 1.5     8   1.8 | 2.0 | 2.0
//              64   24 | - | 3.8  32  12 | - | 4.7   64  3.6 | 3.0 | 7.8     32  1.8 | 2.0 | 8.5
//   AVX-512    64   34 | - | 0.4  32  21 | - | 0.6   16  3.9 | 2.8 | 0.4     8   2.3 | 1.4 | 0.4
//   (VBMI)                        100 21 | - | 1.7   128 3.9 | 2.8 | 2.0     32  2.3 | 1.4 | 1.0     64  - | 1.4 | 2.0
//   scatter                                          64  4.3 | 4.3           32  2.2 | 2.8
// Zen 4, in lookups of lanes/table.h: 32 bit 5.4 | 6.5, 64 bit 4.9 | 6.1, AVX2 32 bit 5.4 | 5.8. Hence the instruction
// on Intel's CPUs (AVX2: of 32 bits), element by element on Zen; scatters element by element. Zen 5, AVX2, 64 bit, for
// 4 KB: from registers 46 (4 elements), 67 (8), 132 (16), 235 (32), element by element 105. Ice Lake with the
// microcode against Gather Data Sampling was not measured: its gathers cost several times as much.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.5 and 3.1.5.
#pragma once
#include "lanes/algobase.h"
#include "lanes/compress.h"
#include "lanes/table.h"
#include <cstddef>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// On Zen 5 indexes of 32 bits leave vectors by pairs; with AVX-512 a plain loop takes 1.19 times as long for gathers
// and 1.02 for scatters, and one by one it took 1.08 and 0.91. What went through a general register stays out of the
// gather instruction, too, which the compiler makes of element loads, and which takes 1.5 times as long.
template <class I, int N>
inline constexpr bool pairs_of_indexes = compiled_cpu == Cpu::zen5 && register_bytes > 16 &&
                                         sizeof(I) == 4 && N > 2 && N % 2 == 0;
template <class I, int N> CROSSLANE_INLINE std::array<ptrdiff_t, 2> index_pair(Vec<I, N> index, int k) {
  auto pair = __builtin_bit_cast(raw_t<std::conditional_t<std::is_signed_v<I>, int64_t, uint64_t>, N / 2>, index.v)[k];
  asm("" : "+r"(pair));
  std::array at{ptrdiff_t(I(pair)), ptrdiff_t(pair >> 32)};
  asm("" : "+r"(at[0]), "+r"(at[1]));
  return at;
}
template <class T, class I> CROSSLANE_INLINE ptrdiff_t element_index(I index) {
  auto i = ptrdiff_t(index);
#ifdef __AVX512BW__
  if constexpr (compiled_cpu == Cpu::zen5 && sizeof(T) == 4)
    asm("" : "+r"(i));
#endif
  return i;
}
} // namespace detail

template <class T, int N, class I> CROSSLANE_INLINE Vec<T, N> gather_scalar(const T* p, Vec<I, N> index) {
  static_assert(std::is_integral_v<I>, "gather: indexes are integers");
  if constexpr (N == 1)
    return load<T, 1>(p + index.v);
  else if constexpr (N * sizeof(T) > 16) // 128 bits each by itself: insertions go no further, and chains are short
    return join(gather_scalar(p, part<N / 2, 0>(index)), gather_scalar(p, part<N / 2, 1>(index)));
  else if constexpr (detail::pairs_of_indexes<I, N>) {
    raw_t<T, N> lanes;
    unrolled<N / 2>([&](auto k) __attribute__((always_inline)) {
      const auto at = detail::index_pair(index, int(k));
      lanes[2 * int(k)] = load<T, 1>(p + at[0]).v, lanes[2 * int(k) + 1] = load<T, 1>(p + at[1]).v;
    });
    return Vec<T, N>::of(lanes);
  } else
    return [&]<int... K>(std::integer_sequence<int, K...>) __attribute__((always_inline)) {
      return Vec<T, N>::of(raw_t<T, N>{load<T, 1>(p + detail::element_index<T>(index.v[K])).v...});
    }(std::make_integer_sequence<int, N>{});
}
template <class T, int N, class I> CROSSLANE_INLINE void scatter_scalar(T* p, Vec<I, N> index, Vec<T, N> v) {
  static_assert(std::is_integral_v<I>, "scatter: indexes are integers");
  if constexpr (N == 1)
    store(p + index.v, v);
  else if constexpr (detail::pairs_of_indexes<I, N>)
    unrolled<N / 2>([&](auto k) __attribute__((always_inline)) {
      const auto at = detail::index_pair(index, int(k));
      store(p + at[0], Vec<T, 1>::of(v.v[2 * int(k)]));
      store(p + at[1], Vec<T, 1>::of(v.v[2 * int(k) + 1]));
    });
  else
    unrolled<N>([&](auto k) __attribute__((always_inline)) { store(p + index.v[int(k)], Vec<T, 1>::of(v.v[int(k)])); });
}

namespace detail {
// Whether the instructions take such indexes as they are.
template <class T, class I>
inline constexpr bool instruction_indexes =
    std::is_integral_v<I> && sizeof(T) >= 4 && sizeof(I) == sizeof(T) && (std::is_signed_v<I> || sizeof(I) == 8);
#ifdef __AVX2__
// Lanes of `other` where the mask's lane is clear.
template <class T, class I, int N>
CROSSLANE_INLINE Vec<T, N> gather_register(const T* p, Mask<N> mask, Vec<I, N> index, Vec<T, N> other) {
  const auto i = machine(index), o = machine(other);
  const auto* dwords = reinterpret_cast<const int*>(p);
  const auto* qwords = reinterpret_cast<const long long*>(p);
#ifdef __AVX512BW__
  if constexpr (sizeof(i) == 64 && sizeof(T) == 4)
    return from_machine<T>(_mm512_mask_i32gather_epi32(o, mask.bits, i, dwords, 4));
  else if constexpr (sizeof(i) == 64)
    return from_machine<T>(_mm512_mask_i64gather_epi64(o, mask.bits, i, qwords, 8));
  else if constexpr (sizeof(i) == 32 && sizeof(T) == 4)
    return from_machine<T>(_mm256_mmask_i32gather_epi32(o, mask.bits, i, dwords, 4));
  else if constexpr (sizeof(i) == 32)
    return from_machine<T>(_mm256_mmask_i64gather_epi64(o, mask.bits, i, qwords, 8));
  else if constexpr (sizeof(T) == 4)
    return from_machine<T>(_mm_mmask_i32gather_epi32(o, mask.bits, i, dwords, 4));
  else
    return from_machine<T>(_mm_mmask_i64gather_epi64(o, mask.bits, i, qwords, 8));
#else
  const auto lanes = __builtin_bit_cast(typename Machine<sizeof(i)>::type, expand<T, N>(mask));
  if constexpr (sizeof(i) == 32 && sizeof(T) == 4)
    return from_machine<T>(_mm256_mask_i32gather_epi32(o, dwords, i, lanes, 4));
  else if constexpr (sizeof(i) == 32)
    return from_machine<T>(_mm256_mask_i64gather_epi64(o, qwords, i, lanes, 8));
  else if constexpr (sizeof(T) == 4)
    return from_machine<T>(_mm_mask_i32gather_epi32(o, dwords, i, lanes, 4));
  else
    return from_machine<T>(_mm_mask_i64gather_epi64(o, qwords, i, lanes, 8));
#endif
}
#endif
#ifdef __AVX512BW__
template <class T, class I, int N>
CROSSLANE_INLINE void scatter_register(T* p, Mask<N> mask, Vec<I, N> index, Vec<T, N> v) {
  const auto i = machine(index), x = machine(v);
  if constexpr (sizeof(i) == 64 && sizeof(T) == 4)
    _mm512_mask_i32scatter_epi32(p, mask.bits, i, x, 4);
  else if constexpr (sizeof(i) == 64)
    _mm512_mask_i64scatter_epi64(p, mask.bits, i, x, 8);
  else if constexpr (sizeof(i) == 32 && sizeof(T) == 4)
    _mm256_mask_i32scatter_epi32(p, mask.bits, i, x, 4);
  else if constexpr (sizeof(i) == 32)
    _mm256_mask_i64scatter_epi64(p, mask.bits, i, x, 8);
  else if constexpr (sizeof(T) == 4)
    _mm_mask_i32scatter_epi32(p, mask.bits, i, x, 4);
  else
    _mm_mask_i64scatter_epi64(p, mask.bits, i, x, 8);
}
#endif
// Lanes K * M to K * M + M - 1 of a mask.
template <int M, int K, int N> CROSSLANE_INLINE Mask<M> part_of(Mask<N> m) {
  if constexpr (M == N)
    return m;
  else
    return Mask<M>(typename Mask<M>::bits_t(m.bits >> (K * M)));
}
} // namespace detail

template <class T, int N, class I> CROSSLANE_INLINE Vec<T, N> gather_instruction(const T* p, Vec<I, N> index) {
#ifdef __AVX2__
  if constexpr (detail::instruction_indexes<T, I> && N * sizeof(T) >= 16)
    return detail::by_parts<register_bytes>([&](auto i) { return detail::gather_register(p, i); }, index);
  else
#endif
    return gather_scalar(p, index);
}
template <class T, int N, class I>
CROSSLANE_INLINE Vec<T, N> gather(const T* p, Mask<N> mask, Vec<I, N> index, Vec<T, N> other) {
  static_assert(std::is_integral_v<I>, "gather: indexes are integers");
  constexpr int bytes = N * sizeof(T);
#ifdef __AVX2__
  if constexpr (detail::instruction_indexes<T, I> && bytes >= 16 && bytes <= register_bytes)
    return detail::gather_register(p, mask, index, other);
  else
#endif
      if constexpr (N == 1)
    return mask.bits ? load<T, 1>(p + index.v) : other;
  else if constexpr (bytes > 16)
    return join(gather(p, detail::part_of<N / 2, 0>(mask), part<N / 2, 0>(index), part<N / 2, 0>(other)),
                gather(p, detail::part_of<N / 2, 1>(mask), part<N / 2, 1>(index), part<N / 2, 1>(other)));
  else {
    T lane[N];
    store(lane, other);
    unrolled<N>([&](auto k) __attribute__((always_inline)) {
      // Lanes that are not set read their own element: no branch.
      lane[k] = load<T, 1>((mask.bits >> k & 1) ? p + index.v[int(k)] : lane + k).v;
    });
    return load<T, N>(lane);
  }
}

template <class T, int N, class I> CROSSLANE_INLINE void scatter_instruction(T* p, Vec<I, N> index, Vec<T, N> v) {
#ifdef __AVX512BW__
  constexpr int bytes = N * sizeof(T);
  if constexpr (detail::instruction_indexes<T, I> && bytes > 64) {
    scatter_instruction(p, part<N / 2, 0>(index), part<N / 2, 0>(v));
    scatter_instruction(p, part<N / 2, 1>(index), part<N / 2, 1>(v));
  } else if constexpr (detail::instruction_indexes<T, I> && bytes >= 16)
    detail::scatter_register(p, Mask<N>(typename Mask<N>::bits_t(~0u)), index, v);
  else
#endif
    scatter_scalar(p, index, v);
}
template <class T, int N, class I> CROSSLANE_INLINE void scatter(T* p, Mask<N> mask, Vec<I, N> index, Vec<T, N> v) {
  static_assert(std::is_integral_v<I>, "scatter: indexes are integers");
#ifdef __AVX512BW__
  constexpr int bytes = N * sizeof(T);
  if constexpr (detail::instruction_indexes<T, I> && bytes > 64) {
    scatter(p, detail::part_of<N / 2, 0>(mask), part<N / 2, 0>(index), part<N / 2, 0>(v));
    scatter(p, detail::part_of<N / 2, 1>(mask), part<N / 2, 1>(index), part<N / 2, 1>(v));
  } else if constexpr (detail::instruction_indexes<T, I> && bytes >= 16)
    detail::scatter_register(p, mask, index, v);
  else
#endif
      if constexpr (N == 1) {
    if (mask.bits)
      store(p + index.v, v);
  } else
    unrolled<N>([&](auto k) __attribute__((always_inline)) {
      if (mask.bits >> k & 1)
        store(p + index.v[int(k)], Vec<T, 1>::of(v.v[int(k)]));
    });
}

template <class T, int N, class I> CROSSLANE_INLINE Vec<T, N> gather(const T* p, Vec<I, N> index) {
#ifdef __AVX512BW__
  constexpr bool by_instruction = !is_zen(compiled_cpu);
#else
  constexpr bool by_instruction = !is_zen(compiled_cpu) && sizeof(T) == 4;
#endif
  if constexpr (by_instruction)
    return gather_instruction(p, index);
  else
    return gather_scalar(p, index);
}
template <class T, int N, class I> CROSSLANE_INLINE void scatter(T* p, Vec<I, N> index, Vec<T, N> v) {
  scatter_scalar(p, index, v);
}

namespace detail {
// p[0] to p[Size - 1] in registers, then zeros.
template <int Size, class T> CROSSLANE_INLINE auto load_table(const T* p) {
  constexpr int N = int(std::bit_ceil(unsigned(Size < 2 ? 2 : Size))), lanes = register_bytes / sizeof(T);
  if constexpr (N == Size)
    return load<T, N>(p);
  else if constexpr (N <= lanes)
    return load_first<T, N>(p, Size);
  else
    return [&]<size_t... K>(std::index_sequence<K...>) __attribute__((always_inline)) {
      constexpr auto left = [=](size_t k) { return std::min(std::max(Size - int(k) * lanes, 0), lanes); };
      return join(std::array{left(K) == lanes ? load<T, lanes>(p + K * lanes)
                             : left(K)        ? load_first<T, lanes>(p + K * lanes, left(K))
                                              : Vec<T, lanes>(T(0))...});
    }(std::make_index_sequence<N / lanes>{});
}
} // namespace detail

// The greatest tables for which permutes are better than a gather.
template <class T>
inline constexpr int gather_from_registers =
#if defined(__AVX512BW__)
    sizeof(T) == 8 && !is_zen(compiled_cpu) ? 32 : 512 / sizeof(T);
#elif defined(__AVX2__)
    sizeof(T) == 8 && compiled_cpu == Cpu::zen5 ? 8 : lookup_in_registers<T>;
#else
    0;
#endif

template <int Size, class T, int N, class I> CROSSLANE_INLINE Vec<T, N> gather_from(const T* p, Vec<I, N> index) {
  static_assert(Size >= 1 && std::is_integral_v<I>, "gather_from: a table of elements and indexes that are integers");
  constexpr int table = int(std::bit_ceil(unsigned(Size)));
  if constexpr (table <= gather_from_registers<T> && table <= 256)
    return lookup_dirty(detail::load_table<Size>(p), convert<unsigned_of<sizeof(T)>>(index));
  else
    return gather(p, index);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
