// Owns moving a wave's register by a pattern known at decoding (engine/lane_pattern.h): one function per class of pattern, so
// that each costs what it must. Compiled once per level.
#pragma once
#include "engine/lane_pattern.h"
#include "engine/own.h"
#include "engine/uop.h"
#include "lanes/dynamic.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

using LaneRow = lanes::Vec<uint32_t, 16>;

template <LanePattern::Move M> CROSSLANE_INLINE void move_lanes(const LaneRow (&in)[4], const LanePattern& p, LaneRow (&out)[4]) {
  using enum LanePattern::Move;
  const auto bytes = [](const uint8_t* at) { return lanes::convert<uint32_t>(lanes::load<uint8_t, 16>(at)); };
  if constexpr (M == none) {
    for (int r = 0; r < 4; ++r) out[r] = in[r];
  } else if constexpr (M == rows) {
    for (int r = 0; r < 4; ++r) out[r] = in[p.low[r]];
  } else if constexpr (M == in_quads || M == in_row) {
    const LaneRow index = bytes(p.index);
    for (int r = 0; r < 4; ++r) out[r] = M == in_quads ? lanes::permute_in_quads(in[r], index) : lanes::permute(in[r], index);
  } else if constexpr (M == one_row) {
    for (int r = 0; r < 4; ++r) out[r] = lanes::permute(in[p.low[r]], bytes(p.index + 16 * r));
  } else if constexpr (M == two_rows) {
    for (int r = 0; r < 4; ++r) out[r] = lanes::lookup(in[p.low[r]], in[p.high[r]], bytes(p.index + 16 * r));
  } else {
    for (int r = 0; r < 4; ++r) out[r] = lanes::lookup(in, bytes(p.from + 16 * r));
  }
}

// Lanes whose source exists and is active.
template <LanePattern::Move M> CROSSLANE_INLINE uint64_t readable_lanes(uint64_t exec, const LanePattern& p) {
  if (exec == ~uint64_t(0)) return p.valid;
  if constexpr (M == LanePattern::Move::none) return exec & p.valid;
  uint64_t readable = 0;
#ifdef __AVX512F__
  LaneRow active[4], moved[4];
  for (int r = 0; r < 4; ++r) active[r] = lanes::select(lanes::Mask<16>(uint16_t(exec >> 16 * r)), LaneRow(~0u), LaneRow(0u));
  move_lanes<M>(active, p, moved);
  for (int r = 0; r < 4; ++r) readable |= uint64_t((moved[r] != LaneRow(0u)).bits) << 16 * r;
#else
  for (int i = 0; i < 64; ++i) readable |= (exec >> p.from[i] & 1) << i;
#endif
  return readable & p.valid;
}

// Calls f.template operator()<M>() for the pattern's class.
template <class F> auto with_move(LanePattern::Move move, F f) {
  using enum LanePattern::Move;
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
}  // namespace crosslane::engine
