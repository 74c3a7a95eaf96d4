// Owns reductions: of a register, and of many groups of `size` consecutive elements in memory to one element each, in
// the three ways of the source's section 4.2 and by the best of them.
//
//   reduce(v, Sum{})                                        one register -> one element
//   reduce_groups(in, out, groups, size, Sum{})             out[g] = in[g * size] op ... op in[g * size + size - 1]
//   reduce_groups_each / _transposed / _integrated(...)     way 1: group by group; way 2: transpose, then add rows;
//                                                           way 3: transpose and add in the same stages
// Any size >= 1, any number of groups; only the named elements are touched; in and out must not overlap. The operation
// is Sum, Min, Max, And, Or, Xor, or anything that takes two Vec<T, N> of any N and is associative and commutative.
// Integers wrap. Min and Max of floats prefer a number to a NaN. Floats are added in this order:
//   each            lane by lane over the group in steps of a register, then lanes i and i + n/2, n halved each time
//   transposed      from the first element to the last, as the plain loop does: the same bits
//   integrated      lane by lane in steps of the lanes used, then neighbours: (e0 + e1) + (e2 + e3)
//   reduce_groups   as the way that is taken, which depends on the size and the instruction set
//
// Integrated: a stage turns two registers into one, and as the operation commutes one of its two permutes is a blend:
// (a0 b1 a2 b3) op (a1 b0 a3 b2) instead of (a0 b0 a2 b2) op (a1 b1 a3 b3).
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 4.2.
#pragma once
#include "lanes/operations.h"
#include "lanes/partial_reduce.h"
#include "lanes/transpose.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Lanes i and i + n/2, until `Left` lanes are left.
template <int Left, class T, int N, class Op> CROSSLANE_INLINE Vec<T, Left> fold(Vec<T, N> v, Op op) {
  if constexpr (N == Left)
    return v;
  else
    return fold<Left>(op(part<N / 2, 0>(v), part<N / 2, 1>(v)), op);
}

namespace detail {
template <class Op> inline constexpr bool is_sum = std::is_same_v<Op, Sum>;
template <class Op> inline constexpr bool is_min = std::is_same_v<Op, Min> || std::is_same_v<Op, FastMin>;
template <class Op> inline constexpr bool is_max = std::is_same_v<Op, Max> || std::is_same_v<Op, FastMax>;
} // namespace detail

// Halves are folded upon each other, except where an instruction reduces more at once: sums of bytes by
// sum_eights, of words by sum_pairs, minima and maxima of bytes and words by minimum_position, which knows minima
// without sign.
template <class T, int N, class Op> CROSSLANE_INLINE T reduce(Vec<T, N> v, Op op) {
  constexpr int bytes = N * sizeof(T);
  [[maybe_unused]] constexpr bool integer = std::is_integral_v<T>;
  if constexpr (integer && sizeof(T) == 1 && bytes >= 16 && detail::is_sum<Op>) {
    const auto eight = bitcast<uint8_t>(fold<8>(v, op)); // the upper eight do not matter
    return T(sum_eights(join(eight, eight)).v[0]);
  } else if constexpr (integer && sizeof(T) == 2 && bytes >= 16 && detail::is_sum<Op>) {
    return T(fold<1>(sum_pairs(bitcast<int16_t>(fold<8>(v, op))), Sum{}).v);
#ifdef __AVX2__
  } else if constexpr (integer && sizeof(T) <= 2 && bytes >= 16 && (detail::is_min<Op> || detail::is_max<Op>)) {
    using U = unsigned_of<sizeof(T)>;
    constexpr int lanes = 16 / sizeof(T);
    constexpr U sign = std::is_signed_v<T> ? U(1) << (sizeof(T) * 8 - 1) : U(0);
    constexpr U turned = detail::is_max<Op> ? U(~sign) : sign; // for an exclusive or
    auto least = bitcast<U>(fold<lanes>(v, op)) ^ Vec<U, lanes>(turned);
    if constexpr (sizeof(T) == 1) {
      const auto words = reinterpret<uint16_t>(least);
      least = min_int(least, reinterpret<U>(words >> Vec<uint16_t, 8>(uint16_t(8))));
    }
    return T(U(minimum_position(reinterpret<uint16_t>(least)).value ^ turned));
#endif
  } else
    return fold<1>(v, op).v;
}

