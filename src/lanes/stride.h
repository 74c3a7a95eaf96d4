// Owns loads and stores of elements at a fixed distance: p[0], p[stride], p[2 * stride], ... <-> lanes of a register.
//
//   load_strided<T, N, Stride>(p)     lane i = p[i * Stride], Stride >= 1 known when compiled
//   load_strided<T, N>(p, stride)     the same for a stride known at run time only, also 0 or negative; in elements
//   store_strided<Stride>(p, v)
//   store_strided(p, stride, v)
// and the ways by name:
//   _scalar             one move per element
//   _gather, _scatter   the instruction for 32 and 64-bit elements, from AVX2 and AVX-512 on; else element by element
//   _permute            whole registers; stores from AVX-512 on, else element by element
//
// What is touched: stores write the named elements only, whichever the way. Loads read the named elements only, except
// load_strided_permute (and load_strided with a compiled stride, which may choose it) below AVX-512 and on Zen 5: that
// reads all from the first element to the last, and nothing before or after. Else AVX-512 loads under a mask: other
// elements cannot fault.
//
// The way with permutes: elements i * Stride lie in lanes i * Stride % N of Stride registers. With g = gcd(Stride, N)
// the registers make g sets within each of which those lanes are all different: loads under masks collect a set into
// one register, and g - 1 permutes of two sources (at least one permute) bring the sets into order.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.5; collecting by masks is ours.
#pragma once
#include "lanes/compress.h"
#include "lanes/permute.h"
#include "lanes/registers.h"
#include <cstddef>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// One move per element.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> load_strided_scalar(const T* p, ptrdiff_t stride) {
  if constexpr (N * sizeof(T) > 16) // 128 bits each by itself: insertions go no further, and chains are short
    return join(load_strided_scalar<T, N / 2>(p, stride), load_strided_scalar<T, N / 2>(p + N / 2 * stride, stride));
  else if constexpr (N == 1)
    return load<T, 1>(p);
  else
    return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
      return Vec<T, N>::of(raw_t<T, N>{load<T, 1>(p + I * stride).v...});
    }(std::make_integer_sequence<int, N>{});
}
// Zen 3 stores an element of a vector in a cycle, or one and an integer: every second lane is an integer, which the
// compiler reads from memory where v was loaded. 1 KB of 32 bits at 2 in 53 ns, not 83, of 64 bits 28, not 41; of
// values that are computed 83 and 41 either way.
template <class T, int N> CROSSLANE_INLINE void store_strided_scalar(T* p, ptrdiff_t stride, Vec<T, N> v) {
  unrolled<N>([&](auto i) __attribute__((always_inline)) {
    auto lane = Vec<unsigned_of<sizeof(T)>, 1>::of(0);
    if constexpr (N == 1)
      lane = bitcast<unsigned_of<sizeof(T)>>(v);
    else
      lane.v = bitcast<unsigned_of<sizeof(T)>>(v).v[int(i)];
    if constexpr (compiled_cpu == Cpu::zen3 && sizeof(T) >= 4 && i % 2)
      asm("" : "+r"(lane.v));
    store(p + i * stride, bitcast<T>(lane));
  });
}

namespace detail {
template <class T, int N> struct Numbers {
  static CROSSLANE_INLINE Vec<T, N> from_zero() {
    return []<int... I>(std::integer_sequence<int, I...>) {
      return Vec<T, N>::of(raw_t<T, N>{T(I)...});
    }(std::make_integer_sequence<int, N>{});
  }
};
// Offsets of the lanes in elements, as wide as the elements; false if they do not fit.
template <class T, int N> CROSSLANE_INLINE bool offsets(ptrdiff_t stride, Vec<signed_of<sizeof(T)>, N>& out) {
  using I = signed_of<sizeof(T)>;
  out = Numbers<I, N>::from_zero() * Vec<I, N>(I(stride));
  return sizeof(T) == 8 || (stride < (1 << 24) && stride > -(1 << 24));
}
} // namespace detail

// The gather instruction.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> load_strided_gather(const T* p, ptrdiff_t stride) {
  [[maybe_unused]] constexpr int bytes = N * sizeof(T);
