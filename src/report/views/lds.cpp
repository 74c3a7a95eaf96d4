// The view of LDS: bank conflicts (views/lds.h).
#include "views/lds.h"
#include "findings/text.h"
#include "findings/totals.h"
#include "report/json_parts.h"
#include "report/kernel_text.h"
#include "report/view.h"
#include <fmt/format.h>

namespace crosslane::report {

using namespace findings;
using namespace parts;

namespace {

class LdsHearing final : public Hearing {
public:
  events::Listener& listener() override { return view_; }
  void fill_in(Listing& listing) override {
    for (const auto& site : view_.sites())
      if (auto* entry = listing.at(site.pc))
        entry->lds = site;
  }

private:
  views::LdsBanks view_;
};

std::unique_ptr<Hearing> hear(const ViewOptions&) { return std::make_unique<LdsHearing>(); }

Json json(const views::LdsSite& site) {
  const auto& c = site.counts;
  Json entry = {{"kind", name_of(site.kind)},
                {"bytes", site.bytes},
                {"accesses", c.accesses},
                {"lanes", c.lanes},
                {"cycles", c.cycles},
                {"ideal_cycles", c.ideal_cycles},
                {"conflict_cycles", c.conflict_cycles()},
                {"broadcasts", c.broadcasts},
                {"same_address_atomics", c.same_address_atomics},
                {"same_address_cycles", c.same_address_cycles},
                {"worst_degree", site.worst_degree}};
  const bool conflict = site.worst_degree > 1;
  entry["worst_bank"] = conflict ? Json(site.worst_bank) : Json();
  entry["worst_lanes"] = conflict ? Json(site.worst_lane) : Json();
  entry["worst_addresses"] = conflict ? Json(site.worst_address) : Json();
  entry["worst"] = example(site.worst, true);
  return entry;
}

void instruction_json(const ProfiledInstruction& i, Json& entry) {
  if (i.lds)
    entry["lds"] = json(*i.lds);
}

double real(uint64_t n) { return static_cast<double>(n); }

void summary(const Totals& t, KernelText& out) {
  if (t.lds)
    out.add("LDS", fmt::format("{} in {}, {} of them for bank conflicts ({})", plural(t.lds_accesses, "access"),
                               plural(t.lds_cycles, "cycle"), thousands(t.conflict_cycles),
                               percent_text(real(t.conflict_cycles), real(t.lds_cycles))));
}

} // namespace

extern const ViewParts lds_view = {.hear = hear, .instruction_json = instruction_json, .summary = summary};

} // namespace crosslane::report
