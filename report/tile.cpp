// Three lanes give base, step and pitch; all others have to agree.
#include "report/tile.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <set>

namespace crosslane::report {

namespace {

std::optional<Tile> fit(const views::LaneExample& e, uint32_t width) {
  Tile tile{width, 0, 0};
  const auto at = [&](uint32_t lane) { return static_cast<int64_t>(e.address[lane]); };
  const auto first = static_cast<uint32_t>(std::countr_zero(e.lanes));
  bool step = false, pitch = false;
  uint32_t last = first;
  for (uint32_t lane = first + 1; lane < 64; ++lane) {
    if (!(e.lanes >> lane & 1))
      continue;
    if (!step && lane / width == last / width) {
      const int64_t lanes = lane - last;
      if ((at(lane) - at(last)) % lanes)
        return {};
      tile.step = (at(lane) - at(last)) / lanes, step = true;
    }
    last = lane;
  }
  if (!step)
    return {};
  const auto column = [&](uint32_t lane) { return static_cast<int64_t>(lane % width); };
  const auto row = [&](uint32_t lane) { return static_cast<int64_t>(lane / width); };
  for (uint32_t lane = first + 1; lane < 64; ++lane) {
    if (!(e.lanes >> lane & 1))
      continue;
    const int64_t rest = at(lane) - at(first) - (column(lane) - column(first)) * tile.step,
                  rows = row(lane) - row(first);
    if (rows && !pitch) {
      if (rest % rows)
        return {};
      tile.pitch = rest / rows, pitch = true;
    }
    if (rest != rows * tile.pitch)
      return {};
  }
  return tile;
}

} // namespace

std::optional<Tile> tile_of(const views::LaneExample& e) {
  if (std::popcount(e.lanes) < 8)
    return {};
  for (const uint32_t width : {64, 32, 16, 8, 4, 2})
    if (const auto tile = fit(e, width))
      return tile;
  return {};
}

uint32_t bank_degree(const views::LaneExample& e) {
  uint32_t degree = 0;
  for (const size_t half : {0, 32}) {
    std::array<std::set<uint64_t>, 32> banks;
    for (size_t lane = half; lane < half + 32; ++lane)
      if (e.lanes >> lane & 1)
        banks[e.address[lane] / 4 % 32].insert(e.address[lane] / 4);
    for (const auto& bank : banks)
      degree = std::max(degree, static_cast<uint32_t>(bank.size()));
  }
  return degree;
}

std::optional<Pitch> better_pitch(const views::LaneExample& e) {
  const auto tile = tile_of(e);
  if (!tile)
    return {};
  const bool down = std::abs(tile->step) > std::abs(tile->pitch); // the lanes' own step is from row to row
  const int64_t now = down ? tile->step : tile->pitch;
  if (now <= 0 || now % 4)
    return {};
  for (int64_t better = now + 4; better <= now + 128; better += 4) {
    views::LaneExample moved = e;
    const int64_t step = down ? better : tile->step, pitch = down ? tile->pitch : better;
    for (uint32_t lane = 0; lane < 64; ++lane) // far from 0, so that steps backwards stay above it
      moved.address[lane] = static_cast<uint64_t>((1 << 20) + lane % tile->width * step + lane / tile->width * pitch);
    if (bank_degree(moved) == 1)
      return Pitch{static_cast<uint64_t>(now), static_cast<uint64_t>(better)};
  }
  return {};
}

} // namespace crosslane::report
