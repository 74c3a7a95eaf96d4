// Tables, without a script. All that comes from documents is escaped, and the page may load and run nothing.
#include "diff/forms.h"
#include "diff/wording.h"
#include "findings/text.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::diff {

namespace {

constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>crosslane diff</title>
<style>
:root { --text: #1c2024; --quiet: #60646c; --line: #d9d9e0; --back: #fcfcfd; --up: #b4231f; --down: #18794e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #edeef0; --quiet: #b0b4ba; --line: #363a3f; --back: #111113; --up: #ff9592; --down: #3dd68c; }
}
body { font: 14px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 70em; margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.3em; } h2 { font-size: 1.1em; margin-top: 2em; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 0.1em 0.8em; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: normal; } td:first-child, th:first-child, td:last-child { text-align: left; }
td:last-child, .quiet, summary { color: var(--quiet); } .up { color: var(--up); } .down { color: var(--down); }
li { overflow-wrap: anywhere; } .hit { color: var(--up); font-weight: 600; }
</style>
</head>
<body>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : findings::plain(text))
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
  return out;
}

std::string item(std::string_view text, std::string_view kind = "") {
  return fmt::format("<li{}>{}</li>\n", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind), escaped(text));
}
std::string list(const std::string& items) { return items.empty() ? "" : "<ul>\n" + items + "</ul>\n"; }

std::string table(const std::vector<Row>& rows) {
  std::string out = "<table>\n<tr><th></th><th>before</th><th>after</th><th>change</th><th></th></tr>\n";
  for (const Row& row : rows) {
    const auto change = row.change();
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td{}>{}</td><td>{}</td></tr>\n", escaped(row.name),
                       text_of(row.before), text_of(row.after),
                       !change || *change == 0 ? ""
                       : *change > 0           ? " class=\"up\""
                                               : " class=\"down\"",
                       change_of(row), escaped(row.unit));
  }
  return out + "</table>\n";
}

std::string parts(const KernelDifference& k, bool branches) {
  const std::vector<PartRow> changed = changed_parts(k, branches);
  if (changed.empty())
    return "";
  std::vector<Row> rows;
  for (const PartRow& p : changed) {
    rows.push_back(p.row);
    rows.back().unit = p.row.name, rows.back().name = shown_of(*p.part);
  }
  return fmt::format("<details open><summary>{} by {}, most of the whole first</summary>\n{}</details>\n", rows.size(),
                     branches ? "branch" : "line", table(rows));
}

std::string kernel(const KernelDifference& k) {
  std::string out = k.shown.empty() ? "" : fmt::format("<h2>{}</h2>\n", escaped(k.shown)), notes;
  for (const std::string& note : k.notes)
    notes += item(note);
  out += list(notes);
  if (const auto changed = ordered(k.rows, false); !changed.empty())
    out += table(changed);
  out += parts(k, false) + parts(k, true);
  std::vector<Row> same;
  std::ranges::copy_if(k.rows, std::back_inserter(same), [](const Row& row) { return !row.changed(); });
  if (!same.empty())
    out += fmt::format("<details><summary>{} the same</summary>\n{}</details>\n", same.size(), table(same));
  return out;
}

std::string findings_of(const Difference& d) {
  std::string items;
  for (const Finding& f : d.came)
    items += item("new: " + text_of(f), "up");
  for (const Finding& f : d.went)
    items += item("gone: " + text_of(f), "down");
  std::string same;
  for (const auto& [before, after] : d.same)
    same += item(text_of(after) +
                 (before.cost != after.cost ? fmt::format(" (before: {})", text_of(before.cost)) : std::string()));
  std::string out = fmt::format("<h2>Findings</h2>\n<p>{} new, {} gone, {} the same</p>\n{}", d.came.size(),
                                d.went.size(), d.same.size(), list(items));
  if (!same.empty())
    out += fmt::format("<details><summary>the same</summary>\n{}</details>\n", list(same));
  return out;
}

} // namespace

std::string html_of(const Difference& d, const Verdict& verdict) {
  std::string out(head), notes, kernels;
  out += fmt::format("<h1>{}</h1>\n", escaped(heading(d)));
  for (const Verdict::Hit& hit : verdict.hits)
    notes += item(fmt::format("{}: {}{}: {} before, {} after ({})", hit.condition,
                              hit.kernel.empty() ? "" : hit.kernel + ": ", hit.row.name, text_of(hit.row.before),
                              text_of(hit.row.after), change_of(hit.row)),
                  "hit");
  for (const std::string& note : d.notes)
    notes += item(note);
  for (const std::string& note : verdict.notes)
    notes += item("not judged: " + note);
  out += list(notes);
  for (const KernelDifference& k : d.kernels)
    if (k.before && k.after)
      out += kernel(k);
    else
      kernels += item(fmt::format("{}: {}", k.after ? "new" : "gone", k.shown));
  if (!kernels.empty())
    out += "<h2>Kernels</h2>\n" + list(kernels);
  if (d.has_findings)
    out += findings_of(d);
  return out + "</body>\n</html>\n";
}

} // namespace crosslane::diff
