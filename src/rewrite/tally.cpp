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

// f(wave, its workgroup, its record) of each wave of the dispatch, in the order of workgroups.
template <class Byte, class F>
void each_record(const KernelPlan& plan, const Grid& grid, std::span<Byte> records, F f) {
  size_t first = 0; // of a workgroup
  for (uint32_t z = 0; z < grid.groups(2); ++z)
    for (uint32_t y = 0; y < grid.groups(1); ++y)
      for (uint32_t x = 0; x < grid.groups(0); ++x) {
        const uint32_t group[3] = {x, y, z};
        each_wave(grid, group, [&](uint32_t wave, uint32_t number) {
          f(wave, group, records.subspan((first + number) * plan.record_bytes, plan.record_bytes));
        });
        first += waves_of(grid.workgroup);
      }
}

uint32_t dword_at(std::span<const uint8_t> bytes, size_t at) {
  uint32_t value;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

// Bytes of the whole entries of a record's trace.
size_t bytes_traced(const MemoryPlan& plan, std::span<const uint8_t> record) {
  const auto trace = record.subspan(plan.first);
  size_t end = 0;
  while (end < trace.size()) {
    const uint32_t place = dword_at(trace, end);
    const size_t bytes = place < plan.places.size() ? traced_bytes(plan.places[place].vectors) : SIZE_MAX;
    if (bytes > trace.size() - end)
      break;
    end += bytes;
  }
  return end;
}

bool came_to_no_end(const KernelPlan& plan, std::span<const uint8_t> record) { // as the memory was
  return plan.counters &&
         std::ranges::all_of(record.first(plan.counters * 4), [](uint8_t b) { return b == no_record; });
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

void erase(const KernelPlan& plan, const Grid& grid, std::span<uint8_t> records) {
  if (!plan.memory)
    return void(std::ranges::fill(records, no_record));
  each_record(plan, grid, records, [&](uint32_t, const auto&, std::span<uint8_t> record) {
    size_t end = plan.memory->first + bytes_traced(*plan.memory, record);
    // Of an entry without room the beginning is there; of a wave that did not come to its end, nobody knows.
    if (came_to_no_end(plan, record) || (end < record.size() && dword_at(record, end) != ~0u))
      end = record.size();
    std::ranges::fill(record.first(end), no_record);
  });
}

Tally::Tally(const KernelPlan& plan, bool per_wave)
    : plan_(plan), per_wave_(per_wave), reader_(plan), sums_(plan.counters), record_(plan.counters),
      counters_(plan.counters), lanes_(plan.lanes ? plan.lanes->runs.size() : 0),
      loops_(plan.time ? plan.time->loops.size() : 0) {}

void Tally::add(const Grid& grid, std::span<const uint8_t> records) {
  each_record(plan_, grid, records,
              [&](uint32_t wave, const auto& group, auto record) { add_wave(group, wave, record); });
}

void Tally::add_wave(const uint32_t (&group)[3], uint32_t wave, std::span<const uint8_t> record) {
  ++expected_;
  if (came_to_no_end(plan_, record))
    return;
  ++recorded_;
  std::memcpy(record_.data(), record.data(), record_.size() * 4);
  reader_.read(record_, counters_);
  for (size_t c = 0; c < sums_.size(); ++c)
    sums_[c] += counters_[c];
  if (plan_.lanes)
    reader_.add_lanes(counters_, lanes_);
  if (plan_.time) {
    WaveTime time = reader_.time(counters_);
    for (size_t l = 0; l < loops_.size(); ++l)
      loops_[l].cycles += time.loops[l].cycles, loops_[l].entries += time.loops[l].entries;
    timed_.push_back({{group[0], group[1], group[2]}, wave, std::move(time)});
  }
  if (plan_.memory) {
    std::vector<uint32_t> words(bytes_traced(*plan_.memory, record) / 4);
    std::memcpy(words.data(), record.data() + plan_.memory->first, words.size() * 4);
    traced_.push_back({{group[0], group[1], group[2]}, wave, counters_[plan_.memory->accesses], std::move(words)});
  }
  if (!per_wave_ || plan_.sites.empty())
    return;
  const RecordReader::Executions own = reader_.executions(counters_, 1);
  for (size_t s = 0; s < own.sites.size(); ++s)
    if (own.sites[s].executions)
      waves_[{group[2], group[1], group[0], wave, uint32_t(s)}] += own.sites[s];
}

std::vector<uint64_t> Tally::user() const {
  std::vector<uint64_t> values;
  if (plan_.user)
    for (const PlannedPlace& place : plan_.user->places)
      for (uint32_t c = 0; c < plan_.user->counters; ++c)
        values.push_back(sums_[place.first + c]);
  return values;
}

std::vector<Tally::OfWave> Tally::waves() const {
  std::vector<OfWave> all;
  for (const auto& [at, counts] : waves_)
    all.push_back({{at[2], at[1], at[0]}, at[3], at[4], counts});
  return all;
}

} // namespace crosslane::rewrite
