// Owns how one row of 16 lanes moves between VGPRs and memory: contiguous (one vector access per dword), uniform (a broadcast)
// or lane by lane. Handlers classify each row and pick; see row_load() and row_store(). Inactive lanes' memory is never
// touched: AVX-512 masks the access, the other levels go lane by lane (or read a whole row that cannot leave its page).
#pragma once
#include "engine/uop.h"
#include "isa/op.h"
#include "lanes/vec.h"
#include <cstring>
#include <utility>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#define CROSSLANE_NOINLINE __attribute__((noinline))

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace access {

using lanes::Mask;
using lanes::Vec;
using U32 = Vec<uint32_t, 16>;
inline constexpr uint16_t all_lanes = 0xffff;
// Reading inactive lanes' memory cannot fault within a page, but AddressSanitizer would rightly ask why.
#if __has_feature(address_sanitizer)
inline constexpr bool may_overread = false;
#else
inline constexpr bool may_overread = true;
#endif

CROSSLANE_INLINE int first_lane(uint16_t m) { return __builtin_ctz(m); }
CROSSLANE_INLINE int first_lane(uint32_t m) { return __builtin_ctz(m); }
CROSSLANE_INLINE int first_lane(uint64_t m) { return __builtin_ctzll(m); }

template <class T> CROSSLANE_INLINE T* at(Wave* w, uint32_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(w) + offset);
}
CROSSLANE_INLINE uint32_t* row_of(Wave* w, uint32_t offset, int row) {
  return at<uint32_t>(w, offset) + row * machine::lanes_per_row;
}
CROSSLANE_INLINE uint64_t pair_at(Wave* w, uint32_t offset) {
  uint64_t value;
  std::memcpy(&value, at<char>(w, offset), 8);
  return value;
}

// f(lane) for the active lanes of a row, ascending.
template <class F> CROSSLANE_INLINE void for_lanes(uint16_t m, F f) {
  if (m == all_lanes) {
#pragma clang loop unroll_count(4)
    for (int i = 0; i < 16; ++i) f(i);
  } else {
    for (uint32_t left = m; left; left &= left - 1) f(first_lane(left));
  }
}

// Must come before guest memory is touched: a signal handler reads it.
CROSSLANE_INLINE void touching(const Uop* op, Wave* w) {
  w->fault_op = op;
  asm volatile("" ::: "memory");
}

// What one lane transfers: bytes in memory, and which part of the VGPR they belong to (d16 and d16_hi keep the rest).
enum class Place : uint8_t { whole, low, high };
template <int Bytes, bool Signed = false, Place Where = Place::whole> struct Item {
  static constexpr int bytes = Bytes, dwords = (Bytes + 3) / 4;
  static constexpr bool is_signed = Signed;
  static constexpr Place place = Where;
};
using Dword = Item<4>;

