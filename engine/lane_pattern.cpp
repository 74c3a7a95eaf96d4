// Planning of cross-lane patterns.
#include "engine/lane_pattern.h"
#include "cross_lane/control.h"
#include <map>
#include <mutex>

namespace crosslane::engine {

namespace {

// Patterns by what they are made from. Only decoding comes here, so that a lock is cheap enough.
template <class Sources> const LanePattern& remember(uint32_t key, Sources sources) {
  static std::mutex mutex;
  static std::map<uint32_t, LanePattern> known;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(key);
  if (fresh) at->second = plan(sources());
  return at->second;
}

}  // namespace

LanePattern plan(const std::array<int8_t, 64>& from) {
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
  return remember(dpp_ctrl, [&] { return cross_lane::dpp_sources(dpp_ctrl); });
}

const LanePattern& swizzle_pattern(uint32_t offset, isa::Generation generation) {
  const bool rotates = generation >= isa::Generation::gfx9;
  return remember(1u << 31 | uint32_t(rotates) << 30 | offset, [&] { return cross_lane::swizzle_sources(offset, generation); });
}

}  // namespace crosslane::engine
