// A table per thread of what each instruction asked for in each space; views/memory_request.h reads the requests.
#include "views/memory.h"
#include "views/memory_request.h"
#include "views/per_thread.h"
#include "views/recent.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

namespace crosslane::views {

namespace {

constexpr size_t patterns = size_t(Pattern::single) + 1;
// Beyond these, strides that are different each time are no longer told apart: nothing about them repeats.
constexpr size_t most_strides = 256;

using Strides = std::map<int64_t, uint64_t>; // requests

void count_stride(Strides& strides, int64_t stride, uint64_t requests) {
  if (auto it = strides.find(stride); it != strides.end())
    it->second += requests;
  else if (strides.size() < most_strides)
    strides.emplace(stride, requests);
}

// The order that all threads agree on: of requests that are equally bad, the one of the first wave.
struct Moment {
  uint64_t workgroup = ~uint64_t(0);
  uint32_t wave = 0;
  auto operator<=>(const Moment&) const = default;
};

struct Tally {
  MemorySite site;
  L1Path path{};
  const MemoryReader::Known* last = nullptr;
  uint64_t by_pattern[patterns] = {};
  Strides strides;
  uint64_t low_bits = 0; // of all lowest addresses
  uint64_t worst_excess = 0;
  Moment worst_at;
  bool any = false;
};

using Key = std::pair<uint64_t, events::Space>; // pc

struct KeyHash {
  size_t operator()(const Key& k) const { return k.first * 4 + size_t(k.second); }
};

struct Table {
  std::unordered_map<Key, Tally, KeyHash> tallies;
  Recent<Tally> recent;
  MemoryReader reader;