CROSSLANE_INLINE U32 lane_numbers() {
  return U32::of(U32::raw{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
}
// Some active lane of v is not zero.
CROSSLANE_INLINE bool any(U32 v, uint16_t m) { return (uint16_t((v != U32(0u)).bits) & m) != 0; }
// 16 addresses, in registers as long as they can be.
using Half = uint64_t __attribute__((ext_vector_type(8)));
struct Addresses {
  Half low, high;
};
template <int First> CROSSLANE_INLINE Half widen_half(U32 v) {
  return __builtin_convertvector(__builtin_shufflevector(v.v, v.v, First, First + 1, First + 2, First + 3, First + 4,
                                                         First + 5, First + 6, First + 7), Half);
}
CROSSLANE_INLINE Addresses spread(uint64_t base, U32 offsets) {
  return {widen_half<0>(offsets) + base, widen_half<8>(offsets) + base};
}
CROSSLANE_INLINE Addresses join(U32 lo, U32 hi, uint64_t add) {
  return {(widen_half<0>(lo) | widen_half<0>(hi) << 32) + add, (widen_half<8>(lo) | widen_half<8>(hi) << 32) + add};
}
CROSSLANE_INLINE Addresses consecutive(const uint8_t* p, uint32_t bytes) {
  return spread(reinterpret_cast<uint64_t>(p), lane_numbers() * U32(bytes));
}

// ---- Registers <-> consecutive memory: dword k of lane i is element i * N + k.

template <class Index, size_t... I> CROSSLANE_INLINE U32 shuffle(U32 a, U32 b, std::index_sequence<I...>) {
  return U32::of(__builtin_shufflevector(a.v, b.v, Index::at(I)...));
}
template <class Index> CROSSLANE_INLINE U32 shuffle(U32 a, U32 b) {
  return shuffle<Index>(a, b, std::make_index_sequence<16>());
}
template <int K> struct EveryOther { static constexpr int at(int i) { return 2 * i + K; } };
template <int K> struct FourthPairs { static constexpr int at(int i) { return i % 8 * 4 + K + i / 8; } };
template <int K> struct Halves { static constexpr int at(int i) { return i % 8 + K * 8 + i / 8 * 16; } };
template <int K> struct Zip { static constexpr int at(int i) { return i / 2 + K * 8 + i % 2 * 16; } };
template <int K> struct ZipPairs { static constexpr int at(int i) { return i / 4 * 2 + i % 2 + K * 8 + i % 4 / 2 * 16; } };
// Of 48 elements in a, b, c every third: first from a and b (index below 32), then the rest from c.
template <int K> struct ThirdFirst {
  static constexpr int at(int i) { return 3 * i + K < 32 ? 3 * i + K : -1; }
};
template <int K> struct ThirdRest {
  static constexpr int at(int i) { return 3 * i + K < 32 ? i : 16 + 3 * i + K - 32; }
};
// Element j = 16 * V + i of the 48 comes from lane j / 3 of register j % 3.
template <int V> struct WeaveFirst {
  static constexpr int at(int i) { return (16 * V + i) % 3 == 2 ? -1 : (16 * V + i) / 3 + (16 * V + i) % 3 * 16; }
};
template <int V> struct WeaveRest {
  static constexpr int at(int i) { return (16 * V + i) % 3 == 2 ? 16 + (16 * V + i) / 3 : i; }
};

template <int N> CROSSLANE_INLINE void deinterleave(U32 (&v)[N]) {
  if constexpr (N == 2) {
    const U32 a = v[0], b = v[1];
    v[0] = shuffle<EveryOther<0>>(a, b), v[1] = shuffle<EveryOther<1>>(a, b);
  } else if constexpr (N == 3) {
    const U32 a = v[0], b = v[1], c = v[2];
    v[0] = shuffle<ThirdRest<0>>(shuffle<ThirdFirst<0>>(a, b), c);
    v[1] = shuffle<ThirdRest<1>>(shuffle<ThirdFirst<1>>(a, b), c);
    v[2] = shuffle<ThirdRest<2>>(shuffle<ThirdFirst<2>>(a, b), c);
  } else if constexpr (N == 4) {
    const U32 ab0 = shuffle<FourthPairs<0>>(v[0], v[1]), ab2 = shuffle<FourthPairs<2>>(v[0], v[1]);
    const U32 cd0 = shuffle<FourthPairs<0>>(v[2], v[3]), cd2 = shuffle<FourthPairs<2>>(v[2], v[3]);
    v[0] = shuffle<Halves<0>>(ab0, cd0), v[1] = shuffle<Halves<1>>(ab0, cd0);
    v[2] = shuffle<Halves<0>>(ab2, cd2), v[3] = shuffle<Halves<1>>(ab2, cd2);
  }
}
template <int N> CROSSLANE_INLINE void interleave(U32 (&v)[N]) {
  if constexpr (N == 2) {
    const U32 a = v[0], b = v[1];
    v[0] = shuffle<Zip<0>>(a, b), v[1] = shuffle<Zip<1>>(a, b);
  } else if constexpr (N == 3) {
    const U32 a = v[0], b = v[1], c = v[2];
    v[0] = shuffle<WeaveRest<0>>(shuffle<WeaveFirst<0>>(a, b), c);
    v[1] = shuffle<WeaveRest<1>>(shuffle<WeaveFirst<1>>(a, b), c);
    v[2] = shuffle<WeaveRest<2>>(shuffle<WeaveFirst<2>>(a, b), c);
  } else if constexpr (N == 4) {
    const U32 low01 = shuffle<Zip<0>>(v[0], v[1]), high01 = shuffle<Zip<1>>(v[0], v[1]);
    const U32 low23 = shuffle<Zip<0>>(v[2], v[3]), high23 = shuffle<Zip<1>>(v[2], v[3]);
    v[0] = shuffle<ZipPairs<0>>(low01, low23), v[1] = shuffle<ZipPairs<1>>(low01, low23);
    v[2] = shuffle<ZipPairs<0>>(high01, high23), v[3] = shuffle<ZipPairs<1>>(high01, high23);
  }
}
#ifdef __AVX512F__
// Lane mask -> mask of the N * 16 consecutive dwords.
template <int N> CROSSLANE_INLINE uint64_t widen(uint16_t m) {
  if constexpr (N == 1) return m;
  else if constexpr (N == 2) return _pdep_u64(m, 0x55555555) * 3;
  else if constexpr (N == 3) return _pdep_u64(m, 0x249249249249) * 7;
  else return _pdep_u64(m, 0x1111111111111111) * 15;
}
#endif

// ---- Registers of a row. Dword k of an item is k * 64 dwords on.

template <class I> CROSSLANE_INLINE void put(uint32_t* dst, uint16_t m, U32 value) {
  if constexpr (I::place == Place::low)
    value = (lanes::load<uint32_t, 16>(dst) & U32(0xffff0000u)) | (value & U32(0xffffu));
  if constexpr (I::place == Place::high)
    value = (lanes::load<uint32_t, 16>(dst) & U32(0xffffu)) | value << U32(16u);
  lanes::store(dst, Mask<16>(m), value);
}
template <class I> CROSSLANE_INLINE void put_zero(uint32_t* dst, uint16_t m) {
  for (int k = 0; k < I::dwords; ++k) put<I>(dst + k * 64, m, U32(0u));
}
// The value of a sub-dword item as the VGPR gets it.
template <class I> CROSSLANE_INLINE uint32_t read_scalar(const void* p) {
  if constexpr (I::bytes == 1) {
    uint8_t b;
    std::memcpy(&b, p, 1);
    return I::is_signed ? uint32_t(int32_t(int8_t(b))) : b;
  } else if constexpr (I::bytes == 2) {
    uint16_t h;
    std::memcpy(&h, p, 2);
    return I::is_signed ? uint32_t(int32_t(int16_t(h))) : h;
  } else {
    uint32_t d;
    std::memcpy(&d, p, 4);
    return d;
  }
}
template <class I> CROSSLANE_INLINE uint32_t stored_part(uint32_t value) {
  return I::place == Place::high ? value >> 16 : value;
}

// ---- Lane by lane.

template <class I> CROSSLANE_NOINLINE void load_lanes(Half low, Half high, uint16_t m, uint32_t* dst) {
#ifdef __AVX512F__
  // Inactive lanes are masked out of a gather.
  const __m512i a = __builtin_bit_cast(__m512i, low), b = __builtin_bit_cast(__m512i, high);
  const __mmask8 ma = __mmask8(m), mb = __mmask8(m >> 8);
  if constexpr (I::bytes == 4) {
    const __m256i x = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), ma, a, nullptr, 1);
    const __m256i y = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), mb, b, nullptr, 1);
    _mm512_mask_storeu_epi32(dst, m, _mm512_inserti64x4(_mm512_castsi256_si512(x), y, 1));
    return;
  }
  if constexpr (I::bytes == 8) {
    const __m512i x = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), ma, a, nullptr, 1);
    const __m512i y = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), mb, b, nullptr, 1);
    U32 v[2] = {U32::of(__builtin_bit_cast(U32::raw, x)), U32::of(__builtin_bit_cast(U32::raw, y))};
    deinterleave(v);
    put<I>(dst, m, v[0]);
    put<I>(dst + 64, m, v[1]);
    return;
  }
