// Columns for a terminal.
#include "findings/text.h"
#include "diff/forms.h"
#include "diff/wording.h"
#include "isa/enum_name.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <span>
#include <tuple>

namespace crosslane::diff {

namespace {

constexpr size_t width = size_t(1) << 20; // nothing is cut
constexpr size_t most_parts = 12;         // of lines, and of branches, unless all are asked for

double weight(const Row& row) {
  const auto percent = row.percent();
  return percent ? std::abs(*percent) : -1;
}

// Time of the host is never the same.
bool matters(const Row& row) { return row.changed() && !row.of_host; }

std::string parts_text(const KernelDifference& k, bool branches, bool all) {
  const std::vector<PartRow> changed = changed_parts(k, branches);
  if (changed.empty())
    return "";
  std::vector<std::vector<std::string>> cells = {{branches ? "branch" : "line", "before", "after", "change", ""}};
  const size_t shown = all ? changed.size() : std::min(changed.size(), most_parts);
  for (const PartRow& p : std::span(changed).first(shown))
    cells.push_back({findings::plain(shown_of(*p.part)), text_of(p.row.before), text_of(p.row.after), change_of(p.row),
                     findings::plain(p.row.name)});
  std::string out = findings::aligned(cells, "lrrrl", width);
  if (shown < changed.size())
    out += fmt::format("  {} more of {}: --all shows them\n", changed.size() - shown, branches ? "branches" : "lines");
  return out;
}

std::string kernel_text(const KernelDifference& k, bool all) {
  std::string out;
  for (const std::string& note : k.notes)
    out += fmt::format("  note: {}\n", findings::plain(note));
  std::vector<std::vector<std::string>> cells = {{"", "before", "after", "change", ""}};
  const std::vector<Row> rows = ordered(k.rows, all);
  for (const Row& row : rows)
    cells.push_back({findings::plain(row.name), text_of(row.before), text_of(row.after), change_of(row),
                     findings::plain(row.unit)});
  if (!rows.empty())
    out += findings::aligned(cells, "lrrrl", width);
  const auto same = std::ranges::count_if(k.rows, [](const Row& row) { return !row.changed(); });
  if (!all && same)
    out += fmt::format("  {}{} the same\n", same, rows.empty() ? " values, all" : "");
  for (const bool branches : {false, true})
    out += parts_text(k, branches, all);
  const std::string name = k.shown.empty() ? "" : findings::plain(k.shown) + "\n";
  return name + out + "\n";
}

} // namespace

std::string text_of(std::optional<double> value) {
  if (!value)
    return "-";
  if (*value == std::floor(*value) && std::abs(*value) < 0x1p53)
    return fmt::format("{:.0f}", *value);
  return fmt::format("{:.6g}", *value);
}

std::string change_of(const Row& row) {
  if (!row.before || !row.after)
    return row.after ? "new" : "gone";
  if (!row.changed())
    return "same";
  const double percent = *row.percent();
  if (std::isinf(percent))
    return "from 0";
  return std::abs(percent) < 0.05 ? fmt::format("{:+.1g} %", percent) : fmt::format("{:+.1f} %", percent);
}

std::string text_of(const Finding& f) {
  std::string text =
      fmt::format("{}: {}{} [{}]", f.place, f.severity.empty() ? "" : f.severity + ": ", f.message, f.match.rule);
  if (f.cost)
    text += fmt::format(": {} {}", text_of(f.cost), f.unit);
  return text;
}

std::vector<Row> ordered(const std::vector<Row>& rows, bool all) {
  std::vector<Row> out;
  std::ranges::copy_if(rows, std::back_inserter(out), &Row::changed);
  const auto order = [](const Row& row) { return std::tuple(row.of_host, -weight(row), std::string_view(row.name)); };
  std::ranges::sort(out, [&](const Row& a, const Row& b) { return order(a) < order(b); });
  if (all)
    std::ranges::copy_if(rows, std::back_inserter(out), [](const Row& row) { return !row.changed(); });
  return out;
}

std::vector<PartRow> changed_parts(const KernelDifference& k, bool branches) {
  struct Whole {
    double before = 0, after = 0;
  };
  std::map<std::string_view, Whole> wholes;
  std::vector<PartRow> out;
  for (const PartDifference& p : k.parts) {
    if (p.branch != branches)
      continue;
    for (const Row& row : p.rows) {
      wholes[row.name].before += row.before.value_or(0), wholes[row.name].after += row.after.value_or(0);
      if (row.before.value_or(0) != row.after.value_or(0))
        out.push_back({&p, row});
    }
  }
  const auto share = [&](const PartRow& p) {
    const Whole& whole = wholes[p.row.name];
    return std::abs(p.row.after.value_or(0) - p.row.before.value_or(0)) /
           std::max({std::abs(whole.before), std::abs(whole.after), 1e-300});
  };
  const auto order = [&](const PartRow& p) {
    return std::tuple(-share(p), std::string_view(p.part->shown), std::string_view(p.row.name));
  };
  std::ranges::sort(out, {}, order);
  return out;
}

std::string shown_of(const PartDifference& part) {
  return part.was.empty() ? part.shown : fmt::format("{} (was {})", part.shown, part.was);
}

std::string heading(const Difference& d) {
  return fmt::format("{}: {} -> {}", isa::enum_name(d.kind), d.before, d.after);
}

std::string text_of(const Difference& d, bool all) {
  std::string out = findings::plain(heading(d)) + "\n";
  for (const std::string& note : d.notes)
    out += fmt::format("note: {}\n", findings::plain(note));
  out += "\n";
  std::vector<std::string> same;
  for (const KernelDifference& k : d.kernels) {
    if (!k.before || !k.after)
      continue;
    if (!all && k.notes.empty() && std::ranges::none_of(k.rows, matters) && changed_parts(k, false).empty() &&
        changed_parts(k, true).empty())
      same.push_back(findings::plain(k.shown.empty() ? "all numbers" : k.shown));
    else
      out += kernel_text(k, all);
  }
  if (!same.empty())
    out += fmt::format("the same: {}\n", fmt::join(same, ", "));
  for (const KernelDifference& k : d.kernels)
    if (!k.before || !k.after)
      out += fmt::format("{}: {}\n", k.after ? "new" : "gone", findings::plain(k.shown));
  if (!d.has_findings)
    return out;
  out += fmt::format("findings: {} new, {} gone, {} the same\n", d.came.size(), d.went.size(), d.same.size());
  for (const Finding& f : d.came)
    out += fmt::format("+ {}\n", findings::plain(text_of(f)));
  for (const Finding& f : d.went)
    out += fmt::format("- {}\n", findings::plain(text_of(f)));
  for (const auto& [before, after] : d.same)
    if (before.cost != after.cost)
      out += fmt::format("  {} (before: {})\n", findings::plain(text_of(after)), text_of(before.cost));
    else if (all)
      out += fmt::format("  {}\n", findings::plain(text_of(after)));
  return out;
}

std::string text_of(const Verdict& verdict) {
  std::string out;
  for (const std::string& note : verdict.notes)
    out += fmt::format("crosslane: not judged: {}\n", findings::plain(note));
  for (const Verdict::Hit& hit : verdict.hits)
    out += fmt::format("crosslane: {}: {}{}: {} before, {} after ({})\n", findings::plain(hit.condition),
                       findings::plain(hit.kernel.empty() ? "" : hit.kernel + ": "), findings::plain(hit.row.name),
                       text_of(hit.row.before), text_of(hit.row.after), change_of(hit.row));
  return out;
}

} // namespace crosslane::diff
