// Planning of cross-lane patterns.
#include "engine/lane_pattern.h"
#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

namespace crosslane::engine {

namespace {

// Where lane i reads from under DPP_CTRL; -1: no such lane.
int dpp_source(uint32_t ctrl, int i) {
  const int row = i & ~15, in_row = i & 15, n = int(ctrl & 15);
  if (ctrl <= 0xff) return (i & ~3) | int(ctrl >> (2 * (i & 3)) & 3);     // quad_perm
  switch (ctrl & 0x1f0) {
  case 0x100: return in_row + n < 16 ? i + n : -1;                        // row_shl: towards lane 0
  case 0x110: return in_row - n >= 0 ? i - n : -1;                        // row_shr
  case 0x120: return row | ((in_row - n) & 15);                           // row_ror
  }
  switch (ctrl) {
  case 0x130: return i + 1 < 64 ? i + 1 : -1;                             // wave_shl:1
  case 0x134: return (i + 1) & 63;                                        // wave_rol:1
  case 0x138: return i - 1;                                               // wave_shr:1
  case 0x13c: return (i - 1) & 63;                                        // wave_ror:1
  case 0x140: return row | (15 - in_row);                                 // row_mirror
  case 0x141: return (i & ~7) | (7 - (i & 7));                            // row_half_mirror
  case 0x142: return row ? row - 1 : -1;                                  // row_bcast:15
  case 0x143: return i >= 32 ? 31 : -1;                                   // row_bcast:31
  }
  return -1;
}

uint32_t reverse5(uint32_t v) { return (v & 1) << 4 | (v & 2) << 2 | (v & 4) | (v >> 2 & 2) | (v >> 4 & 1); }

// Where lane i of 32 reads from.
uint32_t swizzle_source(uint32_t offset, bool rotates, uint32_t i) {
  const uint32_t low = offset & 31, middle = offset >> 5 & 31;
  if (rotates && offset >= 0xe000) return reverse5(i) >> std::popcount(low) | (i & low);  // FFT
  if (rotates && offset >= 0xc000) {                                                      // rotation
    const uint32_t by = offset & 0x400 ? 0u - middle : middle;
    return (i & low) | ((i + by) & ~low & 31);
  }
  if (offset & 0x8000) return (i & ~3u) | (offset >> (2 * (i & 3)) & 3);
  return ((i & low) | middle) ^ (offset >> 10 & 31);
}

// Patterns by what they are made from. Only decoding comes here, so that a lock is cheap enough.
template <class Source> const LanePattern& remember(uint32_t key, Source source) {
  static std::mutex mutex;
  static std::map<uint32_t, LanePattern> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(key);
  if (fresh) {
    int8_t from[64];
    for (int i = 0; i < 64; ++i) from[i] = int8_t(source(i));
    at->second = plan(from);
  }
  return at->second;
}

}  // namespace

LanePattern plan(const int8_t (&from)[64]) {
  using Move = LanePattern::Move;
  LanePattern p{};
  for (int i = 0; i < 64; ++i) {
    // A lane without a source may read any: take what keeps its row alike with the first one.
    const int first = from[i & 15];
    const int like_first = first >= 0 && first < 16 ? (i & ~15) | first : i;
    p.from[i] = uint8_t(from[i] < 0 ? like_first : from[i]);
    if (from[i] >= 0) p.valid |= uint64_t(1) << i;
  }
  bool fits = true, same_lane = true, own_row = true, alike = true, in_quads = true, one = true;
  for (int r = 0; r < 4; ++r) {
    const uint8_t* f = p.from + 16 * r;
    const auto row_of = [](uint8_t lane) { return uint8_t(lane / 16); };
    p.low[r] = p.high[r] = row_of(f[0]);
    for (int i = 0; i < 16; ++i)
      if (row_of(f[i]) != p.low[r]) p.high[r] = row_of(f[i]);
    for (int i = 0; i < 16; ++i) {
      const uint8_t row = row_of(f[i]), lane = f[i] & 15;
      fits &= row == p.low[r] || row == p.high[r];
      one &= row == p.low[r];
      same_lane &= lane == i;
      own_row &= row == r;
      alike &= lane == (p.from[i] & 15);
      in_quads &= lane / 4 == i / 4;
      p.index[16 * r + i] = uint8_t(lane + (row == p.low[r] ? 0 : 16));
    }
  }
  if (own_row && same_lane) p.move = Move::none;
  else if (one && same_lane) p.move = Move::rows;
  else if (own_row && alike && in_quads) p.move = Move::in_quads;
  else if (own_row && alike) p.move = Move::in_row;
  else if (one) p.move = Move::one_row;
  else p.move = fits ? Move::two_rows : Move::any;
  return p;
}

const LanePattern& dpp_pattern(uint32_t dpp_ctrl) {
  return remember(dpp_ctrl, [&](int i) { return dpp_source(dpp_ctrl, i); });
}

const LanePattern& swizzle_pattern(uint32_t offset, isa::Generation generation) {
  const bool rotates = generation >= isa::Generation::gfx9;
  return remember(1u << 31 | uint32_t(rotates) << 30 | offset,
                  [&](int i) { return (i & 32) | int(swizzle_source(offset, rotates, uint32_t(i & 31))); });
}

}  // namespace crosslane::engine