#endif
  alignas(64) uint64_t addresses[16];
  std::memcpy(addresses, &low, 64), std::memcpy(addresses + 8, &high, 64);
  alignas(64) uint32_t lane[I::dwords][16] = {};
  for_lanes(m, [&](int i) {
    const auto* p = reinterpret_cast<const uint8_t*>(addresses[i]);
    for (int k = 0; k < I::dwords; ++k) lane[k][i] = read_scalar<I>(p + 4 * k);
  });
  for (int k = 0; k < I::dwords; ++k) put<I>(dst + k * 64, m, lanes::load<uint32_t, 16>(lane[k]));
}

template <class I> CROSSLANE_INLINE void store_lane(uint8_t* p, const uint32_t* src) {
  for (int k = 0; k < I::dwords; ++k) {
    const uint32_t value = stored_part<I>(src[k * 64]);
    std::memcpy(p + 4 * k, &value, I::bytes < 4 ? I::bytes : 4);
  }
}
// Ascending: where lanes overlap, the higher one wins.
template <class I> CROSSLANE_NOINLINE void store_lanes(Half low, Half high, uint16_t m, const uint32_t* src) {
  alignas(64) uint64_t addresses[16];
  std::memcpy(addresses, &low, 64), std::memcpy(addresses + 8, &high, 64);
  for_lanes(m, [&](int i) { store_lane<I>(reinterpret_cast<uint8_t*>(addresses[i]), src + i); });
}

