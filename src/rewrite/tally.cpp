// Record by record, in the order of workgroups.
#include "rewrite/tally.h"
#include <algorithm>
#include <cstring>

namespace crosslane::rewrite {

namespace {

uint32_t waves_of(const uint32_t (&items)[3]) { return (items[0] * items[1] * items[2] + 63) / 64; }

// f(wave, record in its workgroup) of each wave that a workgroup has. A workgroup at the end of the grid may have fewer
// work-items, and then fewer waves; a wave finds its record by the ids of its first work-item as if the workgroup were
// full: a number that no other one has.
template <class F> void each_wave(const Grid& grid, const uint32_t (&group)[3], F f) {
  uint32_t part[3];
  for (int d = 0; d < 3; ++d)
    part[d] = std::min(grid.workgroup[d], grid.items[d] - group[d] * grid.workgroup[d]);
  const uint32_t waves = waves_of(part);
  for (uint32_t w = 0; w < waves; ++w) {
    const uint32_t x = w * 64 % part[0], y = w * 64 / part[0] % part[1], z = w * 64 / part[0] / part[1];
    f(w, (x + grid.workgroup[0] * (y + grid.workgroup[1] * z)) / 64);
  }
}

// Whole entries of the record's trace.
std::vector<uint32_t> trace_of(const MemoryPlan& plan, std::span<const uint32_t> record) {
  const auto trace = record.subspan(plan.first / 4);
  size_t end = 0;
  while (end < trace.size() && trace[end] < plan.places.size()) {
    const size_t words = traced_bytes(plan.places[trace[end]].vectors) / 4;
    if (words > trace.size() - end)
      break;
    end += words;
  }
  return {trace.begin(), trace.begin() + ptrdiff_t(end)};
}

} // namespace

std::optional<uint64_t> bytes_of_records(const KernelPlan& plan, const Grid& grid) {
  uint64_t bytes = uint64_t(plan.record_bytes) * waves_of(grid.workgroup);
  for (int d = 0; d < 3; ++d) {
    bytes *= grid.groups(d);
    if (bytes > UINT32_MAX)
      return {};
  }
  return bytes;
}

Control control_for(const KernelPlan& plan, uint64_t records, const Grid& grid) {
  const uint32_t of_group = plan.record_bytes * waves_of(grid.workgroup), of_row = of_group * grid.groups(0),
                 of_layer = of_row * grid.groups(1);
  const auto only = [&](int d) { return grid.workgroup[d] == 1 && grid.groups(d) == 1; };
  return {records,
          of_layer * grid.groups(2),
          {of_group, only(1) && only(2) ? 0 : of_row, only(2) ? 0 : of_layer},
          {grid.workgroup[0], grid.workgroup[0] * grid.workgroup[1]}};
}

Tally::Tally(const KernelPlan& plan, bool per_wave)
    : plan_(plan), per_wave_(per_wave), sites_(plan.sites.size()), blocks_(plan.counted.size()),
      lanes_(plan.lanes ? plan.lanes->runs.size() : 0),
      user_(plan.user ? plan.user->places.size() * plan.user->counters : 0),
      loops_(plan.time ? plan.time->loops.size() : 0) {}

void Tally::add(const Grid& grid, std::span<const uint8_t> records) {
  std::vector<uint32_t> record(plan_.record_bytes / 4);
  size_t first = 0; // of a workgroup
  for (uint32_t z = 0; z < grid.groups(2); ++z)
    for (uint32_t y = 0; y < grid.groups(1); ++y)
      for (uint32_t x = 0; x < grid.groups(0); ++x) {
        const uint32_t group[3] = {x, y, z};
        each_wave(grid, group, [&](uint32_t wave, uint32_t number) {
          std::memcpy(record.data(), records.data() + (first + number) * plan_.record_bytes, plan_.record_bytes);
          add_wave(group, wave, record);
        });
        first += waves_of(grid.workgroup);
      }
}

void Tally::add_wave(const uint32_t (&group)[3], uint32_t wave, std::span<const uint32_t> record) {
  ++expected_;
  // As the memory was: this wave did not come to its end.
  if (plan_.counters && std::ranges::all_of(record.first(plan_.counters), [](uint32_t c) { return c == ~0u; }))
    return;
  ++recorded_;
  WaveCounts counts = counts_of(plan_, record);
  for (size_t b = 0; b < counts.blocks.size(); ++b)
    blocks_[b] += counts.blocks[b];
  for (size_t r = 0; r < counts.lanes.size(); ++r)
    lanes_[r] += counts.lanes[r];
  for (size_t u = 0; u < counts.user.size(); ++u)
    user_[u] += counts.user[u];
  if (counts.time) {
    for (size_t l = 0; l < loops_.size(); ++l)
      loops_[l].cycles += counts.time->loops[l].cycles, loops_[l].entries += counts.time->loops[l].entries;
    timed_.push_back({{group[0], group[1], group[2]}, wave, std::move(*counts.time)});
  }
  if (plan_.memory)
    traced_.push_back({{group[0], group[1], group[2]}, wave, counts.accesses, trace_of(*plan_.memory, record)});
  for (size_t s = 0; s < counts.sites.size(); ++s) {
    sites_[s] += counts.sites[s];
    if (per_wave_ && counts.sites[s].executions)
      waves_[{group[2], group[1], group[0], wave, uint32_t(s)}] += counts.sites[s];
  }
}

std::vector<Tally::OfWave> Tally::waves() const {
  std::vector<OfWave> all;
  for (const auto& [at, counts] : waves_)
    all.push_back({{at[2], at[1], at[0]}, at[3], at[4], counts});
  return all;
}

} // namespace crosslane::rewrite
