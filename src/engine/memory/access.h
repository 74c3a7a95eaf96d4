// Owns how one row of 16 lanes moves between VGPRs and memory: contiguous (one vector access per dword), uniform (a
// broadcast) or lane by lane. Handlers classify each row and pick; see row_load() and row_store(). Inactive lanes'
// memory is never touched: AVX-512 masks the access, the other levels go lane by lane (or read a whole row that cannot
// leave its page).
#pragma once
#include "engine/uop.h"
#include "isa/op.h"
#include "lanes/dynamic.h"
#include "lanes/fields.h"
#include <cstring>
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
    for (int i = 0; i < 16; ++i)
      f(i);
  } else {
    for (uint32_t left = m; left; left &= left - 1)
      f(first_lane(left));
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
struct [[gnu::packed, gnu::may_alias]] Unaligned64 {
  uint64_t value;
};

CROSSLANE_INLINE U32 lane_numbers() { return U32::of(U32::raw{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}); }
// Some active lane of v is not zero.
CROSSLANE_INLINE bool any(U32 v, uint16_t m) { return (uint16_t((v != U32(0u)).bits) & m) != 0; }
// 16 addresses, in registers as long as they can be.
using Half = uint64_t __attribute__((ext_vector_type(8)));
struct Addresses {
  Half low, high;
};
template <int First> CROSSLANE_INLINE Half widen_half(U32 v) {
  return lanes::convert<uint64_t>(lanes::part<8, First / 8>(v)).v;
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

template <int N> using Fields = std::array<U32, N>;
#ifdef __AVX512F__
// Lane mask -> mask of the N * 16 consecutive dwords.
template <int N> CROSSLANE_INLINE uint64_t widen(uint16_t m) {
  if constexpr (N == 1)
    return m;
  else if constexpr (N == 2)
    return _pdep_u64(m, 0x55555555) * 3;
  else if constexpr (N == 3)
    return _pdep_u64(m, 0x249249249249) * 7;
  else
    return _pdep_u64(m, 0x1111111111111111) * 15;
}
#endif

// ---- Registers of a row. Dword k of an item is k * 64 dwords on.

// AVX-512 has masked stores, but a later load waits until one has left the store buffer, and most rows are full.
CROSSLANE_INLINE void put_row(uint32_t* dst, uint16_t m, U32 value) {
#ifdef __AVX512F__
  if (m == all_lanes) [[likely]]
    return lanes::store(dst, value);
#endif
  lanes::store(dst, Mask<16>(m), value);
}
template <class I> CROSSLANE_INLINE void put(uint32_t* dst, uint16_t m, U32 value) {
  if constexpr (I::place == Place::low)
    value = (lanes::load<uint32_t, 16>(dst) & U32(0xffff0000u)) | (value & U32(0xffffu));
  if constexpr (I::place == Place::high)
    value = (lanes::load<uint32_t, 16>(dst) & U32(0xffffu)) | value << U32(16u);
  put_row(dst, m, value);
}
template <class I> CROSSLANE_INLINE void put_zero(uint32_t* dst, uint16_t m) {
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, U32(0u));
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
    using Eight = Vec<uint32_t, 8>;
    put<I>(dst, m, lanes::join(__builtin_bit_cast(Eight, x), __builtin_bit_cast(Eight, y)));
    return;
  }
  if constexpr (I::bytes == 8) {
    const __m512i x = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), ma, a, nullptr, 1);
    const __m512i y = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), mb, b, nullptr, 1);
    const auto v = lanes::deinterleave(
        Fields<2>{U32::of(__builtin_bit_cast(U32::raw, x)), U32::of(__builtin_bit_cast(U32::raw, y))});
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
    for (int k = 0; k < I::dwords; ++k)
      lane[k][i] = read_scalar<I>(p + 4 * k);
  });
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, lanes::load<uint32_t, 16>(lane[k]));
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
    Fields<N> v;
    for (int k = 0; k < N; ++k)
      v[k] = U32::of(__builtin_bit_cast(U32::raw, _mm512_maskz_loadu_epi32(__mmask16(wide >> 16 * k), p + 64 * k)));
    v = lanes::deinterleave(v);
    for (int k = 0; k < N; ++k)
      put<I>(dst + k * 64, m, v[k]);
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
      const auto v = lanes::load_fields<I::dwords, uint32_t, 16>(p);
      for (int k = 0; k < I::dwords; ++k)
        put<I>(dst + k * 64, m, v[k]);
    }
  } else {
    const Addresses a = consecutive(p, I::bytes);
    load_lanes<I>(a.low, a.high, m, dst);
  }