// ---- Contiguous: lane i of the row at p + i * bytes; p may lie before mapped memory when low lanes are inactive.

template <class I> CROSSLANE_INLINE void load_contiguous(const uint8_t* p, uint16_t m, uint32_t* dst) {
#ifdef __AVX512F__
  if constexpr (I::bytes == 1) {
    const __m128i b = _mm_maskz_loadu_epi8(m, p);
    const __m512i v = I::is_signed ? _mm512_cvtepi8_epi32(b) : _mm512_cvtepu8_epi32(b);
    put<I>(dst, m, U32::of(__builtin_bit_cast(U32::raw, v)));
  } else if constexpr (I::bytes == 2) {
    const __m256i h = _mm256_maskz_loadu_epi16(m, p);
    const __m512i v = I::is_signed ? _mm512_cvtepi16_epi32(h) : _mm512_cvtepu16_epi32(h);
    put<I>(dst, m, U32::of(__builtin_bit_cast(U32::raw, v)));
  } else {
    constexpr int N = I::dwords;
    const uint64_t wide = widen<N>(m);
    U32 v[N];
    for (int k = 0; k < N; ++k)
      v[k] = U32::of(__builtin_bit_cast(U32::raw, _mm512_maskz_loadu_epi32(__mmask16(wide >> 16 * k), p + 64 * k)));
    if constexpr (N > 1) deinterleave(v);
    for (int k = 0; k < N; ++k) put<I>(dst + k * 64, m, v[k]);
  }
#else
  constexpr uint64_t span = 16 * I::bytes;
  if (m == all_lanes || (may_overread && (reinterpret_cast<uint64_t>(p) & 4095) + span <= 4096)) [[likely]] {
    if constexpr (I::bytes < 4) {
      using T = std::conditional_t<I::bytes == 1, std::conditional_t<I::is_signed, int8_t, uint8_t>,
                                   std::conditional_t<I::is_signed, int16_t, uint16_t>>;
      using E = std::conditional_t<I::is_signed, int32_t, uint32_t>;
      put<I>(dst, m, lanes::bitcast<uint32_t>(lanes::convert<E>(lanes::load<T, 16>(p))));
    } else {
      U32 v[I::dwords];
      for (int k = 0; k < I::dwords; ++k) v[k] = lanes::load<uint32_t, 16>(p + 64 * k);
      if constexpr (I::dwords > 1) deinterleave(v);
      for (int k = 0; k < I::dwords; ++k) put<I>(dst + k * 64, m, v[k]);
    }
  } else {
    const Addresses a = consecutive(p, I::bytes);
    load_lanes<I>(a.low, a.high, m, dst);
  }
#endif
}

template <class I> CROSSLANE_INLINE void store_contiguous(uint8_t* p, uint16_t m, const uint32_t* src) {
  constexpr int N = I::dwords;
  U32 v[N];
  for (int k = 0; k < N; ++k) v[k] = lanes::load<uint32_t, 16>(src + k * 64);
  if constexpr (I::place == Place::high) v[0] = v[0] >> U32(16u);
#ifdef __AVX512F__
  const __m512i first = __builtin_bit_cast(__m512i, v[0].v);
  if constexpr (I::bytes == 1) {
    _mm_mask_storeu_epi8(p, m, _mm512_cvtepi32_epi8(first));
  } else if constexpr (I::bytes == 2) {
    _mm256_mask_storeu_epi16(p, m, _mm512_cvtepi32_epi16(first));
  } else {
    if constexpr (N > 1) interleave(v);
    if (m == all_lanes) [[likely]] {
      for (int k = 0; k < N; ++k) lanes::store(p + 64 * k, v[k]);
    } else {
      const uint64_t wide = widen<N>(m);
      for (int k = 0; k < N; ++k)
        _mm512_mask_storeu_epi32(p + 64 * k, __mmask16(wide >> 16 * k), __builtin_bit_cast(__m512i, v[k].v));
    }
  }
#else
  if (m == all_lanes) [[likely]] {
    if constexpr (I::bytes < 4) {
      using T = std::conditional_t<I::bytes == 1, uint8_t, uint16_t>;
      lanes::store(p, lanes::convert<T>(v[0]));
    } else {
      if constexpr (N > 1) interleave(v);
      for (int k = 0; k < N; ++k) lanes::store(p + 64 * k, v[k]);
    }
  } else {
    const Addresses a = consecutive(p, I::bytes);
    store_lanes<I>(a.low, a.high, m, src);
  }
#endif
}

