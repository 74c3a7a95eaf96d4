// The view of branches: wherever lanes may part, whether they did (views/branches.h). The table is what `--profile
// branches` alone prints.
#include "findings/branches.h"
#include "findings/names.h"
#include "findings/text.h"
#include "findings/totals.h"
#include "report/json_parts.h"
#include "report/kernel_text.h"
#include "report/summary_table.h"
#include "report/view.h"
#include "views/branches.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::report {

using namespace findings;
using namespace parts;

namespace {

class BranchHearing final : public Hearing {
public:
  explicit BranchHearing(bool per_wave) : view_(per_wave) {}
  events::Listener& listener() override { return view_; }
  void fill_in(Listing& listing) override {
    auto sites = view_.sites();
    views::locate(sites, listing.image());
    for (auto& site : sites)
      if (auto* entry = listing.at(site.pc))
        entry->branch = std::move(site);
    for (const auto& wave : view_.by_wave()) {
      WaveBranchCounts counts;
      std::copy_n(wave.workgroup, 3, counts.workgroup);
      counts.wave = wave.wave;
      counts.instruction = listing.index(wave.pc);
      counts.counts = wave.counts;
      listing.kernel().waves_branches.push_back(counts);
    }
  }

private:
  views::Branches view_;
};

std::unique_ptr<Hearing> hear(const ViewOptions& options) { return std::make_unique<BranchHearing>(options.per_wave); }

void instruction_json(const ProfiledInstruction& i, Json& entry) {
  if (!i.branch)
    return;
  const auto& c = i.branch->counts;
  entry["branch"] = {{"executions", c.executions},
                     {"all", c.all},
                     {"none", c.none},
                     {"agreements", c.agreements()},
                     {"divergences", c.divergences()},
                     {"arriving_lanes", i.branch->lanes_counted ? Json(c.arriving_lanes) : Json()},
                     {"condition_lanes", i.branch->lanes_counted ? Json(c.condition_lanes) : Json()},
                     {"per_lane", i.branch->per_lane}};
}

void kernel_json(const KernelProfile& k, Json& entry) {
  if (k.waves_branches.empty())
    return;
  Json& list = entry["waves_branches"] = Json::array();
  for (const WaveBranchCounts& w : k.waves_branches)
    list.push_back({{"workgroup", w.workgroup},
                    {"wave", w.wave},
                    {"instruction", w.instruction},
                    {"executions", w.counts.executions},
                    {"agreements", w.counts.agreements()}});
}

double real(uint64_t n) { return static_cast<double>(n); }

void summary(const Totals& t, KernelText& out) {
  if (t.branches)
    out.add("branches",
            fmt::format("{} where lanes decide for themselves, {} ({})", plural(t.branches, "execution"),
                        plural(t.divergences, "divergence"), percent_text(real(t.divergences), real(t.branches))));
}

std::string branch_table(const KernelProfile& k, const Names& names, unsigned width) {
  std::vector<views::BranchSite> sites;
  for (const auto& i : k.instructions) {
    if (!i.branch)
      continue;
    auto& site = sites.emplace_back(*i.branch);
    site.function = i.function, site.offset = i.function.empty() ? i.address : i.offset, site.instruction = i.text;
    site.source =
        i.source.known() ? names.place(i.source) + (i.source.column ? fmt::format(":{}", i.source.column) : "") : "";
  }
  if (!k.not_measured.empty()) // the summary says why
    return "";
  return findings::table({cut(readable_name(k.name), width - 20),
                          k.target,
                          sites,
                          {},
                          std::ranges::all_of(sites, &views::BranchSite::lanes_counted)});
}

} // namespace

extern const ViewParts branches_view = {.hear = hear,
                                        .instruction_json = instruction_json,
                                        .kernel_json = kernel_json,
                                        .summary = summary,
                                        .table = branch_table};

} // namespace crosslane::report