#ifdef __AVX2__
  if constexpr (bytes > register_bytes && sizeof(T) >= 4)
    return join(load_strided_gather<T, N / 2>(p, stride), load_strided_gather<T, N / 2>(p + N / 2 * stride, stride));
  else if constexpr (bytes >= 16 && sizeof(T) >= 4) {
    Vec<signed_of<sizeof(T)>, N> offset;
    if (!detail::offsets<T, N>(stride, offset))
      return load_strided_scalar<T, N>(p, stride);
    const auto index = detail::machine(offset);
    const auto elements = reinterpret_cast<const std::conditional_t<sizeof(T) == 4, int, long long>*>(p);
#ifdef __AVX512BW__
    if constexpr (bytes == 64 && sizeof(T) == 4)
      return detail::from_machine<T>(_mm512_i32gather_epi32(index, elements, 4));
    if constexpr (bytes == 64 && sizeof(T) == 8)
      return detail::from_machine<T>(_mm512_i64gather_epi64(index, elements, 8));
#endif
    if constexpr (bytes == 32 && sizeof(T) == 4)
      return detail::from_machine<T>(_mm256_i32gather_epi32(elements, index, 4));
    if constexpr (bytes == 32 && sizeof(T) == 8)
      return detail::from_machine<T>(_mm256_i64gather_epi64(elements, index, 8));
    if constexpr (bytes == 16 && sizeof(T) == 4)
      return detail::from_machine<T>(_mm_i32gather_epi32(elements, index, 4));
    if constexpr (bytes == 16 && sizeof(T) == 8)
      return detail::from_machine<T>(_mm_i64gather_epi64(elements, index, 8));
  } else
#endif
    return load_strided_scalar<T, N>(p, stride);
}
// The scatter instruction.
template <class T, int N> CROSSLANE_INLINE void store_strided_scatter(T* p, ptrdiff_t stride, Vec<T, N> v) {
#ifdef __AVX512BW__
  constexpr int bytes = N * sizeof(T);
  if constexpr (bytes > 64 && sizeof(T) >= 4) {
    store_strided_scatter(p, stride, part<N / 2, 0>(v));
    return store_strided_scatter(p + N / 2 * stride, stride, part<N / 2, 1>(v));
  } else if constexpr (bytes >= 16 && sizeof(T) >= 4) {
    Vec<signed_of<sizeof(T)>, N> offset;
    if (detail::offsets<T, N>(stride, offset)) {
      const auto index = detail::machine(offset), values = detail::machine(v);
      if constexpr (bytes == 64 && sizeof(T) == 4)
        _mm512_i32scatter_epi32(p, index, values, 4);
      if constexpr (bytes == 64 && sizeof(T) == 8)
        _mm512_i64scatter_epi64(p, index, values, 8);
      if constexpr (bytes == 32 && sizeof(T) == 4)
        _mm256_i32scatter_epi32(p, index, values, 4);
      if constexpr (bytes == 32 && sizeof(T) == 8)
        _mm256_i64scatter_epi64(p, index, values, 8);
      if constexpr (bytes == 16 && sizeof(T) == 4)
        _mm_i32scatter_epi32(p, index, values, 4);
      if constexpr (bytes == 16 && sizeof(T) == 8)
        _mm_i64scatter_epi64(p, index, values, 8);
      return;
    }
  }
#endif
  store_strided_scalar(p, stride, v);
}

namespace detail {
constexpr int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; } // <numeric> has a slower start

