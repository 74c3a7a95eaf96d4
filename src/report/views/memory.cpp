// The view of memory: how lanes' addresses coalesce (views/memory.h).
#include "views/memory.h"
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

class MemoryHearing final : public Hearing {
public:
  events::Listener& listener() override { return view_; }
  void fill_in(Listing& listing) override {
    for (const auto& site : view_.sites())
      if (auto* entry = listing.at(site.pc))
        entry->memory.push_back(site);
  }
  void add_reached(std::vector<Buffer>& buffers, const FindBuffer& find) const override {
    findings::add_reached(buffers, view_.sites(), find);
  }

private:
  views::MemoryCoalescing view_;
};

std::unique_ptr<Hearing> hear(const ViewOptions&) { return std::make_unique<MemoryHearing>(); }

Json json(const views::MemorySite& site) {
  const auto& c = site.counts;
  Json entry = {{"space", name_of(site.space)},
                {"kind", name_of(site.kind)},
                {"bytes", site.bytes},
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
                {"ideal_clocks", c.ideal_clocks}};
  const char* cases[views::l1_cases] = {"same_address", "quads_same_address", "quads_one_block", "separate_quads",
                                        "wide"};
  for (int i = 0; i < views::l1_cases; ++i)
    entry["l1_groups"][cases[i]] = c.l1_groups[i];
  entry["misaligned_lanes"] = c.misaligned_lanes;
  entry["split_lanes"] = c.split_lanes;
  entry["pattern"] = views::describe_pattern(site);
  entry["pattern_share"] = number(site.pattern_share);
  entry["stride"] = site.stride;
  entry["alignment"] = site.alignment;
  entry["worst"] = example(site.worst, false);
  return entry;
}

void instruction_json(const ProfiledInstruction& i, Json& entry) {
  if (i.memory.empty())
    return;
  Json& list = entry["memory"] = Json::array();
  for (const auto& site : i.memory)
    list.push_back(json(site));
}

double real(uint64_t n) { return static_cast<double>(n); }

void summary(const Totals& t, KernelText& out) {
  if (t.memory)
    out.add("memory",
            fmt::format("{} of {}, where {} would do ({} excess); {} bytes asked for, {} moved; L1 {}, ideal {}",
                        plural(t.requests, "request"), plural(t.lines, "cache line"), thousands(t.ideal_lines),
                        percent_text(real(t.excess_lines), real(t.lines)), brief(real(t.bytes_asked)),
                        brief(real(t.bytes_moved)), plural(t.clocks, "clock"), thousands(t.ideal_clocks)));
}

} // namespace

extern const ViewParts memory_view = {.hear = hear, .instruction_json = instruction_json, .summary = summary};

} // namespace crosslane::report
