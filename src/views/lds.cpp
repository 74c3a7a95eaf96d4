// Counters per site, in a table per thread.
#include "views/lds.h"
#include "timing/lds_cycles.h"
#include "views/lds_banks.h"
#include "views/per_thread.h"
#include "views/recent.h"
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace crosslane::views {

namespace {

auto place(const LaneExample& e) { return std::tie(e.workgroup[2], e.workgroup[1], e.workgroup[0], e.wave); }

LaneExample example(const events::Access& event) {
  LaneExample e;
  std::copy_n(event.wave->workgroup->id, 3, e.workgroup);
  e.wave = event.wave->id;
  e.lanes = event.lanes;
  e.two_addresses = event.second != nullptr;
  for (uint64_t lanes = event.lanes; lanes; lanes &= lanes - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(lanes));
    e.address[lane] = event.address[lane];
    if (event.second)
      e.second[lane] = event.second[lane];
  }
  return e;
}

bool earlier(const machine::Wave& wave, const LaneExample& than) {
  const uint32_t* id = wave.workgroup->id;
  return std::make_tuple(id[2], id[1], id[0], uint32_t(wave.id)) < place(than);
}

bool worse(const LdsSite& a, const LdsSite& than) {
  return a.worst_degree != than.worst_degree ? a.worst_degree > than.worst_degree : place(a.worst) < place(than.worst);
}

void take_worst(LdsSite& to, const LdsSite& from) {
  to.worst_degree = from.worst_degree;
  to.worst_bank = from.worst_bank;
  std::copy_n(from.worst_lane, 2, to.worst_lane);
  std::copy_n(from.worst_address, 2, to.worst_address);
  to.worst = from.worst;
}

struct Site : LdsSite {
  const LdsServer::Known* last = nullptr;
};

struct Table {
  std::unordered_map<uint64_t, Site> sites; // by pc
  Recent<Site> recent;
  LdsServer server;

  Site& find(const events::Access& event) {
    return recent.find(event.site.pc, event.site.pc / 4, [&] {
      const auto [at, added] = sites.try_emplace(event.site.pc);
      Site& site = at->second; // stays where it is while others are added
      if (added) {
        site.pc = event.site.pc;
        site.instruction = *event.site.instruction;
        site.kind = event.kind;
        site.bytes = event.bytes;
      }
      return &site;
    });
  }
};

} // namespace

LdsCounts& LdsCounts::operator+=(const LdsCounts& other) {
  accesses += other.accesses;
  lanes += other.lanes;
  cycles += other.cycles;
  ideal_cycles += other.ideal_cycles;
  broadcasts += other.broadcasts;
  same_address_atomics += other.same_address_atomics;
  same_address_cycles += other.same_address_cycles;
  return *this;
}

struct LdsBanks::Impl {
  PerThread<Table> tables;
};

LdsBanks::LdsBanks() : impl_(std::make_unique<Impl>()) {}
LdsBanks::~LdsBanks() = default;

void LdsBanks::access(const events::Access& event) {
  if (event.space != events::Space::lds)
    return;
  Table& table = impl_->tables.mine();
  Site& site = table.find(event);
  const LdsServed served = table.server.serve(event, site.last);
  site.counts += served.counts;
  const uint32_t ideal = timing::lds_cycles(event);
  site.counts.cycles += ideal;
  site.counts.ideal_cycles += ideal;
  if (served.degree > site.worst_degree || (served.degree == site.worst_degree && earlier(*event.wave, site.worst))) {
    site.worst_degree = served.degree;
    site.worst = example(event);
    if (served.degree > 1)
      table.server.find_worst(event, served.degree, site);
  }
}

std::vector<LdsSite> LdsBanks::sites() const {
  std::map<uint64_t, LdsSite> merged;
  impl_->tables.for_each([&](const Table& table) {
    for (const auto& [pc, site] : table.sites) {
      const auto [at, first] = merged.try_emplace(pc, site);
      if (first)
        continue;
      at->second.counts += site.counts;
      if (worse(site, at->second))
        take_worst(at->second, site);
    }
  });
  std::vector<LdsSite> sites;
  sites.reserve(merged.size());
  for (const auto& [pc, site] : merged)
    sites.push_back(site);
  return sites;
}

} // namespace crosslane::views