// Elements 0, Stride, 2 * Stride, ... as lanes of Stride registers of N.
template <int N, int Stride> struct Strided {
  static constexpr int sets = common_divisor(N, Stride), registers_per_set = Stride / sets, elements_per_set = N / sets;
  static constexpr uint64_t lanes(int r) { // which lanes of register r
    uint64_t m = 0;
    for (int l = 0; l < N; ++l)
      if ((r * N + l) % Stride == 0)
        m |= uint64_t(1) << l;
    return m;
  }
};
// Lanes of the mask from b, the others from a: a select, which costs less to compile than a permute.
template <uint64_t Mask, class T, int N> CROSSLANE_INLINE Vec<T, N> blended(Vec<T, N> a, Vec<T, N> b) {
  return [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    return Vec<T, N>::of(__builtin_shufflevector(a.v, b.v, (Mask >> I & 1 ? N + I : I)...));
  }(std::make_integer_sequence<int, N>{});
}
// The last register reaches beyond the last element: read it further ahead, and move it down.
template <int N, int Ahead> struct Down {
  constexpr int operator()(int i) const { return i + Ahead < N ? i + Ahead : dont_care; }
};
// Zen 5 starts one load of 64 bytes under a mask in a cycle, and two of whole registers.
template <class T, int N> inline constexpr bool whole_loads = compiled_cpu == Cpu::zen5 && N * sizeof(T) == 64;
// One set collected.
template <int Stride, int Set, int R, class T, int N>
CROSSLANE_INLINE Vec<T, N> collected(const T* p, Vec<T, N> so_far) {
  using S = Strided<N, Stride>;
  if constexpr (R == S::registers_per_set)
    return so_far;
  else {
    constexpr int r = Set * S::registers_per_set + R;
    constexpr uint64_t mask = S::lanes(r);
#ifdef __AVX512BW__
    constexpr int bytes = N * sizeof(T);
    if constexpr (whole_loads<T, N> && r < Stride - 1) {
      const auto loaded = as_written(load<T, N>(p + r * N)); // or the compiler would make it a load under a mask
      return collected<Stride, Set, R + 1>(p, R ? blended<mask>(so_far, loaded) : loaded);
    } else if constexpr (bytes >= 16) {
      const auto loaded = from_machine<T>(load_masked<T, bytes>(p + r * N, mask));
      return collected<Stride, Set, R + 1>(p, R ? blended<mask>(so_far, loaded) : loaded);
    }
#endif
    Vec<T, N> loaded;
    if constexpr (r < Stride - 1)
      loaded = load<T, N>(p + r * N);
    else {
      loaded = load<T, N>(p + (N - 1) * Stride + 1 - N);
      loaded = permute(loaded, loaded, Down<N, Stride - 1>{});
    }
    return collected<Stride, Set, R + 1>(p, R ? blended<mask>(so_far, loaded) : loaded);
  }
}
// Elements of sets into order: one or two sets as they were collected, or the ordered elements of two bunches of sets.
template <int N, int Stride, int Count> struct OrderSets {
  constexpr int operator()(int i) const {
    const int each = Strided<N, Stride>::elements_per_set;
    return i >= each * Count ? dont_care : i * Stride % N + (i < each ? 0 : N);
  }
};
template <int N, int First> struct Append {
  constexpr int operator()(int i) const { return i < First ? i : i < 2 * First ? i - First + N : dont_care; }
};
template <int Stride, int Set, int Count, class T, int N> CROSSLANE_INLINE Vec<T, N> ordered(const T* p) {
  if constexpr (Count <= 2) {
    const auto a = collected<Stride, Set, 0>(p, Vec<T, N>::of(raw_t<T, N>{}));
    if constexpr (Count == 1)
      return permute(a, a, OrderSets<N, Stride, 1>{});
    else
      return permute(a, collected<Stride, Set + 1, 0>(p, a), OrderSets<N, Stride, 2>{});
  } else {
    return permute(ordered<Stride, Set, Count / 2, T, N>(p), ordered<Stride, Set + Count / 2, Count / 2, T, N>(p),
                   Append<N, Count / 2 * Strided<N, Stride>::elements_per_set>{});
  }
}
// Without masks, one register for all: run r of the elements fills the lanes l with l % Stride == residue(r), by a load
// that begins where that needs it. The first run begins in lane 0 and the last ends in the last lane, so that nothing
// beyond the elements is read. Zen 3, 1 KB, ns, by sets and a move down | by runs: u8 by 3 47 | 32, by 4 60 | 32, by 8
// 126 | 67, by 16 180 | 135; u16 by 4 57 | 37, by 8 84 | 68; u32 by 3 27 | 24, by 4 39 | 31. Other strides do not gain.
template <int N, int Stride> struct Runs {
  static constexpr int last = (N - 1) % Stride;
  static constexpr bool pay = last > 0 && Stride > 2 && 2 * Stride <= N &&
                              (Stride == 3 || 4 * Stride <= N || std::has_single_bit(unsigned(Stride)));
  static constexpr int residue(int r) { return r == Stride - 1 ? last : r + (r >= last); }
  static constexpr int first(int r) { // element
    int e = 0;
    for (int k = 0; k < r; ++k)
      e += (N - residue(k) + Stride - 1) / Stride;
    return e;
  }
  static constexpr int start(int r) { return first(r) * Stride - residue(r); }
  static constexpr uint64_t lanes(int r) {
    uint64_t m = 0;
    for (int l = residue(r); l < N; l += Stride)
      m |= uint64_t(1) << l;
    return m;
  }
  constexpr int operator()(int i) const { // the lane of element i
    int r = 0;
    while (r + 1 < Stride && first(r + 1) <= i)
      ++r;
    return i * Stride - start(r);
  }
};
template <int Stride, class T, int N> CROSSLANE_INLINE Vec<T, N> load_runs(const T* p) {
  using R = Runs<N, Stride>;
  Vec<T, N> v = load<T, N>(p);
  unrolled<Stride - 1>(
      [&](auto k) __attribute__((always_inline)) { v = blended<R::lanes(k + 1)>(v, load<T, N>(p + R::start(k + 1))); });
  return permute(v, R{});
}
// Lane l of the registers of a set holds the element of that set that belongs there.
template <int N, int Stride, int Set> struct SpreadSet {
  constexpr int operator()(int l) const {
    const int each = Strided<N, Stride>::elements_per_set;
    for (int i = Set * each; i < (Set + 1) * each; ++i)
      if (i * Stride % N == l)
        return i;
    return dont_care;
  }
};
} // namespace detail

