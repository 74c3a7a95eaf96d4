// The view of divergence: active lanes of each instruction (views/active_lanes.h). It counts executions on the way.
#include "findings/text.h"
#include "findings/totals.h"
#include "report/json_parts.h"
#include "report/kernel_text.h"
#include "report/view.h"
#include "views/active_lanes.h"
#include <fmt/format.h>

namespace crosslane::report {

using namespace findings;
using namespace parts;

namespace {

class DivergenceHearing final : public Hearing {
public:
  events::Listener& listener() override { return view_; }
  void list(Listing& listing) override {
    sites_ = view_.sites();
    for (const auto& site : sites_)
      listing.ran(site.pc, site.instruction);
  }
  void fill_in(Listing& listing) override {
    for (const auto& site : sites_) {
      ProfiledInstruction& entry = *listing.at(site.pc);
      entry.executions = site.active.executions();
      entry.active = site.active;
      entry.lost_lane_cycles = site.lost_to_divergence;
      entry.lost_to_partial_waves = site.lost_to_partial_waves;
    }
    sites_.clear();
  }

private:
  views::ActiveLaneCounts view_;
  std::vector<views::ActiveLanesSite> sites_; // between list() and fill_in()
};

std::unique_ptr<Hearing> hear(const ViewOptions&) { return std::make_unique<DivergenceHearing>(); }

void instruction_json(const ProfiledInstruction& i, Json& entry) {
  if (!i.active || !i.executions)
    return;
  Json histogram = Json::array();
  for (size_t lanes = 0; lanes < i.active->waves.size(); ++lanes)
    if (i.active->waves[lanes])
      histogram.push_back({lanes, i.active->waves[lanes]});
  entry["lanes"] = i.active->lanes();
  entry["active"] = std::move(histogram);
  entry["diverged_lanes"] = i.active->diverged;
  entry["missing_lanes"] = i.active->missing;
  entry["lost_lane_cycles"] = number(i.lost_lane_cycles);
  entry["lost_to_partial_waves"] = number(i.lost_to_partial_waves);
}

double real(uint64_t n) { return static_cast<double>(n); }

void summary(const Totals& t, KernelText& out) {
  if (t.active)
    out.add("lanes",
            fmt::format(
                "{} active in vector instructions; of the lane-cycles of the vector ALU {} lost to divergence, {} to "
                "partial wavefronts",
                percent_text(real(t.vector_lanes), 64 * real(t.vector_instructions)),
                percent_text(t.lost_lane_cycles, t.lane_cycles), percent_text(t.lost_to_partial_waves, t.lane_cycles)));
}

} // namespace

extern const ViewParts divergence_view = {
    .hear = hear, .counts_executions = true, .instruction_json = instruction_json, .summary = summary};

} // namespace crosslane::report
