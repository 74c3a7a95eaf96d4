// Fidelity as text.
#include "findings/fidelity.h"
#include "findings/text.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::findings {

using Json = nlohmann::ordered_json;

std::string table(const FidelityReport& report) {
  std::string text = fmt::format("fidelity of {} ({})\n", plain(report.kernel), plain(report.target));
  if (report.uses.empty())
    return text + fmt::format("  all {} executed instructions are exact\n", report.instructions);
  size_t counts = 5, names = 11, bounds = 5;
  uint64_t sum = 0;
  for (const auto& use : report.uses) {
    counts = std::max(counts, fmt::formatted_size("{}", use.count));
    names = std::max(names, use.operation.size());
    bounds = std::max(bounds, use.bound.size());
    sum += use.count;
  }
  text += fmt::format("  {:>{}}  {:<{}}  {:<{}}  why\n", "count", counts, "approximate", names, "bound", bounds);
  for (const auto& use : report.uses)
    text += fmt::format("  {:>{}}  {:<{}}  {:<{}}  {}\n", use.count, counts, use.operation, names, use.bound, bounds,
                        use.why);
  return text +
         fmt::format("  {} of {} executed instructions are approximate, the others exact\n", sum, report.instructions);
}

std::string json(const FidelityReport& report) {
  Json approximate = Json::array();
  for (const auto& use : report.uses)
    approximate.push_back({{"operation", use.operation}, {"count", use.count}, {"bound", use.bound}, {"why", use.why}});
  const Json document = {
      {"kernel", report.kernel},
      {"target", report.target},
      {"fidelity", {{"instructions", report.instructions}, {"approximate", std::move(approximate)}}}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::findings