template <class I> CROSSLANE_INLINE void load_uniform(const uint8_t* p, uint16_t m, uint32_t* dst) {
  for (int k = 0; k < I::dwords; ++k) put<I>(dst + k * 64, m, U32(read_scalar<I>(p + 4 * k)));
}

// ---- Offsets from one base: base + offset, the whole access below `limit` (2^32 when only the address width limits).

// True when active lane i is at offset `first` + i * bytes; `off0` is that of the first active lane.
template <class I>
CROSSLANE_INLINE bool contiguous_offsets(U32 off, uint32_t off0, int lane0, uint16_t m, uint64_t limit, int64_t& first) {
  first = int64_t(uint64_t(off0)) - lane0 * I::bytes;
  return !any((off - U32(uint32_t(first))) ^ (lane_numbers() * U32(uint32_t(I::bytes))), m) &&
         first + 16 * I::bytes <= int64_t(limit);
}

constexpr uint64_t no_limit = uint64_t(1) << 32;

// All 64 offsets of a wave follow each other. Looks at two of them first, so that what is contiguous only within rows pays little.
template <class I> CROSSLANE_INLINE bool contiguous_wave(const uint32_t* offsets) {
  constexpr uint32_t row_bytes = 16 * I::bytes;
  if (offsets[16] != offsets[0] + row_bytes) return false;
  const U32 first = U32(offsets[0]) + lane_numbers() * U32(uint32_t(I::bytes));
  U32 strayed = lanes::load<uint32_t, 16>(offsets) ^ first;
  for (uint32_t row = 1; row < 4; ++row)
    strayed = strayed | (lanes::load<uint32_t, 16>(offsets + 16 * row) ^ (first + U32(row * row_bytes)));
  return !any(strayed, all_lanes);
}
// Worth a full look: the first two lanes are one item apart, or at one place.
template <class I> CROSSLANE_INLINE bool may_be_simple(const uint32_t* offsets, uint16_t m) {
  const uint32_t step = offsets[1] - offsets[0];
  return m != all_lanes || step == I::bytes || step == 0;
}
// All 64 are the same.
CROSSLANE_INLINE bool uniform_wave(const uint32_t* offsets) {
  const U32 first = U32(offsets[0]);
  U32 strayed = lanes::load<uint32_t, 16>(offsets) ^ first;
  for (int row = 1; row < 4; ++row) strayed = strayed | (lanes::load<uint32_t, 16>(offsets + 16 * row) ^ first);
  return !any(strayed, all_lanes);
}
// 64 items from or to consecutive memory, all lanes active.
template <class I> CROSSLANE_INLINE void load_wave(const uint8_t* p, uint32_t* dst) {
  for (int row = 0; row < 4; ++row) load_contiguous<I>(p + row * 16 * I::bytes, all_lanes, dst + row * 16);
}
template <class I> CROSSLANE_INLINE void store_wave(uint8_t* p, const uint32_t* src) {
  for (int row = 0; row < 4; ++row) store_contiguous<I>(p + row * 16 * I::bytes, all_lanes, src + row * 16);
}

