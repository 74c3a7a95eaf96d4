// Owns a run-time permute of 64 lanes of 32 bits that lie in four rows of 16: planned once, executed many times.
//
//   constexpr WavePermute swap = plan_wave([](int i) { return i ^ 1; });      or at run time, from an array
//   permute_wave<swap.move>(row, swap, out);                                 row(r) gives row r, out[4] the result
//   with_move(plan.move, []<WaveMove M>() { return handler<M>; })   an interpreter picks its handler once
//
// A plan is plain data, the same for every instruction set; moving is a template over the pattern's class, so that each
// class costs what it must: for a wave with AVX-512 nothing, four loads, four permutes or eight and four blends. AVX2
// permutes eight lanes at a time and blends; less than that goes through memory. Source: Intel, "AVX-512 - Permuting
// Data Within and Between AVX Registers": one source before two, within 128 bits before across.
#pragma once
#include "lanes/dynamic.h"
#include "lanes/plan/pattern.h"
#include <array>

namespace crosslane::lanes {

// What a pattern needs, from the cheapest to the dearest.
enum class WaveMove : uint8_t {
  none,     // every lane reads itself
  rows,     // whole rows change places, or stay
  in_quads, // within groups of four lanes, all rows alike: a shuffle inside 128 bits
  in_row,   // within a row, all rows alike: one permute with one index
  one_row,  // each row from one row: a permute with an index of its own
  two_rows, // each row from two rows: a permute of two registers
  any,      // a table of all 64
};

struct WavePermute {
  alignas(64) uint32_t index[64]; // position in the 32 lanes of rows low and high
  alignas(64) uint8_t from[64];   // source lane; a lane that has none names one that costs nothing
  uint8_t mask_byte[64];          // of a mask of 64 bits: the byte in which the source lane's bit is
  uint8_t mask_bit[64];           // ... and the bit in that byte
  uint64_t valid;                 // lanes that have a source
  WaveMove move;
  uint8_t low[4], high[4]; // source rows of each row; the same one twice but for two_rows
};

CROSSLANE_LEVEL_BEGIN

// The plan for lanes that read from lane from[i] below 64; any negative number: from none.
constexpr WavePermute plan_wave(const std::array<int8_t, 64>& from) {
  using enum WaveMove;
  WavePermute p{};
  bool own_row = true;
  int lane_of[16], row_of[4] = {-1, -1, -1, -1};
  for (int& lane : lane_of)
    lane = -1;
  for (int i = 0; i < 64; ++i) {
    if (from[i] < 0)
      continue;
    p.valid |= uint64_t(1) << i;
    own_row = own_row && from[i] / 16 == i / 16;
    if (lane_of[i % 16] < 0)
      lane_of[i % 16] = from[i] % 16;
    if (row_of[i / 16] < 0)
      row_of[i / 16] = from[i] / 16;
  }
  bool same_lane = true, alike = true, in_quad = true, one = true, two = true;
  for (int i = 0; i < 64; ++i) {
    const int r = i / 16, in_row = i % 16;
    // A lane without a source may read any: one that keeps all rows alike, or the row from as few others as possible.
    const int free = own_row ? r * 16 + (lane_of[in_row] < 0 ? in_row : lane_of[in_row])
                             : (row_of[r] < 0 ? r : row_of[r]) * 16 + in_row;
    const int f = from[i] < 0 ? free : from[i], row = f / 16;
    p.from[i] = uint8_t(f), p.mask_byte[i] = uint8_t(f / 8), p.mask_bit[i] = uint8_t(1 << f % 8);
    if (in_row == 0)
      p.low[r] = p.high[r] = uint8_t(row);
    if (row != p.low[r]) {
      two = two && (p.high[r] == p.low[r] || p.high[r] == row);
      p.high[r] = uint8_t(row);
      one = false;
    }
    same_lane = same_lane && f % 16 == in_row;
    alike = alike && f % 16 == p.from[in_row] % 16;
    in_quad = in_quad && f % 16 / 4 == in_row / 4;
    p.index[i] = uint32_t(f % 16 + (row == p.low[r] ? 0 : 16));
  }
  if (own_row && same_lane)
    p.move = none;
  else if (one && same_lane)
    p.move = rows;
  else if (own_row && alike && in_quad)
    p.move = in_quads;
  else if (own_row && alike)
    p.move = in_row;
  else if (one)
    p.move = one_row;
  else
    p.move = two ? two_rows : any;
  return p;
}
// The same by a function of the lane.
template <class Source>
  requires std::is_invocable_r_v<int, Source, int>
constexpr WavePermute plan_wave(Source source) {
  std::array<int8_t, 64> from{};
  for (int i = 0; i < 64; ++i)
    from[i] = int8_t(source(i));
  return plan_wave(from);
}

// The same for a pattern of 64 elements of 32 bits from one source; elements of zero have no source either.
constexpr WavePermute plan_wave(const Pattern& pattern) {
  return plan_wave([&](int i) { return int(pattern.from[size_t(i)]); });
}

using WaveRow = Vec<uint32_t, 16>;

// Lane i of out[r] gets lane from[16 * r + i] of the wave whose rows are row(0) to row(3); lanes without a source get
// anything. `row` may read memory: it is called only for rows that are needed, and before anything could overwrite
// them.
template <WaveMove M, class Row> CROSSLANE_INLINE void permute_wave(Row row, const WavePermute& p, WaveRow (&out)[4]) {
  using enum WaveMove;
  const auto index = [&](int r) { return load<uint32_t, 16>(p.index + 16 * r); };
#ifndef __AVX2__
  if constexpr (M != none && M != WaveMove::rows) {
    alignas(64) uint32_t table[64], moved[64];
    store(table, row(0)), store(table + 16, row(1)), store(table + 32, row(2)), store(table + 48, row(3));
    for (int i = 0; i < 64; ++i)
      moved[i] = table[p.from[i]];
    for (int r = 0; r < 4; ++r)
      out[r] = load<uint32_t, 16>(moved + 16 * r);
    return;
  }
#endif
  if constexpr (M == none) {
    out[0] = row(0), out[1] = row(1), out[2] = row(2), out[3] = row(3);
  } else if constexpr (M == WaveMove::rows) {
    out[0] = row(p.low[0]), out[1] = row(p.low[1]), out[2] = row(p.low[2]), out[3] = row(p.low[3]);
  } else if constexpr (M == in_quads) {
    const WaveRow i = index(0);
    out[0] = permute_in_quads(row(0), i), out[1] = permute_in_quads(row(1), i);
    out[2] = permute_in_quads(row(2), i), out[3] = permute_in_quads(row(3), i);
  } else if constexpr (M == in_row) {
    const WaveRow i = index(0);
    out[0] = permute(row(0), i), out[1] = permute(row(1), i);
    out[2] = permute(row(2), i), out[3] = permute(row(3), i);
  } else if constexpr (M == one_row) {
    out[0] = permute(row(p.low[0]), index(0)), out[1] = permute(row(p.low[1]), index(1));
    out[2] = permute(row(p.low[2]), index(2)), out[3] = permute(row(p.low[3]), index(3));
  } else if constexpr (M == two_rows) {
    out[0] = lookup(row(p.low[0]), row(p.high[0]), index(0)), out[1] = lookup(row(p.low[1]), row(p.high[1]), index(1));
    out[2] = lookup(row(p.low[2]), row(p.high[2]), index(2)), out[3] = lookup(row(p.low[3]), row(p.high[3]), index(3));
  } else {
    const WaveRow table[4] = {row(0), row(1), row(2), row(3)};
    WaveRow at[4];
    for (int r = 0; r < 4; ++r)
      at[r] = convert<uint32_t>(load<uint8_t, 16>(p.from + 16 * r));
    lookup(table, at, out);
  }
}
template <WaveMove M>
CROSSLANE_INLINE void permute_wave(const WaveRow (&in)[4], const WavePermute& p, WaveRow (&out)[4]) {
  permute_wave<M>([&](int r) { return in[r]; }, p, out);
}

// The same permute of one bit per lane; 0 for lanes without a source.
template <WaveMove M> CROSSLANE_INLINE uint64_t permute_wave_mask(uint64_t bits, const WavePermute& p) {
  if (bits == ~uint64_t(0))
    return p.valid;
  if constexpr (M == WaveMove::none)
    return bits & p.valid;
  uint64_t moved = 0;
  if constexpr (M == WaveMove::rows) {
    for (int r = 0; r < 4; ++r)
      moved |= (bits >> 16 * p.low[r] & 0xffff) << 16 * r;
  } else {
#if defined(__AVX512BITALG__)
    moved = _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64(int64_t(bits)), _mm512_load_si512(p.from));
#elif defined(__AVX512BW__)
    const __m512i bytes = _mm512_shuffle_epi8(_mm512_set1_epi64(int64_t(bits)), _mm512_loadu_si512(p.mask_byte));
    moved = _mm512_test_epi8_mask(bytes, _mm512_loadu_si512(p.mask_bit));
#elif defined(__AVX2__)
    const __m256i all = _mm256_set1_epi64x(int64_t(bits));
    const auto half = [&](int first) {
      const __m256i bit = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p.mask_bit + first));
      const __m256i byte =
          _mm256_shuffle_epi8(all, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p.mask_byte + first)));
      return uint64_t(uint32_t(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(byte, bit), bit))));
    };
    moved = half(0) | half(32) << 32;
#else
    for (int i = 0; i < 64; ++i)
      moved |= (bits >> p.from[i] & 1) << i;
#endif
  }
  return moved & p.valid;
}

// Calls f.template operator()<M>() for a plan's class.
template <class F> constexpr auto with_move(WaveMove move, F f) {
  using enum WaveMove;
  switch (move) {
  case none: return f.template operator()<none>();
  case rows: return f.template operator()<rows>();
  case in_quads: return f.template operator()<in_quads>();
  case in_row: return f.template operator()<in_row>();
  case one_row: return f.template operator()<one_row>();
  case two_rows: return f.template operator()<two_rows>();
  case any: break;
  }
  return f.template operator()<any>();
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
