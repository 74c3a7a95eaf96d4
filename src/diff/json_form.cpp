// Everything, also what is the same.
#include "diff/forms.h"
#include "diff/json.h"
#include "isa/enum_name.h"
#include <cmath>

namespace crosslane::diff {

namespace {

using Ordered = nlohmann::ordered_json;

// A whole number as one; what is none (infinite) as null.
Ordered number_of(std::optional<double> value) {
  if (!value || !std::isfinite(*value))
    return nullptr;
  if (*value == std::floor(*value) && std::abs(*value) < 0x1p53)
    return int64_t(*value);
  return *value;
}

Ordered json(const Row& row) {
  return {{"name", row.name},
          {"unit", row.unit},
          {"before", number_of(row.before)},
          {"after", number_of(row.after)},
          {"change", number_of(row.change())},
          {"percent", number_of(row.percent())}};
}

Ordered json(const PartDifference& p) {
  Ordered values = Ordered::array();
  for (const Row& row : p.rows)
    values.push_back(json(row));
  return {{"place", p.shown}, {"was", p.was.empty() ? Ordered() : Ordered(p.was)}, {"values", std::move(values)}};
}

Ordered json(const Finding& f) {
  Ordered out = {{"rule", f.match.rule},     {"function", f.match.function},
                 {"offset", f.match.offset}, {"instruction", f.match.instruction},
                 {"place", f.place},         {"message", f.message}};
  if (!f.severity.empty())
    out["severity"] = f.severity;
  if (f.cost)
    out["cost"] = number_of(f.cost), out["unit"] = f.unit;
  return out;
}

Ordered json(const std::vector<Finding>& findings) {
  Ordered list = Ordered::array();
  for (const Finding& f : findings)
    list.push_back(json(f));
  return list;
}

} // namespace

std::string json_of(const Difference& d, const Verdict& verdict) {
  Ordered kernels = Ordered::array(), same = Ordered::array(), hits = Ordered::array();
  for (const KernelDifference& k : d.kernels) {
    Ordered& out = kernels.emplace_back(
        Ordered{{"name", k.name}, {"in_before", k.before}, {"in_after", k.after}, {"notes", k.notes}});
    Ordered& rows = out["values"] = Ordered::array();
    for (const Row& row : k.rows)
      rows.push_back(json(row));
    if (k.parts.empty())
      continue;
    for (const bool branches : {false, true}) {
      Ordered& parts = out[branches ? "branches" : "lines"] = Ordered::array();
      for (const PartDifference& p : k.parts)
        if (p.branch == branches)
          parts.push_back(json(p));
    }
  }
  for (const auto& [before, after] : d.same) {
    Ordered& out = same.emplace_back(json(after));
    if (before.cost)
      out["cost_before"] = number_of(before.cost);
  }
  for (const Verdict::Hit& hit : verdict.hits) {
    Ordered& out = hits.emplace_back(Ordered{{"condition", hit.condition}, {"kernel", hit.kernel}});
    out.update(json(hit.row));
  }
  const Ordered all = {{"crosslane_diff", 1},
                       {"version", CROSSLANE_VERSION},
                       {"kind", isa::enum_name(d.kind)},
                       {"before", {{"file", d.before}, {"producer", d.before_producer}}},
                       {"after", {{"file", d.after}, {"producer", d.after_producer}}},
                       {"notes", d.notes},
                       {"kernels", std::move(kernels)},
                       {"findings", {{"new", json(d.came)}, {"gone", json(d.went)}, {"same", std::move(same)}}},
                       {"fail_if", {{"hits", std::move(hits)}, {"not_judged", verdict.notes}}}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::diff