// Offsets straight from the register file: a gather instruction is microcode, and going through a staged array costs more.
template <class I>
CROSSLANE_NOINLINE void load_offsets(const uint8_t* base, const uint32_t* offsets, uint16_t m, uint32_t* dst) {
#ifdef __AVX512F__
  if constexpr (I::bytes == 4 || I::bytes == 8 || I::bytes == 16) {
    if (m == all_lanes) {
      U32 v[I::dwords];
#pragma clang loop unroll(full)
      for (int k = 0; k < I::dwords; ++k) {
        constexpr int per_register = 16 / I::dwords, per_quarter = 4 / I::dwords;
        __m128i quarter[4];
#pragma clang loop unroll(full)
        for (int q = 0; q < 4; ++q) {
          uint64_t o[per_quarter];
          for (int i = 0; i < per_quarter; ++i) {
            o[i] = offsets[k * per_register + q * per_quarter + i];
            asm("" : "+r"(o[i]));  // or the compiler makes gathers of this
          }
          if constexpr (I::bytes == 16) {
            quarter[q] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + o[0]));
          } else if constexpr (I::bytes == 8) {
            quarter[q] = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(base + o[0]));
            uint64_t upper;
            std::memcpy(&upper, base + o[1], 8);
            quarter[q] = _mm_insert_epi64(quarter[q], int64_t(upper), 1);
          } else {
            quarter[q] = _mm_cvtsi32_si128(int(read_scalar<I>(base + o[0])));
            quarter[q] = _mm_insert_epi32(quarter[q], int(read_scalar<I>(base + o[1])), 1);
            quarter[q] = _mm_insert_epi32(quarter[q], int(read_scalar<I>(base + o[2])), 2);
            quarter[q] = _mm_insert_epi32(quarter[q], int(read_scalar<I>(base + o[3])), 3);
          }
        }
        const __m256i x = _mm256_set_m128i(quarter[1], quarter[0]), y = _mm256_set_m128i(quarter[3], quarter[2]);
        v[k] = U32::of(__builtin_bit_cast(U32::raw, _mm512_inserti64x4(_mm512_castsi256_si512(x), y, 1)));
      }
      if constexpr (I::dwords > 1) deinterleave(v);
      for (int k = 0; k < I::dwords; ++k) put<I>(dst + k * 64, m, v[k]);
      return;
    }
  }
#endif
  const Addresses a = spread(reinterpret_cast<uint64_t>(base), lanes::load<uint32_t, 16>(offsets));
  load_lanes<I>(a.low, a.high, m, dst);
}
template <class I>
CROSSLANE_NOINLINE void store_offsets(uint8_t* base, const uint32_t* offsets, uint16_t m, const uint32_t* src) {
  for_lanes(m, [&](int i) { store_lane<I>(base + offsets[i], src + i); });
}

// ---- From rows to handlers.

constexpr int bytes_of(isa::Type t) {
  using enum isa::Type;
  switch (t) {
  case B8: case I8: case U8: return 1;
  case B16: case I16: case U16: case F16: return 2;
  case B32: case I32: case U32: case F32: case PkF16: return 4;
  case B64: case I64: case U64: case F64: return 8;
  case B96: return 12;
  case B128: return 16;
  default: return 0;
  }
}

// pick(Item) for the row's access and memory type; nullptr for what is not a plain load.
template <class Pick> inline Handler pick_load(const isa::Row& row, Pick pick) {
  using isa::Access;
  using isa::Type;
  const Type t = row.memory;
  if (row.access == Access::load) {
    switch (t) {
    case Type::U8: return pick(Item<1>());
    case Type::I8: return pick(Item<1, true>());
    case Type::U16: return pick(Item<2>());
    case Type::I16: return pick(Item<2, true>());
    default: break;
    }
    switch (bytes_of(t)) {
    case 4: return pick(Item<4>());
    case 8: return pick(Item<8>());
    case 12: return pick(Item<12>());
    case 16: return pick(Item<16>());
    default: return nullptr;
    }
  }
  if (row.access == Access::load_d16) {
    switch (t) {
    case Type::U8: return pick(Item<1, false, Place::low>());
    case Type::I8: return pick(Item<1, true, Place::low>());
    default: return bytes_of(t) == 2 ? pick(Item<2, false, Place::low>()) : nullptr;
    }
  }
  if (row.access == Access::load_d16_hi) {
    switch (t) {
    case Type::U8: return pick(Item<1, false, Place::high>());
    case Type::I8: return pick(Item<1, true, Place::high>());
    default: return bytes_of(t) == 2 ? pick(Item<2, false, Place::high>()) : nullptr;
    }
  }
  return nullptr;
}
template <class Pick> inline Handler pick_store(const isa::Row& row, Pick pick) {
  using isa::Access;
  if (row.access == Access::store) {
    switch (bytes_of(row.memory)) {
    case 1: return pick(Item<1>());
    case 2: return pick(Item<2>());
    case 4: return pick(Item<4>());
    case 8: return pick(Item<8>());
    case 12: return pick(Item<12>());
    case 16: return pick(Item<16>());
    default: return nullptr;
    }
  }
  if (row.access == Access::store_d16_hi) {
    switch (bytes_of(row.memory)) {
    case 1: return pick(Item<1, false, Place::high>());
    case 2: return pick(Item<2, false, Place::high>());
    default: return nullptr;
    }
  }
  return nullptr;
}

}  // namespace access
CROSSLANE_LEVEL_END
}  // namespace crosslane::engine
