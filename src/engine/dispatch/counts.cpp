// What the counters of blocks come to.
#include "engine/counts.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace crosslane::engine {

namespace {

// Of a site at a block's end, from what its counters have.
events::BranchCounted at_site(const CountedUnit::Block& b, const BlockCells& cells, const BlockLanes& lanes) {
  events::BranchCounted out{
      b.block.sites.back(), isa::is_divergence(b.site), cells.executions, 0, 0, 64 * cells.executions, 0};
  for (size_t n = 0; n < lane_counts; ++n)
    out.executions += lanes.waves[n], out.arriving_lanes += n * lanes.waves[n];
  if (b.site != isa::SiteKind::decision) {
    out.all = cells.all, out.none = cells.none, out.condition_lanes = cells.condition_lanes;
    if (b.site == isa::SiteKind::exec && !b.narrows)
      out.arriving_lanes = 64 * cells.executions + cells.arriving_lanes;
    return out;
  }
  if (b.on_exec) { // all lanes, or none of none
    out.all = out.executions, out.condition_lanes = out.arriving_lanes;
    return out;
  }
  const auto taken = [&](uint64_t executions, uint64_t aside) { return b.counts_taken ? aside : executions - aside; };
  out.all = taken(cells.executions, cells.aside), out.condition_lanes = 64 * out.all;
  for (size_t n = 0; n < lane_counts; ++n) {
    const uint64_t waves = taken(lanes.waves[n], lanes.aside[n]);
    out.all += n ? waves : lanes.waves[n], out.condition_lanes += n * waves;
  }
  out.none = out.executions - out.all;
  return out;
}

} // namespace

void Counts::begin(const CompiledCode& code) {
  unit_ = code.counted, base_ = code.base;
  const size_t blocks = unit_->blocks.size(), cell_words = 8 + blocks * (sizeof(BlockCells) / 8);
  memory_.assign(cell_words + blocks * (sizeof(BlockLanes) / 8), 0);
  cells = reinterpret_cast<CountCells*>(memory_.data());
  lanes = reinterpret_cast<BlockLanes*>(memory_.data() + cell_words);
}

size_t Counts::index_of(uint32_t pc) const {
  const auto at = std::lower_bound(unit_->sites.begin(), unit_->sites.end(), base_ + uint64_t(pc) * 4,
                                   [](const events::Site& s, uint64_t address) { return s.pc < address; });
  return size_t(at - unit_->sites.begin());
}

void Counts::add_part(uint32_t pc, int64_t n, uint64_t exec) {
  const size_t end = index_of(pc);
  for (size_t i = end - std::min(size_t(std::max<int64_t>(n, 0)), end); i < end; ++i)
    ++parts_[{i, std::popcount(exec)}];
}

void Counts::add_faulted(uint32_t pc, uint64_t exec) {
  const size_t at = index_of(pc);
  for (const auto& b : unit_->blocks) {
    const auto first = size_t(b.block.sites.data() - unit_->sites.data());
    if (at >= first && at - first < b.block.sites.size())
      for (size_t i = first; i < first + b.block.sites.size(); ++i)
        ++parts_[{i, std::popcount(exec)}];
  }
}

void Counts::tell(events::Listener& listener) {
  if (!unit_)
    return;
  for (size_t n = 0; n < unit_->blocks.size(); ++n) {
    const CountedUnit::Block& b = unit_->blocks[n];
    std::array<uint64_t, lane_counts> waves;
    std::copy_n(lanes[n].waves, lane_counts, waves.begin());
    waves.back() += cells->blocks[n].executions;
    if (std::ranges::all_of(waves, [](uint64_t w) { return w == 0; }))
      continue;
    if (listener.wants_issued())
      listener.counted({&b.block, waves});
    if (listener.wants_branches() && b.site != isa::SiteKind::none)
      listener.branch_counted(at_site(b, cells->blocks[n], lanes[n]));
  }
  for (const auto& [at, count] : parts_) {
    std::array<uint64_t, lane_counts> waves{};
    waves[size_t(at.second)] = count;
    if (listener.wants_issued())
      listener.counted({&unit_->parts[at.first], waves});
  }
  parts_.clear(), unit_ = nullptr;
}

} // namespace crosslane::engine
