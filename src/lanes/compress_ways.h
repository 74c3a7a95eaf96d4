// Owns the ways to compress and expand one register, each callable by its name so that they can be compared:
//
//   way         level                  8 bit    16 bit     32, 64 bit   instructions
//   native      AVX-512F (VBMI2: 8,16) 16-64 B  16-64 B    16-64 B      1: vpcompress, vpexpand
//   widening    AVX-512F               16 B     16, 32 B   -            3: vpmovzx, vpcompressd, vpmov
//   table, pext AVX2                   16 B     16 B       16, 32 B     3: vpmovsxbd, vpermd, vblendvps; 8 bit: 12
//   loop        every                  any      any        any          about 3 scalar ones per lane, no branches
//
// compress(v, mask): the lanes of v whose bit is set move to the front in order, the rest of the result is zero.
// expand(v, mask): the front of v moves to the lanes whose bit is set, the others are zero. `mask` must have no bits at
// or above N. The table is 2 KB for each direction; pext computes the same eight indexes from the mask, in twice the
// time on Zen 4 (8 x 32 bit: 1.29 ns, table 0.62) and in some hundred cycles before Zen 3: compress.h takes the table.
// Source: Intel, "AVX-512 - Permuting Data Within and Between AVX Registers", 3.4.
#pragma once
#include "lanes/registers.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

enum class Way { native, widening, table, pext, loop };

namespace detail {
// Byte i of entry m: which lane goes to lane i, 0x80 for none (which byte shuffles turn into zero).
struct Rows {
  uint64_t row[256];
};
// Each from the entry with one lane less: the lowest goes in front of it; the highest behind it.
consteval Rows compress_rows() {
  Rows t{{0x8080808080808080}};
  for (unsigned m = 1; m < 256; ++m)
    t.row[m] = t.row[m & (m - 1)] << 8 | unsigned(std::countr_zero(m));
  return t;
}
consteval Rows expand_rows() {
  Rows t{{0x8080808080808080}};
  for (unsigned m = 1; m < 256; ++m) {
    const unsigned lane = 31 - unsigned(std::countl_zero(m)), rest = m ^ 1u << lane;
    t.row[m] = t.row[rest] ^ uint64_t(0x80 ^ std::popcount(rest)) << 8 * lane;
  }
  return t;
}
inline constexpr Rows compress_table = compress_rows(), expand_table = expand_rows();
// Each bit of four, twice: a mask of 64-bit lanes as one of 32-bit lanes.
inline constexpr std::array<uint8_t, 16> twice = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f,
                                                  0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};

#ifdef __AVX512F__
// Overloads over the width of the register for the instructions of one element size.
#define CROSSLANE_COMPRESS(bits, suffix, registers, prefix)                                                            \
  CROSSLANE_INLINE registers compress##bits(uint64_t k, registers v) {                                                 \
    return prefix##_maskz_compress_##suffix(k, v);                                                                     \
  }                                                                                                                    \
  CROSSLANE_INLINE registers expand##bits(uint64_t k, registers v) { return prefix##_maskz_expand_##suffix(k, v); }    \
  CROSSLANE_INLINE registers compress##bits(registers r, uint64_t k, registers v) {                                    \
    return prefix##_mask_compress_##suffix(r, k, v);                                                                   \
  }                                                                                                                    \
  CROSSLANE_INLINE registers expand##bits(registers r, uint64_t k, registers v) {                                      \
    return prefix##_mask_expand_##suffix(r, k, v);                                                                     \
  }
#define CROSSLANE_COMPRESS_WIDTHS(bits, suffix)                                                                        \
  CROSSLANE_COMPRESS(bits, suffix, __m128i, _mm)                                                                       \
  CROSSLANE_COMPRESS(bits, suffix, __m256i, _mm256)                                                                    \
  CROSSLANE_COMPRESS(bits, suffix, __m512i, _mm512)
CROSSLANE_COMPRESS_WIDTHS(32, epi32)
CROSSLANE_COMPRESS_WIDTHS(64, epi64)
#ifdef __AVX512VBMI2__
CROSSLANE_COMPRESS_WIDTHS(8, epi8)
CROSSLANE_COMPRESS_WIDTHS(16, epi16)
#endif
#undef CROSSLANE_COMPRESS_WIDTHS
#undef CROSSLANE_COMPRESS
#endif

