// Owns prefix scans: every element combined with all before it.
//
//   inclusive_scan(v, Sum{})                  lane i gets v0 + ... + vi
//   exclusive_scan(v, Min{})                  lane i gets the least of v0 to v(i-1); lane 0 the identity
//   inclusive_scan<8>(v, Or{})                within each group of 8 lanes (any power of two)
//   inclusive_scan<0, Scan::backward>(v, op)  lane i gets vi + ... + vlast
//   segmented_inclusive_scan(v, flags, op)    a set bit in `flags` begins a segment at its lane (backward: ends one)
//   inclusive_scan(in, out, n, op)            arrays; out may be in; returns the total
//
// Integers of 8 to 64 bits (sums wrap), float and double, Vecs of up to 256 bytes (segmented: up to 64 lanes).
// Operations: Sum, Min, Max, And, Or, Xor, or any type with `static T identity<T>()` and op(Vec, Vec) -> Vec for every
// length that is associative; it need not be commutative, the earlier element is the first argument.
//
// Order of float additions, the same at every level: a group is scanned in halves, and the total of the first half is
// added in front of each element of the second: lane 6 is ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + x6). An array is
// scanned in blocks of 64 bytes, from the end when backward, and the total of all earlier blocks is added in front.
// Cost: per doubling of the group one permute and one operation (under a mask with AVX-512); 16 x 32 bit: 8
// instructions. Arrays of integers with AVX2 by windows; Zen 3, 8 KB, ns, by blocks | by windows | a loop:
//   8 bit 576 | 421 | 2600    16 bit 501 | 297 | 1290    32 bit 423 | 231 | 650    64 bit 329 | 126 | 323
#pragma once
#include "lanes/operations.h"
#include "lanes/permute.h"
#include "lanes/registers.h"
#include <cstddef>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Scan { forward, backward };

namespace detail {
// The lane before which a combination of blocks of S lanes joins lane i to the block on its side; -1: lane i keeps.
template <Scan D> constexpr int joins(int i, int s) {
  if (D == Scan::forward)
    return (i & s) ? i / s * s - 1 : -1;
  return (i & s) ? -1 : (i / s + 1) * s;
}
// Those lanes that it joins, as bits.
template <Scan D> consteval uint64_t joining(int s) {
  uint64_t lanes = 0;
  for (int i = 0; i < 64; ++i)
    lanes |= uint64_t(joins<D>(i, s) >= 0) << i;
  return lanes;
}
template <Scan D, class Op, class V> CROSSLANE_INLINE V in_order(Op op, V earlier_in_scan, V later_in_scan) {
  return D == Scan::forward ? op(earlier_in_scan, later_in_scan) : op(later_in_scan, earlier_in_scan);
}

// Blocks of S lanes become blocks of 2 S.
template <int S, Scan D, class T, int N, class Op> CROSSLANE_INLINE Vec<T, N> scan_step(Vec<T, N> v, Op op) {
#ifndef __AVX512F__
  // Without masks, adding zeros is cheaper than blending; not for floats, as -0 + 0 is 0.
  if constexpr (std::is_integral_v<T> && (std::is_same_v<Op, Sum> || std::is_same_v<Op, Or> || std::is_same_v<Op, Xor>))
    return op(v, permute(v, [](auto i) { return joins<D>(i, S) < 0 ? zero : joins<D>(i, S); }));
  else
#endif
  {
    const auto from = permute(v, [](auto i) { return joins<D>(i, S) < 0 ? dont_care : joins<D>(i, S); });
    const auto joined = in_order<D>(op, from, v);
#ifdef __AVX512F__
    if constexpr (N <= 64) {
      // A mask that the compiler does not see through: else it undoes the masked operation, to take the next step's
      // permute from before the blend.
      uint64_t lanes = joining<D>(S) & low_bits(N);
      asm("" : "+r"(lanes));
      return blend<T, N>(lanes, joined, v);
    } else
#endif
      return [&]<int... I>(std::integer_sequence<int, I...>) {
        return Vec<T, N>::of(__builtin_shufflevector(v.v, joined.v, (joins<D>(I, S) < 0 ? I : N + I)...));
      }(std::make_integer_sequence<int, N>{});
  }
}

// From groups of Done lanes to groups of Group.
template <int Done, int Group, Scan D, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> scan_from(Vec<T, N> v, Op op) {
  if constexpr (Done >= Group) {
    return v;
  } else if constexpr (sizeof(v) > register_bytes) {
    constexpr int half = N / 2;
    auto low = scan_from<Done, (Group < half ? Group : half), D>(part<half, 0>(v), op);
    auto high = scan_from<Done, (Group < half ? Group : half), D>(part<half, 1>(v), op);
    if constexpr (Group == N) {
      if constexpr (D == Scan::forward)
        high = op(permute(low, [](auto) { return half - 1; }), high);
      else
        low = op(low, permute(high, [](auto) { return 0; }));
    }
    return join(low, high);
  } else {
    return scan_from<2 * Done, Group, D>(scan_step<Done, D>(v, op), op);
  }
}

// Every lane gets the one before it in the scan; the first of each group gets the lane of `first`.
template <int Group, Scan D, class T, int N> CROSSLANE_INLINE Vec<T, N> delay(Vec<T, N> v, Vec<T, N> first) {
  return permute(v, first, [](auto i) {
    if (D == Scan::forward)
      return i % Group == 0 ? N + i : i - 1;
    return i % Group == Group - 1 ? N + i : i + 1;
  });
}
} // namespace detail

