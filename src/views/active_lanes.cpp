// A histogram per block, in a table per thread. Lanes launched are kept as a sum, so that an event is a popcount of two
// masks and two additions; the rest follows when it is read.
#include "views/active_lanes.h"
#include "timing/issue_cycles.h"
#include "views/per_thread.h"
#include <algorithm>
#include <bit>
#include <map>

namespace crosslane::views {

namespace {

struct BlockLanes {
  const events::Block* block = nullptr;
  std::array<uint64_t, 65> waves = {};
  uint64_t launched = 0; // sum of lanes
};
// By events::Block::id. Pointers: a process has thousands of blocks, a thread goes through a few of them.
using Table = std::vector<std::unique_ptr<BlockLanes>>;

[[gnu::noinline]] void add_block(Table& table, const events::Block& block) {
  if (block.id >= table.size())
    table.resize(std::max<size_t>(block.id + 1, table.size() * 2));
  table[block.id] = std::make_unique<BlockLanes>();
  table[block.id]->block = &block;
}

[[gnu::always_inline]] inline BlockLanes& lanes_of(Table& table, const events::Block& block) {
  if (block.id >= table.size() || !table[block.id]) [[unlikely]]
    add_block(table, block);
  return *table[block.id];
}

} // namespace

uint64_t ActiveLanes::executions() const {
  uint64_t sum = 0;
  for (const uint64_t n : waves)
    sum += n;
  return sum;
}

uint64_t ActiveLanes::lanes() const {
  uint64_t sum = 0;
  for (size_t lanes = 0; lanes < waves.size(); ++lanes)
    sum += lanes * waves[lanes];
  return sum;
}

ActiveLanes& ActiveLanes::operator+=(const ActiveLanes& other) {
  for (size_t i = 0; i < waves.size(); ++i)
    waves[i] += other.waves[i];
  diverged += other.diverged;
  missing += other.missing;
  return *this;
}

struct ActiveLaneCounts::Impl {
  PerThread<Table> tables;
};

ActiveLaneCounts::ActiveLaneCounts() : impl_(std::make_unique<Impl>()) {}
ActiveLaneCounts::~ActiveLaneCounts() = default;

void ActiveLaneCounts::issued(const events::Issued& event) {
  BlockLanes& b = lanes_of(impl_->tables.mine(), *event.block);
  ++b.waves[static_cast<size_t>(std::popcount(event.exec))];
  // Code may turn on lanes that were not launched: they are active like others. Mostly all were.
  const uint64_t launched = event.wave->launched | event.exec;
  b.launched += ~launched ? static_cast<uint64_t>(std::popcount(launched)) : 64;
}

void ActiveLaneCounts::counted(const events::Counted& event) {
  BlockLanes& b = lanes_of(impl_->tables.mine(), *event.block);
  for (size_t lanes = 0; lanes < event.waves.size(); ++lanes)
    b.waves[lanes] += event.waves[lanes], b.launched += 64 * event.waves[lanes];
}

std::vector<ActiveLanesSite> ActiveLaneCounts::sites() const {
  std::map<uint64_t, ActiveLanesSite> merged;
  impl_->tables.for_each([&](const Table& table) {
    for (const auto& b : table) {
      if (!b)
        continue;
      ActiveLanes active;
      active.waves = b->waves;
      active.diverged = b->launched - active.lanes();
      active.missing = 64 * active.executions() - b->launched;
      for (const events::Site& at : b->block->sites) {
        ActiveLanesSite& site = merged[at.pc];
        site.pc = at.pc;
        site.instruction = *at.instruction;
        site.active += active;
      }
    }
  });
  std::vector<ActiveLanesSite> sites;
  for (auto& [pc, site] : merged) {
    // The 16 lanes of the unit are busy with a 64-lane wavefront for 4 cycles or a multiple: a lane-cycle per lane
    // each.
    const double passes = timing::ignores_exec(site.instruction) ? 0 : timing::issue_cycles(site.instruction) / 4.0;
    site.lost_to_divergence = static_cast<double>(site.active.diverged) * passes;
    site.lost_to_partial_waves = static_cast<double>(site.active.missing) * passes;
    sites.push_back(std::move(site));
  }
  return sites;
}

} // namespace crosslane::views