#endif
}

template <class I> CROSSLANE_INLINE void store_contiguous(uint8_t* p, uint16_t m, const uint32_t* src) {
  constexpr int N = I::dwords;
  Fields<N> v;
  for (int k = 0; k < N; ++k)
    v[k] = lanes::load<uint32_t, 16>(src + k * 64);
  if constexpr (I::place == Place::high)
    v[0] = v[0] >> U32(16u);
#ifdef __AVX512F__
  const __m512i first = __builtin_bit_cast(__m512i, v[0].v);
  if constexpr (I::bytes == 1) {
    _mm_mask_storeu_epi8(p, m, _mm512_cvtepi32_epi8(first));
  } else if constexpr (I::bytes == 2) {
    _mm256_mask_storeu_epi16(p, m, _mm512_cvtepi32_epi16(first));
  } else {
    v = lanes::interleave(v);
    if (m == all_lanes) [[likely]] {
      for (int k = 0; k < N; ++k)
        lanes::store(p + 64 * k, v[k]);
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
      lanes::store_fields(p, v);
    }
  } else {
    const Addresses a = consecutive(p, I::bytes);
    store_lanes<I>(a.low, a.high, m, src);
  }
#endif
}

template <class I> CROSSLANE_INLINE void load_uniform(const uint8_t* p, uint16_t m, uint32_t* dst) {
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, U32(read_scalar<I>(p + 4 * k)));
}

// ---- Offsets from one base: base + offset, the whole access below `limit` (2^32 when only the address width limits).

// True when active lane i is at offset `first` + i * bytes; `off0` is that of the first active lane.
template <class I>
CROSSLANE_INLINE bool contiguous_offsets(U32 off, uint32_t off0, int lane0, uint16_t m, uint64_t limit,
                                         int64_t& first) {
  first = int64_t(uint64_t(off0)) - lane0 * I::bytes;
  return !any((off - U32(uint32_t(first))) ^ (lane_numbers() * U32(uint32_t(I::bytes))), m) &&
         first + 16 * I::bytes <= int64_t(limit);
}

constexpr uint64_t no_limit = uint64_t(1) << 32;

// All 64 offsets of a wave follow each other. Looks at two of them first, so that what is contiguous only within rows
// pays little.
template <class I> CROSSLANE_INLINE bool contiguous_wave(const uint32_t* offsets) {
  constexpr uint32_t row_bytes = 16 * I::bytes;
  if (offsets[16] != offsets[0] + row_bytes)
    return false;
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
  for (int row = 1; row < 4; ++row)
    strayed = strayed | (lanes::load<uint32_t, 16>(offsets + 16 * row) ^ first);
  return !any(strayed, all_lanes);
}
// 64 items from or to consecutive memory, all lanes active.
template <class I> CROSSLANE_INLINE void load_wave(const uint8_t* p, uint32_t* dst) {
  for (int row = 0; row < 4; ++row)
    load_contiguous<I>(p + row * 16 * I::bytes, all_lanes, dst + row * 16);
}
template <class I> CROSSLANE_INLINE void store_wave(uint8_t* p, const uint32_t* src) {
  for (int row = 0; row < 4; ++row)
    store_contiguous<I>(p + row * 16 * I::bytes, all_lanes, src + row * 16);
}