namespace detail {
template <class T> inline constexpr int register_lanes = register_bytes / sizeof(T);

// One stage of the integrated way: lanes whose bit `Distance` is clear go on with a, the others with b.
template <int N, int Distance> struct Own { // a blend
  constexpr int operator()(int i) const { return i & Distance ? N + i : i; }
};
template <int N, int Distance> struct Partner {
  constexpr int operator()(int i) const { return (i & Distance ? N : 0) + (i ^ Distance); }
};
template <int Distance> struct Swap {
  constexpr int operator()(int i) const { return i ^ Distance; }
};
template <int N, int Distance> struct Lower {
  constexpr int operator()(int i) const { return i & Distance ? N + i - Distance : i; }
};
template <int N, int Distance> struct Upper {
  constexpr int operator()(int i) const { return i & Distance ? N + i : i + Distance; }
};
template <int Distance, class T, int N> CROSSLANE_INLINE Vec<T, N> own(Vec<T, N> a, Vec<T, N> b) {
#ifdef __AVX512BW__
  if constexpr (Distance * sizeof(T) == 32 && N * sizeof(T) == 64) { // clang would take a shuffle of halves
    __mmask8 upper = 0xf0;
    asm("" : "+Yk"(upper));
    return Vec<T, N>::of(
        __builtin_bit_cast(raw_t<T, N>, _mm512_mask_blend_epi64(upper, __builtin_bit_cast(__m512i, a.v),
                                                                __builtin_bit_cast(__m512i, b.v))));
  }
#endif
  return permute(a, b, Own<N, Distance>{});
}
template <int Distance, class T, int N> CROSSLANE_INLINE Vec<T, N> partner(Vec<T, N> a, Vec<T, N> b) {
#ifdef __AVX2__ // a blend and a permute of one source; clang would take horizontal additions, which are three
                // instructions
  if constexpr (Distance * sizeof(T) < 16 && sizeof(T) >= 2 && N * sizeof(T) >= 16 && N * sizeof(T) <= 32) {
    const auto other = as_written(permute(b, a, Own<N, Distance>{}));
    return permute(other, other, Swap<Distance>{});
  }
#endif
  return permute(a, b, Partner<N, Distance>{});
}
template <int Distance, bool Commutes, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> merged(Vec<T, N> a, Vec<T, N> b, Op op) {
  if constexpr (Commutes)
    return op(own<Distance>(a, b), partner<Distance>(a, b));
  else
    return op(permute(a, b, Lower<N, Distance>{}), permute(a, b, Upper<N, Distance>{}));
}
} // namespace detail

// R rows -> one: lane i combines those lanes of row i % R whose number is i when its log2 R low bits are ignored. With
// as many rows as lanes that is the whole row i. Takes R - 1 permutes and R - 1 blends, or without `Commutes` 2 R - 2
// permutes.
template <bool Commutes = true, int Distance = 1, size_t R, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> merge_rows(const std::array<Vec<T, N>, R>& rows, Op op) {
  if constexpr (R == 1)
    return rows[0];
  else
    return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
      return merge_rows<Commutes, 2 * Distance>(
          std::array{detail::merged<Distance, Commutes>(rows[2 * I], rows[2 * I + 1], op)...}, op);
    }(std::make_index_sequence<R / 2>{});
}
// R rows one after the other: the same result for each lane as adding the columns of a transpose.
template <size_t R, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> add_rows(const std::array<Vec<T, N>, R>& rows, Op op) {
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    Vec<T, N> sum = rows[0];
    ((sum = op(sum, rows[I + 1])), ...);
    return sum;
  }(std::make_index_sequence<R - 1>{});
}

namespace detail {
template <class T, int N, size_t K> CROSSLANE_INLINE std::array<Vec<T, N>, K> load_rows(const T* p, size_t stride) {
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    return std::array<Vec<T, N>, K>{load<T, N>(p + I * stride)...};
  }(std::make_index_sequence<K>{});
}

// What is left of a group after `v`: pieces of N / 2, N / 4, ... 1 elements, each joined when v has shrunk to its
// length.
template <class T, int N, class Op> CROSSLANE_INLINE T finish(Vec<T, N> v, const T* rest, size_t left, Op op) {
  if constexpr (N == 1)
    return v.v;
  else {
    const auto half = fold<N / 2>(v, op);
    if (!(left & (N / 2)))
      return finish(half, rest, left, op);
    return finish(op(half, load<T, N / 2>(rest)), rest + N / 2, left, op);
  }
}
template <int N, class T, class Op> CROSSLANE_INLINE T reduce_group(const T* p, size_t size, Op op) {
  if constexpr (N > 1)
    if (size < N)
      return reduce_group<N / 2>(p, size, op);
  Vec<T, N> sum = load<T, N>(p);
  size_t i = N;
  for (; i + N <= size; i += N)
    sum = op(sum, load<T, N>(p + i));
  return finish(sum, p + i, size - i, op);
}
} // namespace detail

template <class T, class Op> void reduce_groups_each(const T* in, T* out, size_t groups, size_t size, Op op) {
  for (size_t g = 0; g < groups; ++g)
    out[g] = detail::reduce_group<detail::register_lanes<T>>(in + g * size, size, op);
}

