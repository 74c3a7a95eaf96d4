// Owns movements of bits within bytes and within elements of 64 bits: 8 x 8 bit matrices and bit permutations. GFNI has
// the multiplication by a bit matrix as an instruction (vgf2p8affineqb). Shifts and rotates of bytes are in
// byte_shift.h.
//
//   affine<M>(v), affine(v, m)              each byte times an 8 x 8 bit matrix, known at compile time or not
//   transpose_bits(v)                       each 64-bit element as 8 rows of 8 bits: bit j of byte i becomes bit i of j
//   permute_bits(bytes, [](auto i) {...})   bit i of each byte is bit f(i) of it, or `zero`
//   permute_bits(qwords, [](auto i) {...})  the same for the 64 bits of each element
//   reverse_bits_in_bytes(v)
//
// v is a Vec of bytes or of 64-bit elements, 16 to 256 bytes. Instructions per register, constants not counted:
//
//                             GFNI          AVX-512BW   AVX2   plain x86-64
//   affine<M>                 1             6           6      7 a column
//   affine(v, m), one m       2             45          68     100
//   transpose_bits            2             11          21     21
//   permute_bits of bytes     1             6           6      7 a column
//   permute_bits of 64 bits   1 to 16       5 for each bit position, or for each distance that bits move
//     bytes and bits apart    2; after a transposition 4
//
// The 1 to 16 are vpmultishiftqb of VBMI and one more to gather, for each of the different distances that one byte's
// bits move: 1 for rotations, 16 for a random permutation of 64 bits, which is 2 instructions for each element. Source:
// Intel, "Galois Field New Instructions (GFNI) Technology Guide"; Warren, "Hacker's Delight", 7-3.
#pragma once
#include "lanes/multishift.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Bit i of a product is the parity of row[i] & byte. (The instruction wants row 0 in the highest byte; nobody else
// does.)
struct BitMatrix {
  std::array<uint8_t, 8> row;
  constexpr uint8_t operator()(uint8_t byte) const {
    unsigned out = 0;
    for (int i = 0; i < 8; ++i)
      out |= unsigned(std::popcount(uint8_t(row[i] & byte)) & 1) << i;
    return uint8_t(out);
  }
  // Row i in byte i.
  constexpr uint64_t bits() const {
    uint64_t m = 0;
    for (int i = 0; i < 8; ++i)
      m |= uint64_t(row[i]) << 8 * i;
    return m;
  }
};

// The matrix that makes bit i of its product bit f(i) of the factor; none for indexes outside.
template <class F> consteval BitMatrix bit_permutation(F f) {
  BitMatrix m{};
  for (int i = 0; i < 8; ++i)
    m.row[i] = f(i) >= 0 && f(i) < 8 ? uint8_t(1 << f(i)) : uint8_t(0);
  return m;
}

namespace detail {
#ifdef __GFNI__
template <int Add> CROSSLANE_INLINE __m128i times(__m128i v, __m128i m) {
  return _mm_gf2p8affine_epi64_epi8(v, m, Add);
}
#ifdef __AVX2__
template <int Add> CROSSLANE_INLINE __m256i times(__m256i v, __m256i m) {
  return _mm256_gf2p8affine_epi64_epi8(v, m, Add);
}
#endif
#if defined(__AVX512BW__) && defined(__AVX512VL__)
template <int Add> CROSSLANE_INLINE __m512i times(__m512i v, __m512i m) {
  return _mm512_gf2p8affine_epi64_epi8(v, m, Add);
}
#endif
template <int Add = 0, int N, int Q> CROSSLANE_INLINE Vec<uint8_t, N> gfni(Vec<uint8_t, N> v, Vec<uint64_t, Q> matrix) {
  return by_parts<register_bytes>(
      []<int P>(Vec<uint8_t, P> x, Vec<uint64_t, P / 8> m) {
        return from_machine<uint8_t>(times<Add>(machine(x), machine(m)));
      },
      v, matrix);
}
#endif

#ifdef __AVX2__
CROSSLANE_INLINE __m128i shuffled(__m128i table, __m128i index) { return _mm_shuffle_epi8(table, index); }
CROSSLANE_INLINE __m256i shuffled(__m128i table, __m256i index) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), index);
}
#ifdef __AVX512BW__
CROSSLANE_INLINE __m512i shuffled(__m128i table, __m512i index) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(table), index);
}
#endif
#endif

