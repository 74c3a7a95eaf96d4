// One object with all that is known.
#include "lint/explain.h"
#include "lint/format/format.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::lint {

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const Place& p) {
  ordered_json j = {{"file", p.file}};
  if (p.line)
    j["line"] = p.line;
  if (p.column)
    j["column"] = p.column;
  if (!p.function.empty())
    j["function"] = p.function;
  j["offset"] = p.offset;
  if (!p.code.empty())
    j["code"] = p.code;
  if (!p.source.empty())
    j["source"] = p.source;
  if (!p.inlined_by.empty())
    j["inlined_by"] = p.inlined_by;
  return j;
}

void add_callers(ordered_json& entry, std::span<const Place> callers) {
  for (const Place& p : callers)
    entry["called_from"].push_back(json_of(p));
}

std::string_view name_of(Fix::Kind kind) {
  constexpr std::string_view names[] = {"insert", "replace", "remove"};
  return names[size_t(kind)];
}

ordered_json json_of(const PlacedFinding& f, const std::string& target) {
  ordered_json j = {{"rule", id_of(f.rule)},
                    {"group", lint::name_of(text_of(f.rule).group)},
                    {"severity", lint::name_of(f.severity)},
                    {"message", f.message},
                    {"target", target},
                    {"place", json_of(f.place)}};
  if (!f.instruction.empty())
    j["instruction"] = f.instruction;
  if (f.said != Said::nobody)
    j["said_by"] = names_of(f.said);
  if (f.seen) {
    j["seen"] = {{"workgroup", f.seen->workgroup}, {"wave", f.seen->wave}, {"times", f.seen->times}};
    if (f.seen->lane >= 0)
      j["seen"]["lane"] = f.seen->lane;
    if (f.seen->address)
      j["seen"]["address"] = f.seen->address;
  }
  auto notes = ordered_json::array();
  for (const PlacedNote& n : f.notes) {
    notes.push_back({{"text", n.text}, {"place", json_of(n.place)}});
    add_callers(notes.back(), n.callers);
  }
  add_callers(j, f.callers);
  j["notes"] = std::move(notes);
  if (f.fix)
    j["fix"] = {{"kind", name_of(f.fix->kind)}, {"text", f.fix->text}, {"place", json_of(f.fix->place)}};
  return j;
}

} // namespace

std::string page_of(const Results& r) {
  auto findings = ordered_json::array();
  auto rules = ordered_json::object();
  for (const Judged& j : r.judged)
    for (const PlacedFinding& f : j.findings) {
      findings.push_back(json_of(f, j.target));
      const RuleText& t = text_of(f.rule);
      rules[id_of(f.rule)] = {{"title", t.title}, {"text", t.text}};
    }
  const ordered_json all = {
      {"findings", std::move(findings)}, {"rules", std::move(rules)}, {"suppressed", r.statistics.known}};
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_of(const Results& r) {
  auto findings = ordered_json::array(), gaps = ordered_json::array(), objects = ordered_json::array();
  for (const Judged& j : r.judged) {
    for (const PlacedFinding& f : j.findings)
      findings.push_back(json_of(f, j.target));
    for (const PlacedGap& g : j.not_judged)
      gaps.push_back({{"place", json_of(g.place)}, {"reason", g.reason}});
    objects.push_back({{"file", j.file},
                       {"target", j.target},
                       {"kernels", j.kernels},
                       {"functions", j.functions},
                       {"instructions", j.instructions},
                       {"bytes", j.bytes}});
  }
  ordered_json counts = ordered_json::object();
  for (const auto& [rule, count] : r.statistics.found)
    counts[id_of(rule)] = count;
  const ordered_json all = {{"crosslane_lint", 1},
                            {"version", r.version},
                            {"findings", std::move(findings)},
                            {"not_judged", std::move(gaps)},
                            {"errors", r.errors},
                            {"code_objects", std::move(objects)},
                            {"statistics",
                             {{"files", r.statistics.files},
                              {"skipped", r.statistics.skipped},
                              {"allowed", r.statistics.allowed},
                              {"known", r.statistics.known},
                              {"seconds", r.statistics.seconds},
                              {"found", std::move(counts)}}}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::lint