#ifdef __AVX2__
// The eight indexes for a mask of eight lanes, by table and by arithmetic.
template <bool Expand, Way By> CROSSLANE_INLINE uint64_t row(uint64_t mask) {
  if constexpr (By == Way::table) {
    return (Expand ? expand_table : compress_table).row[mask];
  } else {
    const uint64_t bytes = _pdep_u64(mask, 0x0101010101010101) * 0xff, lanes = 0x0706050403020100;
    if constexpr (Expand)
      return _pdep_u64(lanes, bytes) | (~bytes & 0x8080808080808080);
    else
      return _pext_u64(lanes, bytes) | (0x8080808080808080 & ~_bzhi_u64(~uint64_t(0), 8 * std::popcount(mask)));
  }
}
// Compresses or expands by indexes: 16 bytes of any element, 32 bytes of 32 and 64-bit elements. `Dirty` leaves
// anything of 32 or 64 bits where nothing comes to.
template <bool Expand, Way By, bool Dirty = false, class T, int N>
CROSSLANE_INLINE Vec<T, N> by_index(Vec<T, N> v, uint64_t mask) {
  const auto from = machine(v);
  if constexpr (sizeof(T) == 8) {
    return reinterpret<T>(by_index<Expand, By, Dirty>(reinterpret<uint32_t>(v), twice[mask]));
  } else if constexpr (sizeof(T) == 4 && N == 8) {
    const __m256i index = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128(int64_t(row<Expand, By>(mask))));
    const __m256i moved = _mm256_permutevar8x32_epi32(from, index);
    if constexpr (Dirty)
      return from_machine<T>(moved);
    // By the sign of "none".
    return from_machine<T>(_mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(moved), _mm256_setzero_ps(), _mm256_castsi256_ps(index))));
  } else if constexpr (sizeof(T) == 4 && N == 4) {
    const __m128i index = _mm_cvtepi8_epi32(_mm_cvtsi64_si128(int64_t(row<Expand, By>(mask))));
    const __m128 moved = _mm_permutevar_ps(_mm_castsi128_ps(from), index);
    if constexpr (Dirty)
      return from_machine<T>(_mm_castps_si128(moved));
    return from_machine<T>(_mm_castps_si128(_mm_blendv_ps(moved, _mm_setzero_ps(), _mm_castsi128_ps(index))));
  } else if constexpr (sizeof(T) == 2 && N == 8) {
    __m128i index = _mm_cvtsi64_si128(int64_t(row<Expand, By>(mask)));
    index = _mm_unpacklo_epi8(index, index);
    index = _mm_or_si128(_mm_adds_epu8(index, index), _mm_set1_epi16(0x0100)); // 2 i, 2 i + 1; "none" saturates
    return from_machine<T>(_mm_shuffle_epi8(from, index));
  } else {
    static_assert(sizeof(T) == 1 && N == 16, "compress: no indexes for this shape");
    const uint64_t low = row<Expand, By>(mask & 0xff), high = row<Expand, By>(mask >> 8);
    const int n = std::popcount(mask & 0xff);
    const uint64_t offset = Expand ? n : 8;
    const __m128i index = _mm_set_epi64x(int64_t(high + offset * 0x0101010101010101), int64_t(low));
    const __m128i moved = _mm_shuffle_epi8(from, index);
    if constexpr (Expand)
      return from_machine<T>(moved);
    // Closes the gap between the halves: lane i from i, or from n lanes later in the upper half.
    const __m128i lane = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m128i later =
        _mm_adds_epu8(_mm_add_epi8(lane, _mm_set1_epi8(char(8 - n))), _mm_set1_epi8(0x70)); // past 15: zero
    const __m128i upper = _mm_cmpgt_epi8(lane, _mm_set1_epi8(char(n - 1)));
    return from_machine<T>(_mm_shuffle_epi8(moved, _mm_blendv_epi8(lane, later, upper)));
  }
}
#endif
} // namespace detail

// Whether a way exists at this level for one register of N lanes of T.
template <Way By, class T, int N> consteval bool has_compress() {
  [[maybe_unused]] constexpr int bytes = sizeof(T) * N;
  if (By == Way::loop)
    return true;
#ifdef __AVX512F__
  if (By == Way::native && (bytes == 16 || bytes == 32 || bytes == 64)) {
#ifdef __AVX512VBMI2__
    return true;
#else
    return sizeof(T) >= 4;
#endif
  }
  if (By == Way::widening)
    return (sizeof(T) == 1 && N == 16) || (sizeof(T) == 2 && (N == 8 || N == 16));
#endif
#ifdef __AVX2__
  if (By == Way::table || By == Way::pext)
    return bytes == 16 || (bytes == 32 && sizeof(T) >= 4);
#endif
  return false;
}

namespace detail {
template <bool Expand, class T, int N> CROSSLANE_INLINE Vec<T, N> by_loop(Vec<T, N> v, uint64_t mask) {
  T in[N + 1], out[N + 1] = {};
  store(in, v);
  in[N] = T(0); // what the last lane of an expansion of everything would read next
  int n = 0;
  for (int i = 0; i < N; ++i) {
    const bool on = mask >> i & 1;
    if constexpr (Expand)
      out[i] = on ? in[n] : T(0);
    else
      out[n] = in[i];
    n += on;
  }
  if constexpr (!Expand)
    out[n] = T(0);
  return load<T, N>(out);
}

template <Way By, bool Expand, class T, int N> CROSSLANE_INLINE Vec<T, N> move(Vec<T, N> v, uint64_t mask) {
  static_assert(has_compress<By, T, N>(), "compress: this way does not exist for this shape at this level");
  if constexpr (By == Way::loop)
    return by_loop<Expand>(v, mask);
#ifdef __AVX512F__
  else if constexpr (By == Way::native) {
    const auto r = machine(v);
    if constexpr (sizeof(T) == 8)
      return from_machine<T>(Expand ? expand64(mask, r) : compress64(mask, r));
    else if constexpr (sizeof(T) == 4)
      return from_machine<T>(Expand ? expand32(mask, r) : compress32(mask, r));
#ifdef __AVX512VBMI2__
    else if constexpr (sizeof(T) == 2)
      return from_machine<T>(Expand ? expand16(mask, r) : compress16(mask, r));
    else
      return from_machine<T>(Expand ? expand8(mask, r) : compress8(mask, r));
#endif
  } else if constexpr (By == Way::widening) {
    const auto wide = convert<uint32_t>(bitcast<unsigned_of<sizeof(T)>>(v));
    return bitcast<T>(convert<unsigned_of<sizeof(T)>>(move<Way::native, Expand>(wide, mask)));
  }
#endif
#ifdef __AVX2__
  else
    return by_index<Expand, By>(v, mask);
#endif
}
} // namespace detail

template <Way By, class T, int N> CROSSLANE_INLINE Vec<T, N> compress_by(Vec<T, N> v, uint64_t mask) {
  return detail::move<By, false>(v, mask);
}
template <Way By, class T, int N> CROSSLANE_INLINE Vec<T, N> expand_by(Vec<T, N> v, uint64_t mask) {
  return detail::move<By, true>(v, mask);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