template <int N>
CROSSLANE_INLINE Vec<uint8_t, N> shuffle_table(const std::array<uint8_t, 16>& table, Vec<uint8_t, N> index) {
  [[maybe_unused]] const auto t = load<uint8_t, 16>(table.data());
#ifdef __AVX2__
  return by_parts<register_bytes>([t](auto i) { return from_machine<uint8_t>(shuffled(machine(t), machine(i))); },
                                  index);
#else
  return index; // not called: plain x86-64 has no byte shuffle
#endif
}

// All-ones bytes where bit J is set.
template <int J, int N> CROSSLANE_INLINE Vec<uint8_t, N> has_bit(Vec<uint8_t, N> v) {
  return Vec<uint8_t, N>::of(
      __builtin_bit_cast(raw_t<uint8_t, N>, (v & Vec<uint8_t, N>(uint8_t(1 << J))).v != raw_t<uint8_t, N>(uint8_t(0))));
}
} // namespace detail

// Each byte becomes M * byte ^ Add.
template <BitMatrix M, uint8_t Add = 0, int N> CROSSLANE_INLINE Vec<uint8_t, N> affine(Vec<uint8_t, N> v) {
#if defined(__GFNI__)
  return detail::gfni<Add>(v, Vec<uint64_t, N / 8>(__builtin_bswap64(M.bits())));
#elif defined(__AVX2__)
  // Linear: the product of a byte is that of its lower half plus that of its upper half.
  static constexpr auto table = [] {
    std::array<std::array<uint8_t, 16>, 2> t{};
    for (unsigned i = 0; i < 16; ++i)
      t[0][i] = uint8_t(M(uint8_t(i)) ^ Add), t[1][i] = M(uint8_t(i << 4));
    return t;
  }();
  const Vec<uint8_t, N> low = v & Vec<uint8_t, N>(0x0f);
  const Vec<uint8_t, N> high =
      reinterpret<uint8_t>(reinterpret<uint16_t>(v) >> Vec<uint16_t, N / 2>(4)) & Vec<uint8_t, N>(0x0f);
  return detail::shuffle_table(table[0], low) ^ detail::shuffle_table(table[1], high);
#else
  Vec<uint8_t, N> sum(Add);
  unrolled<8>([&](auto j) { sum = sum ^ (detail::has_bit<j>(v) & Vec<uint8_t, N>(M(uint8_t(1 << j)))); });
  return sum;
#endif
}

template <int Q> CROSSLANE_INLINE Vec<uint64_t, Q> transpose_bits(Vec<uint64_t, Q> v) {
#ifdef __GFNI__
  // The unit matrix times v is v turned, with rows counted from the other end.
  const auto from_above = permute(reinterpret<uint8_t>(v), [](auto i) { return i ^ 7; });
  return reinterpret<uint64_t>(detail::gfni(reinterpret<uint8_t>(Vec<uint64_t, Q>(uint64_t(0x8040201008040201))),
                                            reinterpret<uint64_t>(from_above)));
#else
  // Swaps the off-diagonal quarters of 2 x 2, 4 x 4 and 8 x 8 bits.
  const auto swap = [](Vec<uint64_t, Q> x, uint64_t mask, uint64_t distance) {
    const auto t = (x ^ (x >> Vec<uint64_t, Q>(distance))) & Vec<uint64_t, Q>(mask);
    return x ^ t ^ (t << Vec<uint64_t, Q>(distance));
  };
  return swap(swap(swap(v, 0x00aa00aa00aa00aa, 7), 0x0000cccc0000cccc, 14), 0x00000000f0f0f0f0, 28);
#endif
}