namespace detail {
// `some(g)` does groups g to g + Count - 1; the last of them are done twice if the groups are no multiple of that.
template <size_t Count, class T, class Op, class F>
CROSSLANE_INLINE void batches(const T* in, T* out, size_t groups, size_t size, Op op, F some) {
  if (groups < Count)
    return reduce_groups_each(in, out, groups, size, op);
  for (size_t g = 0; g + Count <= groups; g += Count)
    some(g);
  if (groups % Count)
    some(groups - Count);
}

// C columns of C groups at a time, the last columns again if they are no multiple.
template <int C, class T, class Op> void groups_transposed(const T* in, T* out, size_t groups, size_t size, Op op) {
  batches<C>(in, out, groups, size, op, [&](size_t g) __attribute__((always_inline)) {
    const T* const p = in + g * size;
    Vec<T, C> sum = add_rows(transpose(load_rows<T, C, C>(p, size)), op);
    size_t done = C;
    for (; done + C <= size; done += C) {
      const auto columns = transpose(load_rows<T, C, C>(p + done, size));
      unrolled<C>([&](auto i) __attribute__((always_inline)) { sum = op(sum, columns[i]); });
    }
    if (done < size) {
      const auto columns = transpose(load_rows<T, C, C>(p + size - C, size));
      const size_t again = done - (size - C);
      unrolled<C>([&](auto i) __attribute__((always_inline)) {
        if (i >= again)
          sum = op(sum, columns[i]);
      });
    }
    store(out + g, sum);
  });
}

// Each group to C lanes, R of these registers to one.
template <int C, class T, class Op> void groups_integrated(const T* in, T* out, size_t groups, size_t size, Op op) {
  constexpr int R = std::min(C, 16);
  using Index = raw_t<signed_of<sizeof(T)>, C>;
  const Index number = [] {
    Index v;
    for (int i = 0; i < C; ++i)
      v[i] = i;
    return v;
  }();
  const size_t left = size % C;
  const auto fresh = number >= Index(signed_of<sizeof(T)>(C - left)); // lanes of the last C elements not yet counted
  // Row by row, which the loop below, whose rows all wait in registers, does not do. Zen 3, AVX2, 8 KB of u32, ns:
  // groups of 9 268 without, 157 with; of 11 218, 135; of 12 210, 117.
  if (left && size < 2 * C)
    return batches<R>(in, out, groups, size, op, [&](size_t g) __attribute__((always_inline)) {
      const T* const p = in + g * size;
      const auto row = [&](auto r) __attribute__((always_inline)) {
        const auto first = load<T, C>(p + r * size);
        return Vec<T, C>::of(fresh ? op(first, load<T, C>(p + r * size + left)).v : first.v);
      };
      const auto rows = [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
        return std::array<Vec<T, C>, R>{row(std::integral_constant<int, I>{})...};
      }(std::make_integer_sequence<int, R>{});
      store(out + g, fold<R>(merge_rows(rows, op), op));
    });
  batches<R>(in, out, groups, size, op, [&](size_t g) __attribute__((always_inline)) {
    const T* const p = in + g * size;
    auto rows = load_rows<T, C, R>(p, size);
    for (size_t done = C; done + C <= size; done += C)
      unrolled<R>([&](auto r)
                      __attribute__((always_inline)) { rows[r] = op(rows[r], load<T, C>(p + r * size + done)); });
    if (left)
      unrolled<R>([&](auto r) __attribute__((always_inline)) {
        const auto last = op(rows[r], load<T, C>(p + r * size + size - C));
        rows[r] = Vec<T, C>::of(fresh ? last.v : rows[r].v);
      });
    store(out + g, fold<R>(merge_rows(rows, op), op));
  });
}

// Lane q * Size + j holds group j * (N / Size) + q.
template <int N, int Size> struct InOrder {
  constexpr int operator()(int g) const { return g % (N / Size) * Size + g / (N / Size); }
};
// The sums of pairs of neighbours.
template <size_t K, class T, int N, class Op>
CROSSLANE_INLINE std::array<Vec<T, N>, K / 2> pairs(const std::array<Vec<T, N>, K>& r, Op op) {
  return [&]<size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    const auto pair = [&](Vec<T, N> a, Vec<T, N> b) __attribute__((always_inline)) {
      const auto two = deinterleave(std::array{a, b});
      return op(two[0], two[1]);
    };
    return std::array<Vec<T, N>, K / 2>{pair(r[2 * I], r[2 * I + 1])...};
  }(std::make_index_sequence<K / 2>{});
}
template <size_t Size, bool Integrated, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> reduce_fields(const std::array<Vec<T, N>, Size>& r, Op op) {
  if constexpr (!Integrated || Size % 2)
    return add_rows(deinterleave(r), op);
  else if constexpr (std::has_single_bit(Size)) {
    const auto sums = merge_rows(r, op);
    return permute(sums, sums, InOrder<N, Size>{});
  } else
    return reduce_fields<Size / 2, Integrated>(pairs(r, op), op);
}
template <size_t Size, bool Integrated, class T, class Op>
void groups_as_fields(const T* in, T* out, size_t groups, Op op) {
  constexpr int N = std::max(register_lanes<T>, int(std::bit_ceil(Size)));
  batches<N>(in, out, groups, Size, op, [&](size_t g) __attribute__((always_inline)) {
    store(out + g, reduce_fields<Size, Integrated>(load_rows<T, N, Size>(in + g * Size, N), op));
  });
}