// ---- Offsets that have no simple shape. All below 2^32 - 256, from one base, or the lanes go one by one.

// Active lanes near each other, in whatever order (a field of structures, every second element, a reversal, groups):
// their window of memory is loaded whole and looked up. Reads what no lane asked for, but within the page of one that
// did.
template <class I>
CROSSLANE_INLINE bool load_near(const uint8_t* base, U32 off, uint32_t low, uint16_t m, uint32_t* dst) {
#ifdef __AVX512F__
  constexpr uint32_t window = 64;
#else
  constexpr uint32_t window = 32;
#endif
  const uint8_t* p = base + low;
  const U32 from_low = off - U32(low), index = from_low >> U32(2u) | from_low << U32(30u); // not whole dwords: far
  if (!may_overread || (uint16_t((index > U32(window - I::dwords)).bits) & m) != 0 ||
      (reinterpret_cast<uint64_t>(p) & 4095) + 4 * window > 4096)
    return false;
  Fields<I::dwords> v;
#ifdef __AVX512F__
  if ((uint16_t((index > U32(32 - I::dwords)).bits) & m) != 0) {
    const U32 table[4] = {lanes::load<uint32_t, 16>(p), lanes::load<uint32_t, 16>(p + 64),
                          lanes::load<uint32_t, 16>(p + 128), lanes::load<uint32_t, 16>(p + 192)};
    for (int k = 0; k < I::dwords; ++k)
      v[k] = lanes::lookup(table, index + U32(uint32_t(k)));
    for (int k = 0; k < I::dwords; ++k)
      put<I>(dst + k * 64, m, v[k]);
    return true;
  }
#endif
  const U32 low_half = lanes::load<uint32_t, 16>(p), high_half = lanes::load<uint32_t, 16>(p + 64);
  for (int k = 0; k < I::dwords; ++k)
    v[k] = lanes::lookup(low_half, high_half, index + U32(uint32_t(k)));
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, v[k]);
  return true;
}

// Two runs of eight dwords, as a workgroup of 8 x 8 has them.
CROSSLANE_INLINE bool two_runs(const uint32_t* offsets, U32 off) {
  if (offsets[7] - offsets[0] != 28)
    return false;
  const U32 first = lanes::select(Mask<16>(0x00ff), U32(offsets[0]), U32(offsets[8]));
  return !any((off - first) ^ ((lane_numbers() & U32(7u)) * U32(4u)), all_lanes);
}

// One load per item into quarters of registers, then apart into fields. `at` may be any lane's for lanes that nobody
// asked for.
template <class I>
CROSSLANE_INLINE void load_items(const uint8_t* base, const uint32_t* at, uint16_t m, uint32_t* dst) {
  using Quarter = Vec<uint32_t, 4>;
  constexpr int fields = I::dwords == 3 ? 4 : I::dwords, per_quarter = 4 / fields;
  const auto quarter = [&](int q) __attribute__((always_inline)) {
    uint64_t o[per_quarter];
    for (int i = 0; i < per_quarter; ++i) {
      o[i] = at[q * per_quarter + i];
      asm("" : "+r"(o[i])); // or the compiler makes gathers of this, which are microcode
    }
    if constexpr (I::dwords == 4) {
      return lanes::load<uint32_t, 4>(base + o[0]);
    } else if constexpr (I::dwords == 3) {
      uint64_t two;
      std::memcpy(&two, base + o[0], 8);
      return Quarter::of({uint32_t(two), uint32_t(two >> 32), read_scalar<Dword>(base + o[0] + 8), 0});
    } else if constexpr (I::dwords == 2) {
      const auto pair = lanes::raw_t<uint64_t, 2>{reinterpret_cast<const Unaligned64*>(base + o[0])->value,
                                                  reinterpret_cast<const Unaligned64*>(base + o[1])->value};
      return Quarter::of(__builtin_bit_cast(Quarter::raw, pair));
    } else {
      return Quarter::of({read_scalar<I>(base + o[0]), read_scalar<I>(base + o[1]), read_scalar<I>(base + o[2]),
                          read_scalar<I>(base + o[3])});
    }
  };
  Fields<fields> v;
#pragma clang loop unroll(full)
  for (int k = 0; k < fields; ++k)
    v[k] = lanes::join(std::array{quarter(4 * k), quarter(4 * k + 1), quarter(4 * k + 2), quarter(4 * k + 3)});
  v = lanes::deinterleave(v);
  for (int k = 0; k < I::dwords; ++k)
    put<I>(dst + k * 64, m, v[k]);
}