// Each byte times the matrix of its 64-bit element: row i of it in byte i of the element.
template <int N, int Q> CROSSLANE_INLINE Vec<uint8_t, N> affine(Vec<uint8_t, N> v, Vec<uint64_t, Q> matrix) {
  static_assert(N == 8 * Q, "affine: one matrix for 8 bytes");
#ifdef __GFNI__
  return detail::gfni(v, reinterpret<uint64_t>(permute(reinterpret<uint8_t>(matrix), [](auto i) { return i ^ 7; })));
#else
  const auto columns = reinterpret<uint8_t>(transpose_bits(matrix));
  Vec<uint8_t, N> sum(uint8_t(0));
  unrolled<8>([&](auto j) {
    sum = sum ^ (detail::has_bit<j>(v) & permute(columns, [](auto i) { return i / 8 * 8 + decltype(j)::value; }));
  });
  return sum;
#endif
}
// Each byte times one matrix.
template <int N> CROSSLANE_INLINE Vec<uint8_t, N> affine(Vec<uint8_t, N> v, BitMatrix m) {
#ifdef __GFNI__
  return detail::gfni(v, Vec<uint64_t, N / 8>(__builtin_bswap64(m.bits())));
#else
  return affine(v, Vec<uint64_t, N / 8>(m.bits()));
#endif
}

template <int N, class F> CROSSLANE_INLINE Vec<uint8_t, N> permute_bits(Vec<uint8_t, N> v, F) {
  static_assert(std::is_empty_v<F>, "permute_bits: the lambda must not capture");
  return affine<bit_permutation([](int i) { return int(F{}(i)); })>(v);
}
template <int N> CROSSLANE_INLINE Vec<uint8_t, N> reverse_bits_in_bytes(Vec<uint8_t, N> v) {
  return permute_bits(v, [](int i) { return 7 - i; });
}

namespace detail {
// How the 64 bits of an element move.
struct Moves {
  std::array<int, 64> from;                   // -1: zero
  bool bytes_then_bits = true, turned = true; // f(8 b + i) is 8 g(b) + h(i), or 8 h(i) + g(b)
  // Bit i of byte b in round r: taken from the 8 bits that start at `start`.
  int rounds = 0;
  std::array<std::array<uint8_t, 8>, 8> start{}, mask{};
  // The different distances of all bits, with the bits that move by each.
  int distances = 0;
  std::array<int, 64> distance{};
  std::array<uint64_t, 64> moved{};
};
template <class F> consteval Moves moves() {
  Moves m{};
  for (int i = 0; i < 64; ++i) {
    const int from = int(F{}(i));
    if (from < zero || from >= 64)
      throw "permute_bits: the lambda names a bit outside of the element";
    m.from[i] = from < 0 ? -1 : from;
  }
  for (int i = 0; i < 64; ++i) {
    const int f = m.from[i], b = i / 8, k = i % 8;
    const auto part = [&](int at, bool upper) { return m.from[at] < 0 ? -1 : upper ? m.from[at] / 8 : m.from[at] % 8; };
    if (f < 0 || part(i, true) != part(8 * b, true) || part(i, false) != part(k, false))
      m.bytes_then_bits = false;
    if (f < 0 || part(i, false) != part(8 * b, false) || part(i, true) != part(k, true))
      m.turned = false;
    if (f < 0)
      continue;
    const int d = (f - k) & 63, away = (f - i) & 63;
    int r = 0;
    while (m.mask[r][b] != 0 && m.start[r][b] != d)
      ++r;
    m.start[r][b] = uint8_t(d), m.mask[r][b] |= uint8_t(1 << k);
    m.rounds = r + 1 > m.rounds ? r + 1 : m.rounds;
    int n = 0;
    while (n < m.distances && m.distance[n] != away)
      ++n;
    m.distance[n] = away, m.moved[n] |= uint64_t(1) << i;
    m.distances = n + 1 > m.distances ? n + 1 : m.distances;
  }
  return m;
}
template <class F> inline constexpr Moves moves_of = moves<F>();
template <class T, int N> CROSSLANE_INLINE Vec<T, N> repeated(const std::array<uint8_t, 8>& a) {
  return reinterpret<T>(Vec<uint64_t, N* int(sizeof(T)) / 8>(__builtin_bit_cast(uint64_t, a)));
}
} // namespace detail