// Group 0 is the whole vector.
template <int Group = 0, Scan D = Scan::forward, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> inclusive_scan(Vec<T, N> v, Op op) {
  constexpr int group = Group == 0 ? N : Group;
  static_assert(group <= N && (group & (group - 1)) == 0, "scan: groups are powers of two, up to the vector");
  return detail::scan_from<1, group, D>(v, op);
}

template <int Group = 0, Scan D = Scan::forward, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> exclusive_scan(Vec<T, N> v, Op op) {
  constexpr int group = Group == 0 ? N : Group;
  const auto inclusive = inclusive_scan<Group, D>(v, op);
  if constexpr (std::is_integral_v<T> && std::is_same_v<Op, Sum>)
    return inclusive - v;
  else if constexpr (std::is_same_v<Op, Xor>)
    return inclusive ^ v;
  else
    return detail::delay<group, D>(inclusive, Vec<T, N>(Op::template identity<T>()));
}

namespace detail {
// Lanes that a combination of blocks of s lanes joins: those of the upper block up to its first flag. Adding one at the
// block's first lane runs as a carry through lanes without a flag, and no further than into the next lower block.
constexpr uint64_t reached(uint64_t flags, unsigned s) {
  uint64_t upper = 0, first = 0;
  for (unsigned i = 0; i < 64; ++i) {
    if (i & s)
      upper |= uint64_t(1) << i;
    if (i % (2 * s) == s)
      first |= uint64_t(1) << i;
  }
  const uint64_t open = ~flags & upper;
  return open & ~(open + first);
}
template <int S, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> segmented_from(Vec<T, N> v, uint64_t flags, Op op) {
  if constexpr (S >= N) {
    return v;
  } else {
    const auto from =
        permute(v, [](auto i) { return joins<Scan::forward>(i, S) < 0 ? dont_care : joins<Scan::forward>(i, S); });
    return segmented_from<2 * S>(blend<T, N>(reached(flags, S), op(from, v), v), flags, op);
  }
}
template <class T, int N> CROSSLANE_INLINE Vec<T, N> reversed(Vec<T, N> v) {
  return permute(v, [](auto i) { return N - 1 - i; });
}
template <class Op> struct Flipped {
  Op op;
  template <class T> static constexpr T identity() { return Op::template identity<T>(); }
  template <class T, int N> CROSSLANE_INLINE Vec<T, N> operator()(Vec<T, N> a, Vec<T, N> b) const { return op(b, a); }
};
} // namespace detail

template <Scan D = Scan::forward, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> segmented_inclusive_scan(Vec<T, N> v, std::type_identity_t<LaneMask<N>> flags, Op op) {
  static_assert(N <= 64, "scan: segments of at most 64 lanes");
  if constexpr (D == Scan::forward)
    return detail::segmented_from<1>(v, flags.word[0], op);
  else
    return detail::reversed(segmented_inclusive_scan(
        detail::reversed(v), __builtin_bitreverse64(flags.word[0]) >> (64 - N), detail::Flipped<Op>{op}));
}

template <Scan D = Scan::forward, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> segmented_exclusive_scan(Vec<T, N> v, std::type_identity_t<LaneMask<N>> flags, Op op) {
  const Vec<T, N> identity(Op::template identity<T>());
  const auto before = detail::delay<N, D>(segmented_inclusive_scan<D>(v, flags, op), identity);
  return detail::blend<T, N>(flags.word[0], identity, before);
}