// Whole registers. A stride beyond the lanes leaves most registers without an element: then element by element.
template <class T, int N, int Stride> CROSSLANE_INLINE Vec<T, N> load_strided_permute(const T* p) {
  static_assert(Stride >= 1);
  if constexpr (Stride == 1)
    return load<T, N>(p);
  else if constexpr (N * sizeof(T) > register_bytes)
    return join(load_strided_permute<T, N / 2, Stride>(p), load_strided_permute<T, N / 2, Stride>(p + N / 2 * Stride));
  else if constexpr (Stride > N)
    return load_strided_scalar<T, N>(p, Stride);
#ifndef __AVX512BW__
  else if constexpr (detail::Runs<N, Stride>::pay)
    return detail::load_runs<Stride, T, N>(p);
#endif
  else
    return detail::ordered<Stride, 0, detail::Strided<N, Stride>::sets, T, N>(p);
}
template <int Stride, class T, int N> CROSSLANE_INLINE void store_strided_permute(T* p, Vec<T, N> v) {
  static_assert(Stride >= 1);
  if constexpr (Stride == 1)
    return store(p, v);
#ifdef __AVX512BW__
  else if constexpr (N * sizeof(T) > register_bytes) {
    store_strided_permute<Stride>(p, part<N / 2, 0>(v));
    store_strided_permute<Stride>(p + N / 2 * Stride, part<N / 2, 1>(v));
  } else if constexpr (Stride <= N && N * sizeof(T) >= 16) {
    using S = detail::Strided<N, Stride>;
    unrolled<S::sets>([&](auto set) __attribute__((always_inline)) {
      const auto spread = detail::machine(permute(v, v, detail::SpreadSet<N, Stride, set>{}));
      unrolled<S::registers_per_set>([&](auto r) __attribute__((always_inline)) {
        constexpr int at = set * S::registers_per_set + r;
        detail::store_masked<T>(p + at * N, S::lanes(at), spread);
      });
    });
  }
#endif
  else
    store_strided_scalar(p, Stride, v);
}