template <int C, bool Integrated, class T, class Op>
void groups_in_squares(const T* in, T* out, size_t groups, size_t size, Op op) {
  if constexpr (C > 8)
    if (size < C)
      return groups_in_squares<C / 2, Integrated>(in, out, groups, size, op);
  if constexpr (Integrated)
    groups_integrated<C>(in, out, groups, size, op);
  else
    groups_transposed<C>(in, out, groups, size, op);
}
template <bool Integrated, class T, class Op>
void groups_together(const T* in, T* out, size_t groups, size_t size, Op op) {
  // Zen 5: 8 doubles 70 ns as fields, 37 in squares (8 KB).
  if constexpr (Integrated && register_lanes<T> == 4 && compiled_cpu == Cpu::zen5)
    if (size == 6 || size == 8)
      return groups_in_squares<4, true>(in, out, groups, size, op);
  switch (size) {
  case 1: std::copy(in, in + groups, out); return;
  case 2: return groups_as_fields<2, Integrated>(in, out, groups, op);
  case 3: return groups_as_fields<3, Integrated>(in, out, groups, op);
  case 4: return groups_as_fields<4, Integrated>(in, out, groups, op);
  case 5: return groups_as_fields<5, Integrated>(in, out, groups, op);
  case 6: return groups_as_fields<6, Integrated>(in, out, groups, op);
  case 7: return groups_as_fields<7, Integrated>(in, out, groups, op);
  case 8: return groups_as_fields<8, Integrated>(in, out, groups, op);
  default: break;
  }
  if constexpr (Integrated && register_lanes<T> > 16)
    if (size == 16)
      return groups_as_fields<16, true>(in, out, groups, op);
  constexpr int lanes = Integrated ? register_lanes<T> : std::min(register_lanes<T>, 16);
  groups_in_squares<lanes, Integrated>(in, out, groups, size, op);
}
} // namespace detail

template <class T, class Op> void reduce_groups_transposed(const T* in, T* out, size_t groups, size_t size, Op op) {
  detail::groups_together<false>(in, out, groups, size, op);
}
template <class T, class Op> void reduce_groups_integrated(const T* in, T* out, size_t groups, size_t size, Op op) {
  detail::groups_together<true>(in, out, groups, size, op);
}

// The best of the three. Integrated, except that long groups gain nothing from sharing registers, while their odd ends
// cost it more. Measured on Zen 4, in ps per element within L1, each | transposed | integrated | plain loop at -O2:
//   size   u32 AVX-512            f64 AVX-512            u8 AVX-512           u32 AVX2
//      2   442 |  28 |  28 | 452  409 |  69 |  69 | 544  587 |  8 |  8 | 552  408 | 34 | 34 | 542
//      3   318 |  34 |  34 | 455  273 |  63 |  63 | 454  406 |  8 |  8 | 409  298 | 39 | 39 | 453
//      8   137 |  51 |  30 | 306  172 | 121 |  65 | 341  187 | 13 |  8 | 314  171 | 60 | 35 | 340
//     16   103 |  53 |  33 | 205  119 | 108 |  80 | 173   68 | 28 |  9 | 288  103 | 48 | 42 | 306
//     33    58 |  73 |  47 |  68   81 | 121 |  78 | 206   41 | 38 | 17 |  41   62 | 55 | 42 |  57
//    100    33 |  69 |  36 |  46   61 | 134 |  77 | 386   19 | 33 | 15 |  27   28 | 48 | 29 |  30
//    256    30 |  53 |  29 |  34   60 | 110 |  61 | 626   10 | 28 |  8 |  55   28 | 47 | 29 |  50
#ifdef __AVX512BW__
inline constexpr size_t reduce_each_from_registers = 6;
#else
inline constexpr size_t reduce_each_from_registers = size_t(-1) / 64;
#endif
template <class T, class Op> void reduce_groups(const T* in, T* out, size_t groups, size_t size, Op op) {
  constexpr size_t lanes = detail::register_lanes<T>;
  if (size >= reduce_each_from_registers * lanes && size % lanes)
    reduce_groups_each(in, out, groups, size, op);
  else
    reduce_groups_integrated(in, out, groups, size, op);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
