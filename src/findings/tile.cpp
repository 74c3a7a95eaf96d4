// Three lanes give base, step and pitch; all others have to agree.
#include "findings/tile.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <set>

namespace crosslane::findings {

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

bool adjacent(const views::LaneExample& e) {
  if (!e.two_addresses)
    return false;
  for (size_t lane = 0; lane < 64; ++lane)
    if (e.lanes >> lane & 1 && e.second[lane] != e.address[lane] + 4)
      return false;
  return true;
}

uint32_t bank_degree(const views::LaneExample& e) {
  uint32_t degree = 0;
  const bool both = adjacent(e);
  const size_t group = both ? 16 : 32; // lanes that are served together
  for (size_t first = 0; first < 64; first += group) {
    std::array<std::set<uint64_t>, 32> banks;
    for (size_t lane = first; lane < first + group; ++lane)
      if (e.lanes >> lane & 1)
        for (const uint64_t dword : {e.address[lane] / 4, e.address[lane] / 4 + both})
          banks[dword % 32].insert(dword);
    for (const auto& bank : banks)
      degree = std::max(degree, static_cast<uint32_t>(bank.size()));
  }
  return degree;
}

namespace {

bool goes_down(const Tile& tile) { return std::abs(tile.step) > std::abs(tile.pitch); }

// The same access with rows that far apart. Far from 0, so that steps backwards stay above it.
views::LaneExample with_pitch(const views::LaneExample& e, const Tile& tile, int64_t pitch) {
  const bool both = adjacent(e);
  views::LaneExample moved = e;
  const int64_t step = goes_down(tile) ? pitch : tile.step, rows = goes_down(tile) ? tile.pitch : pitch;
  for (uint32_t lane = 0; lane < 64; ++lane) {
    moved.address[lane] = static_cast<uint64_t>((1 << 20) + lane % tile.width * step + lane / tile.width * rows);
    if (both)
      moved.second[lane] = moved.address[lane] + 4;
  }
  return moved;
}

} // namespace

std::optional<uint64_t> row_pitch(const views::LaneExample& e) {
  const auto tile = tile_of(e);
  if (!tile)
    return {};
  const int64_t pitch = goes_down(*tile) ? tile->step : tile->pitch;
  return pitch > 4 && pitch % 4 == 0 ? std::optional(static_cast<uint64_t>(pitch)) : std::nullopt;
}

std::optional<uint64_t> better_pitch(std::span<const views::LaneExample* const> examples, uint64_t now) {
  for (uint64_t pitch = now + 4; pitch <= now + 128; pitch += 4)
    if (std::all_of(examples.begin(), examples.end(), [&](const views::LaneExample* e) {
          return bank_degree(with_pitch(*e, *tile_of(*e), static_cast<int64_t>(pitch))) <= 1;
        }))
      return pitch;
  return {};
}

} // namespace crosslane::findings
