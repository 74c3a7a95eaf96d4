// Owns byte and field moves inside of each 32-bit lane, for one lane (plain arithmetic) and for many (shuffles of
// bytes, shifts where they are cheaper): one spelling for both.
//
//   select_bytes(high, low, selector)     every byte of the result is a byte of {high, low}, a sign, or a constant
//   extract_field<Signed>(v, left, right) (v << left) >> right: a byte or half at any place, with its sign or zeros
//   insert_field(old, v, field, shift)    old with the bits field << shift replaced by those of v
//   select_halves(v, low, high)           {half `high` of v, half `low` of v}
#pragma once
#include "lanes/vec.h"
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

template <bool Signed, int N>
CROSSLANE_INLINE Vec<uint32_t, N> extract_field(Vec<uint32_t, N> v, Vec<uint32_t, N> left, Vec<uint32_t, N> right) {
  const auto top = v << left;
  if constexpr (Signed)
    return bitcast<uint32_t>(bitcast<int32_t>(top) >> bitcast<int32_t>(right));
  else
    return top >> right;
}

template <int N>
CROSSLANE_INLINE Vec<uint32_t, N> insert_field(Vec<uint32_t, N> old, Vec<uint32_t, N> v, Vec<uint32_t, N> field,
                                               Vec<uint32_t, N> shift) {
  return (old & ~(field << shift)) | (v & field) << shift;
}

// Halves are numbered from the low one; the same choice for all lanes.
template <int N> CROSSLANE_INLINE Vec<uint32_t, N> select_halves(Vec<uint32_t, N> v, int low, int high) {
  using V = Vec<uint32_t, N>;
  return (v >> V(uint32_t(low) * 16) & V(0xffffu)) | (v >> V(uint32_t(high) * 16)) << V(16u);
}

namespace detail {
// By selector: place in the dword | 0x10 where the high dword has it; 0x80 makes 0 of it. Selectors of 13 up are
// brought to 13.
alignas(16) inline constexpr uint8_t select_bytes_table[16] = {0, 1, 2,    3,    0x10, 0x11, 0x12, 0x13,
                                                               1, 3, 0x11, 0x13, 0x80, 0x80, 0x80, 0x80};
inline constexpr uint32_t select_bytes_lanes[4] = {0, 0x04040404, 0x08080808, 0x0c0c0c0c};

template <int N>
CROSSLANE_INLINE Vec<uint32_t, N> select_byte(Vec<uint32_t, N> high, Vec<uint32_t, N> low, Vec<uint32_t, N> selector) {
  using V = Vec<uint32_t, N>;
  const V odd = (selector & V(3u)) << V(1u) | V(1u), index = select(selector < V(8u), selector & V(7u), odd);
  const V picked = (select((index & V(4u)) == V(0u), low, high) >> ((index & V(3u)) << V(3u))) & V(0xffu);
  V d = select(selector < V(8u), picked, select((picked & V(0x80u)) != V(0u), V(0xffu), V(0u)));
  d = select(selector == V(12u), V(0u), d);
  return select(selector > V(12u), V(0xffu), d);
}
template <int N>
CROSSLANE_INLINE Vec<uint32_t, N> select_bytes_by_shifts(Vec<uint32_t, N> high, Vec<uint32_t, N> low,
                                                         Vec<uint32_t, N> selector) {
  using V = Vec<uint32_t, N>;
  const auto byte = [&](uint32_t b) { return select_byte(high, low, selector >> V(8 * b) & V(0xffu)) << V(8 * b); };
  return byte(0) | byte(1) | byte(2) | byte(3);
}
} // namespace detail

// Byte b of each lane by byte b of the selector: 0 to 3 byte of `low`, 4 to 7 byte of `high`; 8 to 11 eight times the
// sign of byte 1 or 3 of `low`, 1 or 3 of `high`; 12 is 0x00, more is 0xff.
template <int N>
CROSSLANE_INLINE Vec<uint32_t, N> select_bytes(Vec<uint32_t, N> high, Vec<uint32_t, N> low, Vec<uint32_t, N> selector) {
#if defined(__AVX512BW__)
  if constexpr (N == 16) {
    const __m512i a = __builtin_bit_cast(__m512i, low.v), b = __builtin_bit_cast(__m512i, high.v),
                  s = __builtin_bit_cast(__m512i, selector.v);
    const __m512i table =
        _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(detail::select_bytes_table)));
    const __m512i place = _mm512_shuffle_epi8(table, _mm512_min_epu8(s, _mm512_set1_epi8(13)));
    const __m512i index = _mm512_or_si512(
        place, _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(detail::select_bytes_lanes))));
    const __mmask64 from_high = _mm512_test_epi8_mask(place, _mm512_set1_epi8(0x10));
    __m512i d = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(a, index), from_high, b, index);
    if (const __mmask64 special = _mm512_cmpgt_epu8_mask(s, _mm512_set1_epi8(7)); __builtin_expect(special != 0, 0)) {
      d = _mm512_mask_mov_epi8(d, special, _mm512_movm_epi8(_mm512_movepi8_mask(d)));
      d = _mm512_mask_mov_epi8(d, _mm512_cmpgt_epu8_mask(s, _mm512_set1_epi8(12)), _mm512_set1_epi8(-1));
    }
    return Vec<uint32_t, N>::of(__builtin_bit_cast(raw_t<uint32_t, N>, d));
  }
#elif defined(__AVX2__)
  if constexpr (N == 16) {
    struct Halves {
      __m256i half[2];
    };
    const auto a = __builtin_bit_cast(Halves, low.v), b = __builtin_bit_cast(Halves, high.v),
               s = __builtin_bit_cast(Halves, selector.v);
    const __m256i table =
        _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(detail::select_bytes_table)));
    const __m256i lanes =
        _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(detail::select_bytes_lanes)));
    const auto half = [&](__m256i x, __m256i y, __m256i sel) {
      const __m256i at_most_13 = _mm256_min_epu8(sel, _mm256_set1_epi8(13)),
                    place = _mm256_shuffle_epi8(table, at_most_13);
      const __m256i index = _mm256_or_si256(place, lanes);
      const __m256i from_high = _mm256_slli_epi16(place, 3); // bit 4 becomes the sign that blends look at
      __m256i d = _mm256_blendv_epi8(_mm256_shuffle_epi8(x, index), _mm256_shuffle_epi8(y, index), from_high);
      const __m256i sign = _mm256_cmpgt_epi8(_mm256_setzero_si256(), d);
      d = _mm256_blendv_epi8(d, sign, _mm256_cmpgt_epi8(at_most_13, _mm256_set1_epi8(7)));
      return _mm256_or_si256(d, _mm256_cmpgt_epi8(at_most_13, _mm256_set1_epi8(12)));
    };
    const Halves d = {{half(a.half[0], b.half[0], s.half[0]), half(a.half[1], b.half[1], s.half[1])}};
    return Vec<uint32_t, N>::of(__builtin_bit_cast(raw_t<uint32_t, N>, d));
  }
#endif
  return detail::select_bytes_by_shifts(high, low, selector);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