  Tally& find(const events::Access& event) {
    const uint64_t pc = event.site.pc, space = uint64_t(event.space);
    return recent.find(pc * 4 + space, pc / 4 + space * 16, [&] {
      const auto [it, added] = tallies.try_emplace({pc, event.space});
      Tally& t = it->second; // stays where it is while others are added
      if (added) {
        t.site.pc = pc;
        t.site.instruction = *event.site.instruction;
        t.site.space = event.space;
        t.site.kind = event.kind;
        t.path = l1_path(*event.site.instruction, event.space);
      }
      return &t;
    });
  }
};

Moment moment_of(const machine::Wave* wave) {
  return wave && wave->workgroup ? Moment{wave->workgroup->number, wave->id} : Moment{0, 0};
}

void remember(LaneExample& example, const events::Access& event) {
  example = {};
  if (event.wave) {
    example.wave = event.wave->id;
    if (event.wave->workgroup)
      std::copy_n(event.wave->workgroup->id, 3, example.workgroup);
  }
  example.lanes = event.lanes;
  for (uint64_t left = event.lanes; left; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    example.address[lane] = event.address[lane];
  }
}

void merge(Tally& to, const Tally& from) {
  const bool worse = !to.any || from.worst_excess > to.worst_excess ||
                     (from.worst_excess == to.worst_excess && from.worst_at < to.worst_at);
  const LaneExample worst = worse ? from.site.worst : to.site.worst;
  if (!to.any) {
    to.site = from.site;
    to.site.counts = {};
    to.any = true;
  }
  if (worse) {
    to.worst_excess = from.worst_excess;
    to.worst_at = from.worst_at;
  }
  to.site.worst = worst;
  to.site.bytes = std::max(to.site.bytes, from.site.bytes);
  to.site.counts += from.site.counts;
  for (size_t p = 0; p < patterns; ++p)
    to.by_pattern[p] += from.by_pattern[p];
  for (const auto& [stride, requests] : from.strides)
    count_stride(to.strides, stride, requests);
  to.low_bits |= from.low_bits;
}

MemorySite finish(Tally& t) {
  MemorySite& s = t.site;
  const auto* most = std::ranges::max_element(t.by_pattern); // the first of equals
  s.pattern = Pattern(most - t.by_pattern);
  s.pattern_share = double(*most) / double(s.counts.requests);
  if (s.pattern == Pattern::strided)
    s.stride = std::ranges::max_element(t.strides, {}, [](const auto& entry) {
                 return std::tuple(entry.second, -std::abs(entry.first), entry.first);
               })->first;
  s.alignment = uint32_t(1) << std::min(std::countr_zero(t.low_bits), 12);
  return s;
}

} // namespace

MemoryCounts& MemoryCounts::operator+=(const MemoryCounts& more) {
  const MemoryCounts other = more; // nothing that this writes: vector additions
  requests += other.requests;
  lanes += other.lanes;
  lines += other.lines;
  ideal_lines += other.ideal_lines;
  bytes_asked += other.bytes_asked;
  bytes_moved += other.bytes_moved;
  l2_operations += other.l2_operations;
  address_collisions += other.address_collisions;
  clocks += other.clocks;
  ideal_clocks += other.ideal_clocks;
  for (int i = 0; i < l1_cases; ++i)
    l1_groups[i] += other.l1_groups[i];
  misaligned_lanes += other.misaligned_lanes;
  split_lanes += other.split_lanes;
  return *this;
}

std::string describe_pattern(const MemorySite& site) {
  if (site.space == events::Space::scalar)
    return "scalar";
  switch (site.pattern) {
  case Pattern::broadcast: return "broadcast";
  case Pattern::contiguous: return "contiguous";
  case Pattern::reversed: return "contiguous, reversed";
  case Pattern::strided: return fmt::format("stride {} byte{}", site.stride, std::abs(site.stride) == 1 ? "" : "s");
  case Pattern::block: {
    const auto& groups = site.counts.l1_groups;
    const uint64_t quads = groups[int(L1Case::quads_same_address)], sixteens = groups[int(L1Case::same_address)];
    uint64_t all = 0;
    for (uint64_t n : groups)
      all += n;
    if (sixteens * 2 > all)
      return "one address per 16 lanes";
    if (quads * 2 > all)
      return "one address per 4 lanes";
    return "contiguous, permuted";
  }
  case Pattern::random: return "random";
  case Pattern::single: return "single lane";
  }
  return "";
}

struct MemoryCoalescing::Impl {
  PerThread<Table> tables;
};

MemoryCoalescing::MemoryCoalescing() : impl_(std::make_unique<Impl>()) {}
MemoryCoalescing::~MemoryCoalescing() = default;

void MemoryCoalescing::access(const events::Access& event) {
  if (event.space == events::Space::lds)
    return;
  Table& table = impl_->tables.mine();
  Tally& t = table.find(event);
  const auto [r, lowest] = table.reader.read(event, event.filtered ? L1Path::filtered : t.path, t.last);
  t.site.counts += r.counts;
  t.site.bytes = std::max(t.site.bytes, event.bytes);
  ++t.by_pattern[size_t(r.pattern)];
  if (r.pattern == Pattern::strided)
    count_stride(t.strides, r.stride, 1);
  t.low_bits |= lowest;
  const uint64_t excess = r.counts.excess_lines();
  if (t.any && excess < t.worst_excess)
    return;
  const Moment now = moment_of(event.wave);
  if (t.any && excess == t.worst_excess && now >= t.worst_at)
    return;
  t.any = true;
  t.worst_excess = excess;
  t.worst_at = now;
  remember(t.site.worst, event);
}

std::vector<MemorySite> MemoryCoalescing::sites() const {
  std::map<Key, Tally> merged;
  impl_->tables.for_each([&](const Table& table) {
    for (const auto& [key, tally] : table.tallies)
      merge(merged[key], tally);
  });
  std::vector<MemorySite> sites;
  sites.reserve(merged.size());
  for (auto& [key, tally] : merged)
    sites.push_back(finish(tally));
  return sites;
}

} // namespace crosslane::views
