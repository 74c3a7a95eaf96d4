// Numbers of the views as text, by the names of the JSON.
#include "tests/profile_kernels/sites.h"
#include "timing/issue_cycles.h"
#include <cstdio>

namespace crosslane::test {

namespace {

const char* name_of(events::AccessKind kind) {
  switch (kind) {
  case events::AccessKind::load: return "load";
  case events::AccessKind::store: return "store";
  case events::AccessKind::atomic: return "atomic";
  }
  return "";
}

std::string share(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

} // namespace

void add_sites(const std::vector<views::MemorySite>& sites, Sites& all) {
  SiteNames names;
  for (const views::MemorySite& s : sites) {
    const std::string space = s.space == events::Space::scratch  ? "scratch_"
                              : s.space == events::Space::scalar ? "scalar_"
                                                                 : "";
    Values& v = all[names.next(space + name_of(s.kind))];
    const views::MemoryCounts& c = s.counts;
    const std::pair<const char*, uint64_t> numbers[] = {
        {"bytes", s.bytes},
        {"requests", c.requests},
        {"lanes", c.lanes},
        {"lines", c.lines},
        {"ideal_lines", c.ideal_lines},
        {"excess_lines", c.excess_lines()},
        {"bytes_asked", c.bytes_asked},
        {"bytes_moved", c.bytes_moved},
        {"l2_operations", c.l2_operations},
        {"address_collisions", c.address_collisions},
        {"clocks", c.clocks},
        {"ideal_clocks", c.ideal_clocks},
        {"same_address", c.l1_groups[int(views::L1Case::same_address)]},
        {"quads_same_address", c.l1_groups[int(views::L1Case::quads_same_address)]},
        {"quads_one_block", c.l1_groups[int(views::L1Case::quads_one_block)]},
        {"separate_quads", c.l1_groups[int(views::L1Case::separate_quads)]},
        {"wide", c.l1_groups[int(views::L1Case::wide)]},
        {"misaligned_lanes", c.misaligned_lanes},
        {"split_lanes", c.split_lanes},
        {"alignment", s.alignment},
    };
    for (const auto& [name, number] : numbers)
      v[name] = std::to_string(number);
    v["stride"] = std::to_string(s.stride);
    v["pattern"] = views::describe_pattern(s);
    v["pattern_share"] = share(s.pattern_share);
  }
}

void add_sites(const std::vector<views::LdsSite>& sites, Sites& all) {
  SiteNames names;
  for (const views::LdsSite& s : sites) {
    Values& v = all[names.next(std::string("lds_") + name_of(s.kind))];
    const views::LdsCounts& c = s.counts;
    const std::pair<const char*, uint64_t> numbers[] = {
        {"bytes", s.bytes},
        {"accesses", c.accesses},
        {"lanes", c.lanes},
        {"cycles", c.cycles},
        {"ideal_cycles", c.ideal_cycles},
        {"conflict_cycles", c.conflict_cycles()},
        {"broadcasts", c.broadcasts},
        {"same_address_atomics", c.same_address_atomics},
        {"same_address_cycles", c.same_address_cycles},
        {"worst_degree", s.worst_degree},
        {"worst_bank", s.worst_bank},
    };
    for (const auto& [name, number] : numbers)
      v[name] = std::to_string(number);
    v["worst_lanes"] = std::to_string(s.worst_lane[0]) + "," + std::to_string(s.worst_lane[1]);
    v["worst_addresses"] = std::to_string(s.worst_address[0]) + "," + std::to_string(s.worst_address[1]);
    v["worst_wave"] = std::to_string(s.worst.wave);
  }
}

void add_sites(const std::vector<views::ActiveLanesSite>& sites, Sites& all) {
  SiteNames names;
  for (const views::ActiveLanesSite& s : sites) {
    if (!timing::issue_cycles(s.instruction))
      continue;
    Values& v = all[names.next("valu")];
    v["executions"] = std::to_string(s.active.executions());
    v["lanes"] = std::to_string(s.active.lanes());
    v["diverged_lanes"] = std::to_string(s.active.diverged);
    v["missing_lanes"] = std::to_string(s.active.missing);
    v["lost_lane_cycles"] = share(s.lost_to_divergence);
    v["lost_to_partial_waves"] = share(s.lost_to_partial_waves);
  }
}

void add_sites(const std::vector<views::BranchSite>& sites, Sites& all) {
  SiteNames names;
  for (const views::BranchSite& s : sites) {
    Values& v = all[names.next("branch")];
    const views::BranchCounts& c = s.counts;
    const std::pair<const char*, uint64_t> numbers[] = {
        {"executions", c.executions},
        {"all", c.all},
        {"none", c.none},
        {"agreements", c.agreements()},
        {"divergences", c.divergences()},
        {"arriving_lanes", c.arriving_lanes},
        {"condition_lanes", c.condition_lanes},
    };
    for (const auto& [name, number] : numbers)
      v[name] = std::to_string(number);
    v["per_lane"] = s.per_lane ? "true" : "false";
  }
}

} // namespace crosslane::test
