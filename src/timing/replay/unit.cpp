// Who gets a place, and what an access takes.
#include "timing/replay/unit.h"
#include <algorithm>
#include <cassert>

namespace crosslane::timing::replay {

namespace {

// The SIMD unit with fewest waves that has room for another one; 4: none.
uint32_t simd_for(const std::array<uint32_t, 4>& resident, const std::array<uint32_t, 4>& vgprs,
                  const std::array<uint32_t, 4>& sgprs, const Needs& n, const Machine& m) {
  uint32_t best = 4;
  for (uint32_t s = 0; s < m.simds; ++s)
    if (resident[s] < m.waves_per_simd && vgprs[s] + n.vgprs <= m.vgprs && sgprs[s] + n.sgprs <= m.sgprs &&
        (best == 4 || resident[s] < resident[best]))
      best = s;
  return best;
}

} // namespace

uint32_t capacity(const Needs& n, const Machine& m) {
  Unit unit(m, 0);
  uint32_t groups = 0;
  for (; unit.fits(n, m); ++groups) {
    unit.add_group(n.waves, n);
    for (uint32_t i = 0; i < n.waves; ++i) {
      const uint32_t s = simd_for(unit.resident, unit.vgprs, unit.sgprs, n, m);
      ++unit.resident[s], unit.vgprs[s] += n.vgprs, unit.sgprs[s] += n.sgprs;
    }
  }
  return groups;
}

// The unit's 64 lanes take 4 or 16 clocks of addresses; loads of several dwords are as slow as their data.
uint32_t address_clocks(const Machine& m, const Access& a, uint32_t lines) {
  if (a.kind != Kind::load) {
    const uint32_t bytes = std::min(64 * lines, 256 * a.dwords);
    return std::max({a.clocks, m.store_clocks, bytes / m.store_bytes});
  }
  const uint32_t banks = m.bank_conflicts ? a.conflicted : 1;
  if (a.shape == Shape::narrow)
    return std::max({a.clocks, banks, 1u});
  return std::max(banks, a.clocks * m.load_clocks[int(a.shape)][a.scattered] / 16); // of fewer lanes in proportion
}

bool Unit::fits(const Needs& n, const Machine& m) const {
  if (lds + n.lds > m.lds_bytes || (n.waves > 1 && barriers == m.barriers))
    return false;
  if (resident[0] + resident[1] + resident[2] + resident[3] + n.waves > slots)
    return false;
  auto waves_now = resident, vgprs_now = vgprs, sgprs_now = sgprs;
  for (uint32_t i = 0; i < n.waves; ++i) {
    const uint32_t s = simd_for(waves_now, vgprs_now, sgprs_now, n, m);
    if (s == 4)
      return false;
    ++waves_now[s], vgprs_now[s] += n.vgprs, sgprs_now[s] += n.sgprs;
  }
  return true;
}

uint32_t Unit::add_group(uint32_t count, const Needs& n) {
  auto group = std::ranges::find(groups, 0u, &Group::waves);
  if (group == groups.end())
    group = groups.insert(group, Group{});
  *group = {.waves = count, .left = count, .lds = n.lds, .vgprs = n.vgprs, .sgprs = n.sgprs};
  lds += n.lds;
  barriers += count > 1;
  return uint32_t(group - groups.begin());
}

uint32_t Unit::add_wave(uint32_t group, const Needs& n, const Machine& m, std::vector<uint64_t>&& words,
                        uint64_t begin) {
  const uint32_t s = simd_for(resident, vgprs, sgprs, n, m);
  const auto wave = std::ranges::find(waves, nullptr, &Wave::block);
  assert(s < 4 && wave != waves.end());
  ++resident[s], vgprs[s] += n.vgprs, sgprs[s] += n.sgprs;
  *wave = {.time = begin, .begin = begin, .group = group, .simd = uint8_t(s), .storage = std::move(words)};
  wave->words = Cursor(wave->storage);
  return uint32_t(wave - waves.begin());
}

void Unit::remove_wave(uint32_t slot, uint64_t time) {
  Wave& w = waves[slot];
  Group& g = groups[w.group];
  --resident[w.simd], vgprs[w.simd] -= g.vgprs, sgprs[w.simd] -= g.sgprs;
  released = std::max(released, time);
  w.block = nullptr;
  w.storage = {};
  if (--g.left)
    return;
  lds -= g.lds;
  barriers -= g.waves > 1;
  g.waves = 0;
}

} // namespace crosslane::timing::replay