namespace detail {
// Both kinds of array scan; blocks of 64 bytes, the part that fills none comes last.
template <bool Inclusive, Scan D, class T, class Op> T scan_array(const T* in, T* out, size_t n, Op op) {
  constexpr int lanes = 64 / sizeof(T);
  constexpr T identity = Op::template identity<T>();
  using V = Vec<T, lanes>;
  V carry(identity);
  bool begun = false; // the first block is not combined with the identity: -0 would not survive it
  const auto block = [&](V v) {
    const auto scanned = inclusive_scan<0, D>(v, op);
    const auto total = permute(scanned, [](auto) { return D == Scan::forward ? 64 / int(sizeof(T)) - 1 : 0; });
    const auto all = begun ? in_order<D>(op, carry, scanned) : scanned;
    const auto result = Inclusive ? all : delay<lanes, D>(all, carry);
    carry = begun ? in_order<D>(op, carry, total) : total;
    begun = true;
    return result;
  };
  size_t done = 0;
  for (; n - done >= lanes; done += lanes) {
    const size_t at = D == Scan::forward ? done : n - done - lanes;
    store(out + at, block(load<T, lanes>(in + at)));
  }
  if (const size_t rest = n - done) {
    T padded[lanes];
    const size_t at = D == Scan::forward ? done : 0, shift = D == Scan::forward ? 0 : lanes - rest;
    for (T& p : padded)
      p = identity;
    std::memcpy(padded + shift, in + at, rest * sizeof(T));
    store(padded, block(load<T, lanes>(padded)));
    std::memcpy(out + at, padded + shift, rest * sizeof(T));
  }
  return part<1, 0>(carry).v;
}

#if defined(__AVX2__) && !defined(__AVX512F__)
// Lane i gets lane i - L of what precedes it in the scan: `before` is the block before v.
template <int L, Scan D, class T, int N> CROSSLANE_INLINE Vec<T, N> lagged(Vec<T, N> before, Vec<T, N> v) {
  if constexpr (D == Scan::forward)
    return permute(before, v, [](auto i) { return N + i - L; });
  else
    return permute(v, before, [](auto i) { return i + L; });
}
// Combinations of 2 L elements from those of L, for a register.
template <int L, Scan D, class T, int N, class Op>
CROSSLANE_INLINE Vec<T, N> widened(Vec<T, N>* before, Vec<T, N> v, Op op) {
  if constexpr (L == N)
    return v;
  else {
    const auto wide = in_order<D>(op, lagged<L, D>(*before, v), v);
    *before = v;
    return widened<2 * L, D>(before + 1, wide, op);
  }
}

// Integers: lane i of a block is lane i of the block before it combined with the N elements that end there, N the lanes
// of a register. Combinations of up to `Loaded` elements come by loads that begin further ahead, which leaves one
// permute of 64-bit elements where a scan of the block and its total take six.
template <bool Inclusive, Scan D, class T, class Op> T scan_by_windows(const T* in, T* out, size_t n, Op op) {
  constexpr int N = register_bytes / sizeof(T), Loaded = sizeof(T) == 8 ? 2 : 4;
  constexpr ptrdiff_t ahead = D == Scan::forward ? 1 : -1;
  using V = Vec<T, N>;
  const V identity(Op::template identity<T>());
  V before[6], sums = identity; // sums: of all up to lane i
  for (V& b : before)
    b = identity;
  const auto place = [n](size_t done) { return D == Scan::forward ? done : n - done - N; };
  size_t done = 0;
  if (n >= N) {
    const V first = load<T, N>(in + place(0));
    V v = first, window = in_order<D>(op, lagged<1, D>(identity, v), v);
    if constexpr (Loaded == 4)
      window = in_order<D>(op, lagged<2, D>(identity, window), window);
    while (true) {
      const V earlier = sums;
      sums = in_order<D>(op, earlier, widened<Loaded, D>(before, window, op));
      V result = sums;
      if constexpr (!Inclusive && std::is_same_v<Op, Sum>)
        result = sums - v;
      else if constexpr (!Inclusive && std::is_same_v<Op, Xor>)
        result = sums ^ v;
      else if constexpr (!Inclusive)
        result = lagged<1, D>(earlier, sums);
      T* const to = out + place(done);
      done += N;
      if (n - done < N) {
        store(to, result);
        break;
      }
      // Read before it is written, if out is in.
      const T* const p = in + place(done);
      v = load<T, N>(p), window = in_order<D>(op, load<T, N>(p - ahead), v);
      if constexpr (Loaded == 4)
        window = in_order<D>(op, in_order<D>(op, load<T, N>(p - 3 * ahead), load<T, N>(p - 2 * ahead)), window);
      store(to, result);
    }
  }
  auto total = D == Scan::forward ? part<1, N - 1>(sums) : part<1, 0>(sums);
  for (; done < n; ++done) {
    const size_t at = D == Scan::forward ? done : n - done - 1;
    const auto all = in_order<D>(op, total, load<T, 1>(in + at));
    store(out + at, Inclusive ? all : total);
    total = all;
  }
  return total.v;
}
#endif

template <bool Inclusive, Scan D, class T, class Op> T scan_any(const T* in, T* out, size_t n, Op op) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  if constexpr (std::is_integral_v<T>)
    return scan_by_windows<Inclusive, D>(in, out, n, op);
  else
#endif
    return scan_array<Inclusive, D>(in, out, n, op);
}
} // namespace detail

// Arrays of n elements; returns the combination of all, for n = 0 the identity.
template <Scan D = Scan::forward, class T, class Op> T inclusive_scan(const T* in, T* out, size_t n, Op op) {
  return detail::scan_any<true, D>(in, out, n, op);
}
template <Scan D = Scan::forward, class T, class Op> T exclusive_scan(const T* in, T* out, size_t n, Op op) {
  return detail::scan_any<false, D>(in, out, n, op);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
