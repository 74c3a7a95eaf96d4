// A place is where the code object as it was has it.
#include "profile/probe_figures.h"
#include "isa/decode.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace crosslane::profile {

namespace {

using findings::Figures;

uint64_t loaded(const report::Listing& listing, uint64_t address) {
  const views::Image& image = listing.image();
  return image.base + (address - image.object->image_begin());
}
int index(const report::Listing& listing, uint64_t address) { return listing.index(loaded(listing, address)); }

void ran(report::Listing& listing, uint64_t address) {
  auto bytes = listing.image().object->bytes_at(address, 8);
  if (bytes.empty()) // the last one
    bytes = listing.image().object->bytes_at(address, 4);
  if (isa::Instruction in; isa::decode(listing.image().target, bytes, in) > 0)
    listing.ran(loaded(listing, address), in);
}

void add(report::Listing& listing, Figures figures) {
  std::erase_if(figures.rows, [](const Figures::Row& row) { return row.instruction < 0; });
  std::ranges::sort(figures.rows, {}, [](const Figures::Row& row) { return std::tie(row.instruction, row.values); });
  if (!figures.rows.empty())
    listing.kernel().figures.push_back(std::move(figures));
}

// A table for each kind of place.
void add_user(const rewrite::Tally& tally, report::Listing& listing) {
  const rewrite::UserPlan& plan = *tally.plan().user;
  std::vector<Figures::Column> columns;
  for (uint32_t c = 0; c < plan.counters; ++c)
    columns.push_back({fmt::format("count {}", c), "", fmt::format("counter {} of {}, of all waves", c, plan.name)});
  const std::vector<uint64_t> sums = tally.user();
  std::map<std::string, Figures> by_kind;
  for (size_t p = 0; p < plan.places.size(); ++p) {
    const rewrite::PlannedPlace& place = plan.places[p];
    const auto values = std::span(sums).subspan(p * plan.counters, plan.counters);
    const int at = index(listing, place.address);
    std::string kind = place.kind;
    if (const auto* entry = listing.at(loaded(listing, place.address)); entry && place.target)
      kind += entry->target >= 0 && entry->target == index(listing, place.target) ? ", taken" : ", not taken";
    Figures& figures = by_kind.try_emplace(kind, fmt::format("{} at {}", plan.name, kind), columns).first->second;
    figures.rows.push_back({at, {values.begin(), values.end()}});
  }
  for (auto& [kind, figures] : by_kind)
    add(listing, std::move(figures));
}

// Beside the code.
void add_lanes(const rewrite::Tally& tally, report::Listing& listing) {
  Figures figures{"lanes", {{"work-items", "", "lanes in EXEC, summed over executions"}}, {}, true};
  for (size_t r = 0; r < tally.lanes().size(); ++r) {
    const rewrite::LaneRun& run = tally.plan().lanes->runs[r];
    int at = run.instructions ? index(listing, run.begin) : -1;
    for (uint32_t n = 0; at >= 0 && n < run.instructions; ++n, ++at)
      figures.rows.push_back({at, {double(tally.lanes()[r])}});
  }
  add(listing, std::move(figures));
}

// Of the kernel as a whole: beside its first instruction.
void add_of_kernel(report::Listing& listing, std::string view, std::vector<Figures::Column> columns,
                   std::vector<double> values) {
  if (const codeobject::Kernel* kernel = listing.image().object->find_kernel(listing.kernel().name))
    add(listing, {std::move(view), std::move(columns), {{index(listing, kernel->entry), std::move(values)}}});
}

void add_waves(const rewrite::Tally& tally, report::Listing& listing) {
  if (tally.timed().empty())
    return;
  uint64_t all = 0, least = UINT64_MAX, most = 0;
  for (const auto& wave : tally.timed()) {
    const uint64_t cycles = wave.time.end - wave.time.begin;
    all += cycles, least = std::min(least, cycles), most = std::max(most, cycles);
  }
  const auto waves = double(tally.timed().size());
  add_of_kernel(listing, "time of waves",
                {{"waves", "", "that told their time"},
                 {"average", "cycles", "of s_memtime, from a wave's begin to its end"},
                 {"least", "cycles", "of one wave"},
                 {"most", "cycles", "of one wave"}},
                {waves, double(all) / waves, double(least), double(most)});
}

void add_loops(const rewrite::Tally& tally, report::Listing& listing) {
  Figures figures{"time in loops",
                  {{"cycles", "cycles", "of s_memtime, of all waves, inner loops and calls included"},
                   {"entries", "", "how often waves entered the loop"}},
                  {}};
  for (size_t l = 0; l < tally.loops().size(); ++l)
    figures.rows.push_back({index(listing, tally.plan().time->loops[l].address),
                            {double(tally.loops()[l].cycles), double(tally.loops()[l].entries)}});
  add(listing, std::move(figures));
}

} // namespace

void list_places(const rewrite::Tally& tally, report::Listing& listing) {
  const rewrite::KernelPlan& plan = tally.plan();
  if (plan.user)
    for (const auto& place : plan.user->places)
      ran(listing, place.address);
  if (plan.lanes)
    for (const auto& run : plan.lanes->runs)
      if (run.instructions)
        ran(listing, run.begin);
  if (plan.time)
    for (const auto& loop : plan.time->loops)
      ran(listing, loop.address);
}

void add_traced(uint64_t accesses, uint64_t traced, report::Listing& listing) {
  add_of_kernel(listing, "traced",
                {{"accesses", "", "executions of instructions whose addresses are traced"},
                 {"with room", "", "of these, as far as records had room; --trace-bytes gives more"}},
                {double(accesses), double(traced)});
}

void fill_in_figures(const rewrite::Tally& tally, report::Listing& listing) {
  const rewrite::KernelPlan& plan = tally.plan();
  if (plan.user)
    add_user(tally, listing);
  if (plan.lanes)
    add_lanes(tally, listing);
  if (plan.time)
    add_waves(tally, listing), add_loops(tally, listing);
}

} // namespace crosslane::profile
