// Branch counts as text.
#include "findings/branches.h"
#include "findings/names.h"
#include "findings/text.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::findings {

namespace {

using Json = nlohmann::ordered_json;

std::string place(const views::BranchSite& site) {
  return site.function.empty() ? fmt::format("{:#x}", site.offset)
                               : fmt::format("{}+{:#x}", short_name(site.function, 40), site.offset);
}

double percent(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}
double mean(uint64_t sum, uint64_t count) { return count ? static_cast<double>(sum) / static_cast<double>(count) : 0; }

using Row = std::array<std::string, 9>;

Json counts_json(const views::BranchCounts& c, bool lanes) {
  Json counts = {{"executions", c.executions},
                 {"agreements", c.agreements()},
                 {"divergences", c.divergences()},
                 {"all", c.all},
                 {"none", c.none}};
  if (lanes)
    counts.update({{"arriving_lanes", c.arriving_lanes}, {"condition_lanes", c.condition_lanes}});
  return counts;
}

} // namespace

std::string table(const BranchReport& report) {
  std::string text = fmt::format("branches of {} ({})\n", plain(report.kernel), plain(report.target));
  if (report.sites.empty())
    return text + "  no branch ran, and nothing took lanes away\n";
  std::vector<Row> rows = {
      {"executions", "agree", "diverge", "diverge %", "lanes", "cond. lanes", "place", "instruction", "source"}};
  views::BranchCounts lanes;
  for (const auto& site : report.sites) {
    const auto& c = site.counts;
    rows.push_back({fmt::format("{}", c.executions), fmt::format("{}", c.agreements()),
                    fmt::format("{}", c.divergences()), fmt::format("{:.1f}", percent(c.divergences(), c.executions)),
                    fmt::format("{:.1f}", mean(c.arriving_lanes, c.executions)),
                    fmt::format("{:.1f}", mean(c.condition_lanes, c.executions)), place(site), plain(site.instruction),
                    plain(site.source)});
    if (site.per_lane)
      lanes += c;
  }
  std::array<size_t, 9> width = {};
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], row[i].size());
  for (const auto& row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i)
      if (constexpr size_t first = 4, last = 5; !report.lanes && i >= first && i <= last)
        continue;
      else
        line += i < 6 ? fmt::format(" {:>{}}", row[i], width[i]) : fmt::format("  {:<{}}", row[i], width[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + fmt::format("  where lanes decide for themselves: {} execution{}, {} divergence{} ({:.1f} %)\n",
                            lanes.executions, lanes.executions == 1 ? "" : "s", lanes.divergences(),
                            lanes.divergences() == 1 ? "" : "s", percent(lanes.divergences(), lanes.executions));
}

std::string json(const BranchReport& report) {
  Json branches = Json::array(), waves = Json::array();
  for (const auto& site : report.sites) {
    Json entry = {{"function", site.function},
                  {"offset", site.offset},
                  {"instruction", site.instruction},
                  {"source", site.source},
                  {"per_lane", site.per_lane}};
    entry.update(counts_json(site.counts, report.lanes));
    branches.push_back(std::move(entry));
  }
  for (const auto& wave : report.waves) {
    const auto site =
        std::find_if(report.sites.begin(), report.sites.end(), [&](const auto& s) { return s.pc == wave.pc; });
    Json entry = {{"workgroup", wave.workgroup}, {"wave", wave.wave}, {"branch", site - report.sites.begin()}};
    entry.update(counts_json(wave.counts, report.lanes));
    waves.push_back(std::move(entry));
  }
  Json document = {{"kernel", report.kernel}, {"target", report.target}, {"branches", std::move(branches)}};
  if (!report.waves.empty())
    document["waves"] = std::move(waves);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::findings