// By whole fields of 8 bits: the way of VBMI, right everywhere.
template <int Q, class F> CROSSLANE_INLINE Vec<uint64_t, Q> permute_bits_by_multishift(Vec<uint64_t, Q> v, F) {
  Vec<uint64_t, Q> sum(uint64_t(0));
  unrolled<detail::moves_of<F>.rounds>([&](auto r) {
    const auto fields = multishift(v, [](auto i) { return detail::moves_of<F>.start[decltype(r)::value][i % 8]; });
    sum = sum | (reinterpret<uint64_t>(fields) & detail::repeated<uint64_t, Q>(detail::moves_of<F>.mask[r]));
  });
  return sum;
}
// By bit position: the byte with the wanted bit comes to its place by a byte shuffle, and is tested for it.
template <int Q, class F> CROSSLANE_INLINE Vec<uint64_t, Q> permute_bits_by_test(Vec<uint64_t, Q> v, F) {
  using Bytes = Vec<uint8_t, 8 * Q>;
  Bytes sum(uint8_t(0));
  unrolled<8>([&](auto k) {
    static constexpr auto wanted = [] {
      std::array<uint8_t, 8> w{};
      for (int b = 0; b < 8; ++b)
        w[b] = detail::moves_of<F>.from[8 * b + decltype(k)::value] < 0
                   ? 0
                   : uint8_t(1 << detail::moves_of<F>.from[8 * b + decltype(k)::value] % 8);
      return w;
    }();
    const Bytes there = permute(reinterpret<uint8_t>(v), [](auto i) {
      const int from = detail::moves_of<F>.from[i % 8 * 8 + decltype(k)::value];
      return i / 8 * 8 + (from < 0 ? 0 : from / 8); // no don't-care: poison & 0 is poison
    });
    const auto hit = (there & detail::repeated<uint8_t, 8 * Q>(wanted)).v != raw_t<uint8_t, 8 * Q>(uint8_t(0));
    sum = sum | (Bytes::of(__builtin_bit_cast(raw_t<uint8_t, 8 * Q>, hit)) & Bytes(uint8_t(1 << k)));
  });
  return reinterpret<uint64_t>(sum);
}
// By distance: all bits that move as far are rotated at once.
template <int Q, class F> CROSSLANE_INLINE Vec<uint64_t, Q> permute_bits_by_rotation(Vec<uint64_t, Q> v, F) {
  Vec<uint64_t, Q> sum(uint64_t(0));
  unrolled<detail::moves_of<F>.distances>([&](auto n) {
    constexpr uint64_t d = detail::moves_of<F>.distance[n];
    auto turned = v;
    if constexpr (d != 0)
      turned = (v >> Vec<uint64_t, Q>(d)) | (v << Vec<uint64_t, Q>(64 - d));
    sum = sum | (turned & Vec<uint64_t, Q>(detail::moves_of<F>.moved[n]));
  });
  return sum;
}

template <int Q, class F> CROSSLANE_INLINE Vec<uint64_t, Q> permute_bits(Vec<uint64_t, Q> v, F f) {
  static_assert(std::is_empty_v<F>, "permute_bits: the lambda must not capture");
  [[maybe_unused]] constexpr auto& m = detail::moves_of<F>;
#if defined(__GFNI__)
  if constexpr (m.rounds > 1 && (m.bytes_then_bits || (m.turned && m.rounds > 2))) {
    const auto x = m.bytes_then_bits ? v : transpose_bits(v);
    const auto bytes = permute(reinterpret<uint8_t>(x), [](auto i) {
      const int from = detail::moves_of<F>.from[i % 8 * 8];
      return i / 8 * 8 + (detail::moves_of<F>.bytes_then_bits ? from / 8 : from % 8);
    });
    return reinterpret<uint64_t>(permute_bits(bytes, [](int i) {
      const int from = detail::moves_of<F>.from[i];
      return detail::moves_of<F>.bytes_then_bits ? from % 8 : from / 8;
    }));
  } else
#endif
#if defined(__AVX512VBMI__)
    return permute_bits_by_multishift(v, f);
#elif defined(__AVX2__)
  if constexpr (m.distances < 8)
    return permute_bits_by_rotation(v, f);
  else
    return permute_bits_by_test(v, f);
#else
  return permute_bits_by_rotation(v, f);
#endif
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
