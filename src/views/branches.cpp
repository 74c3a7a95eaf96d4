// Counters per thread, added up when they are read.
#include "views/branches.h"
#include "views/per_thread.h"
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace crosslane::views {

namespace {

struct Cell {
  bool per_lane = false;
  BranchCounts counts;
};

// workgroup z, y, x, wave: sorts as the launch runs.
using WaveKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

struct Table {
  std::unordered_map<uint64_t, Cell> sites;
  std::map<WaveKey, std::unordered_map<uint64_t, BranchCounts>> waves;
  // A wave runs for long stretches: the last site and wave are usually the next ones.
  uint64_t last_pc = ~uint64_t(0);
  Cell* last_cell = nullptr;
};

void count(BranchCounts& c, uint64_t exec, uint64_t condition) {
  ++c.executions;
  c.all += condition == exec;
  c.none += condition == 0 && exec != 0;
  c.arriving_lanes += static_cast<uint64_t>(std::popcount(exec));
  c.condition_lanes += static_cast<uint64_t>(std::popcount(condition));
}

} // namespace

BranchCounts& BranchCounts::operator+=(const BranchCounts& other) {
  executions += other.executions;
  all += other.all;
  none += other.none;
  arriving_lanes += other.arriving_lanes;
  condition_lanes += other.condition_lanes;
  return *this;
}

struct Branches::Impl {
  bool per_wave = false;
  PerThread<Table> tables;
};

Branches::Branches(bool per_wave) : impl_(std::make_unique<Impl>()) { impl_->per_wave = per_wave; }
Branches::~Branches() = default;

void Branches::branch(const events::Branch& event) {
  Table& table = impl_->tables.mine();
  const uint64_t pc = event.site.pc, condition = event.condition & event.exec;
  if (table.last_pc != pc) {
    table.last_cell = &table.sites[pc]; // nodes of an unordered_map stay where they are
    table.last_cell->per_lane = event.per_lane;
    table.last_pc = pc;
  }
  count(table.last_cell->counts, event.exec, condition);
  if (impl_->per_wave && event.wave) {
    const auto& w = *event.wave;
    const WaveKey key = w.workgroup ? WaveKey(w.workgroup->id[2], w.workgroup->id[1], w.workgroup->id[0], w.id)
                                    : WaveKey(0, 0, 0, w.id);
    count(table.waves[key][pc], event.exec, condition);
  }
}

bool Branches::takes_counts() const { return !impl_->per_wave; }

void Branches::branch_counted(const events::BranchCounted& event) {
  Cell& cell = impl_->tables.mine().sites[event.site.pc];
  cell.per_lane = event.per_lane;
  cell.counts += {event.executions, event.all, event.none, event.arriving_lanes, event.condition_lanes};
}

std::vector<BranchSite> Branches::sites() const {
  std::map<uint64_t, BranchSite> merged;
  impl_->tables.for_each([&](const Table& table) {
    for (const auto& [pc, cell] : table.sites) {
      BranchSite& site = merged[pc];
      site.pc = pc;
      site.per_lane = cell.per_lane;
      site.counts += cell.counts;
    }
  });
  std::vector<BranchSite> sites;
  for (auto& [pc, site] : merged)
    sites.push_back(std::move(site));
  return sites;
}

std::vector<WaveBranch> Branches::by_wave() const {
  std::map<std::pair<WaveKey, uint64_t>, BranchCounts> merged;
  impl_->tables.for_each([&](const Table& table) {
    for (const auto& [key, sites] : table.waves)
      for (const auto& [pc, counts] : sites)
        merged[{key, pc}] += counts;
  });
  std::vector<WaveBranch> waves;
  for (const auto& [key, counts] : merged) {
    const auto& [z, y, x, wave] = key.first;
    waves.push_back({{x, y, z}, wave, key.second, counts});
  }
  return waves;
}

} // namespace crosslane::views