template <class I>
CROSSLANE_NOINLINE void load_far(const uint8_t* base, const uint32_t* offsets, U32 off, uint32_t low, uint16_t m,
                                 uint32_t* dst) {
  if (m != all_lanes) {
    alignas(64) uint32_t at[16];
    lanes::store(at, lanes::select(Mask<16>(m), off, U32(low)));
    return load_items<I>(base, at, m, dst);
  }
  if constexpr (I::bytes == 4)
    if (two_runs(offsets, off) && offsets[0] < uint32_t(-256) && offsets[8] < uint32_t(-256)) {
      std::memcpy(dst, base + offsets[0], 32), std::memcpy(dst + 8, base + offsets[8], 32);
      return;
    }
  load_items<I>(base, offsets, m, dst);
}
template <class I>
CROSSLANE_INLINE void load_offsets(const uint8_t* base, const uint32_t* offsets, uint16_t m, uint32_t* dst) {
  const int first = first_lane(m), last = 31 - __builtin_clz(m);
  const uint32_t low = offsets[first] < offsets[last] ? offsets[first] : offsets[last];
  const uint32_t spread = (offsets[first] ^ offsets[last] ^ low) - low;
  const U32 off = lanes::load<uint32_t, 16>(offsets);
  if constexpr (I::bytes >= 4 && I::bytes < 16)
    if (spread < 256 && low < uint32_t(-256) && load_near<I>(base, off, low, m, dst))
      return;
  load_far<I>(base, offsets, off, low, m, dst);
}

// Ascending: where lanes overlap, the higher one wins.
template <class I>
CROSSLANE_NOINLINE void store_offsets(uint8_t* base, const uint32_t* offsets, uint16_t m, const uint32_t* src) {
  if constexpr (I::bytes == 4) {
    if (m == all_lanes && two_runs(offsets, lanes::load<uint32_t, 16>(offsets)) && offsets[0] < uint32_t(-256) &&
        offsets[8] < uint32_t(-256)) {
      std::memcpy(base + offsets[0], src, 32), std::memcpy(base + offsets[8], src + 8, 32);
      return;
    }
  }
  if constexpr (I::dwords == 1) {
    for_lanes(m, [&](int i) { store_lane<I>(base + offsets[i], src + i); });
  } else { // whole items, side by side first
    constexpr int fields = I::dwords == 3 ? 4 : I::dwords;
    Fields<fields> v{};
    for (int k = 0; k < I::dwords; ++k)
      v[k] = lanes::load<uint32_t, 16>(src + k * 64);
    alignas(64) uint32_t items[16][fields];
    lanes::store_fields(items, v);
    for_lanes(m, [&](int i) { std::memcpy(base + offsets[i], items[i], I::bytes); });
  }
}

// ---- From rows to handlers.

constexpr int bytes_of(isa::Type t) {
  using enum isa::Type;
  switch (t) {
  case B8:
  case I8:
  case U8: return 1;
  case B16:
  case I16:
  case U16:
  case F16: return 2;
  case B32:
  case I32:
  case U32:
  case F32:
  case PkF16: return 4;
  case B64:
  case I64:
  case U64:
  case F64: return 8;
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

} // namespace access
CROSSLANE_LEVEL_END
} // namespace crosslane::engine