// The compiled strides for which whole registers are the better way, by the bytes of an element. Measured on
// Zen 4 within L1, in ns per register, scalar | gather or scatter | permute:
//   load, AVX-512   u8                u16               u32                  u64
//     stride 2      13.1 |  -  | 0.6  5.5 |  -  | 0.6   2.3 | 4.6 | 0.5      1.2 | 2.5 | 0.6
//            4      11.1 |  -  | 1.9  5.8 |  -  | 1.3   2.3 | 4.6 | 1.3      1.2 | 2.5 | 1.2
//            8      12.2 |  -  | 2.8  5.8 |  -  | 2.7   2.6 | 4.6 | 2.4      1.2 | 2.5 | 1.2
//            9      13.4 |  -  | 7.0  6.1 |  -  | 5.2   2.6 | 4.6 | 4.8      too far apart for registers of 8
//           15      11.9 |  -  | 8.6  4.7 |  -  | 7.7   2.6 | 4.6 | 6.3
//   load, AVX2
//     stride 2       5.1 |  -  | 0.4  2.3 |  -  | 0.4   1.1 | 2.2 | 0.3      0.7 | 2.1 | 0.3
//            4       5.1 |  -  | 1.4  2.3 |  -  | 1.2   1.1 | 2.2 | 0.7      0.7 | 2.1 | 0.7
//            8       5.1 |  -  | 3.7  2.3 |  -  | 2.1   1.5 | 3.4 | 1.6      too far apart for registers of 4
//   store, AVX-512
//     stride 2      21.6 |  -  | 3.3  9.5 |  -  | 3.7   4.3 | 6.0 | 3.3      2.2 | 3.3 | 3.3
//            5      21.9 |  -  | 3.8  9.5 |  -  | 3.9   4.3 | 6.0 | 3.6      2.2 | 3.3 | 3.3
//            8      22.6 |  -  | 5.5  9.5 |  -  | 5.5   4.3 | 6.0 | 4.3      2.2 | 3.0 | 2.2
// The gather and scatter instructions lose everywhere on this CPU, so that no stride is left to them.
// Loads again, where the ways are near each other (scalar | permute): AVX-512 u32 by 6 2.3 | 1.9, by 7 2.3 | 2.7, by 8
// 5.6 | 2.4; u64 by 3 1.10 | 0.91, by 4 1.16 | 1.23. AVX2 u32 by 5 1.11 | 0.75, by 6 1.12 | 1.20, by 7 1.12 | 1.06; u64
// by 3 0.57 | 0.56. Intel's take u64 by 4 one by one in 0.6 of the time of permutes.
// Zen 5, AVX-512, ns for 1 KB, scalar | permute: u32 by 4 35 | 12, by 5 35 | 12, by 6 35 | 13.5, by 7 35 | 16; u64 by 3
// 22 | 14, by 4 18 | 12, by 5 18 | 13, by 6 18 | 14, by 7 18 | 16, by 8 18 | 18.
#ifdef __AVX512BW__
template <class T>
inline constexpr int strided_load_by_permute = sizeof(T) == 1              ? 16
                                               : sizeof(T) == 2            ? 9
                                               : sizeof(T) == 4            ? 8
                                               : compiled_cpu == Cpu::zen5 ? 7
                                                                           : 3;
template <class T> inline constexpr int strided_load_exception = sizeof(T) == 4 && compiled_cpu != Cpu::zen5 ? 7 : 0;
template <class T> inline constexpr int strided_store_by_permute = sizeof(T) <= 2 ? 16 : sizeof(T) == 4 ? 5 : 1;
#elif defined(__AVX2__)
template <class T>
inline constexpr int strided_load_by_permute = sizeof(T) == 1              ? 16
                                               : sizeof(T) == 2            ? 9
                                               : sizeof(T) == 4            ? 7
                                               : compiled_cpu == Cpu::zen3 ? 4
                                                                           : 3;
template <class T> inline constexpr int strided_load_exception = sizeof(T) == 4 ? 6 : 0;
template <class T> inline constexpr int strided_store_by_permute = 1;
#else
template <class T> inline constexpr int strided_load_by_permute = 3;
template <class T> inline constexpr int strided_load_exception = 0;
template <class T> inline constexpr int strided_store_by_permute = 1;
#endif

template <class T, int N, int Stride> CROSSLANE_INLINE Vec<T, N> load_strided(const T* p) {
  if constexpr (Stride >= 1 && Stride <= strided_load_by_permute<T> && Stride != strided_load_exception<T>)
    return load_strided_permute<T, N, Stride>(p);
  else
    return load_strided_scalar<T, N>(p, Stride);
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> load_strided(const T* p, ptrdiff_t stride) {
  return stride == 1 ? load<T, N>(p) : load_strided_scalar<T, N>(p, stride);
}
template <int Stride, class T, int N> CROSSLANE_INLINE void store_strided(T* p, Vec<T, N> v) {
  if constexpr (Stride >= 1 && Stride <= strided_store_by_permute<T>)
    store_strided_permute<Stride>(p, v);
  else
    store_strided_scalar(p, Stride, v);
}
template <class T, int N> CROSSLANE_INLINE void store_strided(T* p, ptrdiff_t stride, Vec<T, N> v) {
  if (stride == 1)
    store(p, v);
  else
    store_strided_scalar(p, stride, v);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
