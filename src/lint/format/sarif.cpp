// SARIF 2.1.0 (OASIS): rules with their help, results with the way to them as code flows, fixes of text.
#include "lint/baseline.h"
#include "lint/explain.h"
#include "lint/format/format.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace crosslane::lint {

namespace {

using nlohmann::ordered_json;

// A file's name as a reference of RFC 3986, relative unless the name is not.
std::string uri_of(const std::string& file) {
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (const char c : file)
    if (std::isalnum(uint8_t(c)) || std::string_view("-._~/").find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", uint8_t(c));
  return uri;
}

std::string_view level_of(Severity s) {
  return s == Severity::error ? "error" : s == Severity::warning ? "warning" : "note";
}

ordered_json message(std::string_view text) { return {{"text", text}}; }

ordered_json physical_of(const Position& at) {
  ordered_json physical = {{"artifactLocation", {{"uri", uri_of(at.file)}}}};
  if (at.line)
    physical["region"] = {{"startLine", at.line}};
  if (at.line && at.column)
    physical["region"]["startColumn"] = at.column;
  return physical;
}

// Of a binary with a line table its source, and which instruction of it.
ordered_json location_of(const Place& p) {
  ordered_json physical = physical_of(position_of(p));
  if (p.line && !p.code.empty())
    physical["region"]["snippet"] = message(p.code);
  if (!p.line)
    physical["address"] = {
        {"fullyQualifiedName", address_of(p)}, {"offsetFromParent", p.offset}, {"kind", "instruction"}};
  ordered_json location = {{"physicalLocation", std::move(physical)}};
  if (!p.function.empty())
    location["logicalLocations"] = {{{"fullyQualifiedName", p.function}, {"kind", "function"}}};
  return location;
}

void add_frames(ordered_json& frames, const Place& p) {
  frames.push_back({{"location", location_of(p)}});
  for (const std::string& call : p.inlined_by)
    frames.push_back(
        {{"location", {{"physicalLocation", physical_of(position_of(call))}, {"message", message("inlined by")}}}});
}

// The calls around it, inlined or not; empty: it is in none.
ordered_json stacks_of(const Place& place, std::span<const Place> callers) {
  if (place.inlined_by.empty() && callers.empty())
    return ordered_json::array();
  auto frames = ordered_json::array();
  add_frames(frames, place);
  for (const Place& caller : callers)
    add_frames(frames, caller);
  return ordered_json::array({{{"frames", std::move(frames)}}});
}

ordered_json fix_of(const PlacedFix& fix) {
  const Place& p = fix.place;
  const uint32_t column = std::max(p.column, 1u);
  std::string text = fix.text;
  ordered_json region = {{"startLine", p.line}, {"startColumn", column}, {"endColumn", column}};
  if (fix.kind == Fix::Kind::insert) {
    const std::string indent = "\n" + p.code.substr(0, std::min<size_t>(p.code.find_first_not_of(" \t"), column - 1));
    for (size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += indent.size())
      text.replace(at, 1, indent);
    text += indent;
  } else {
    bool block = false;
    const std::string_view code = p.code;
    const size_t end = std::min(comment_of(code, block), code.size());
    const size_t last = code.substr(0, end).find_last_not_of(" \t");
    region["endColumn"] = std::max<size_t>(column, last == code.npos ? 1 : last + 2);
  }
  return {{"description", message(text_of(fix))},
          {"artifactChanges",
           {{{"artifactLocation", {{"uri", uri_of(p.file)}}},
             {"replacements", {{{"deletedRegion", std::move(region)}, {"insertedContent", message(text)}}}}}}}};
}

ordered_json result_of(const PlacedFinding& f, const std::string& target, size_t index) {
  ordered_json r = {{"ruleId", id_of(f.rule)},
                    {"ruleIndex", index},
                    {"level", level_of(f.severity)},
                    {"message", message(f.message)},
                    {"locations", ordered_json::array({location_of(f.place)})}};
  if (auto stacks = stacks_of(f.place, f.callers); !stacks.empty())
    r["stacks"] = std::move(stacks);
  if (!f.notes.empty()) {
    auto steps = ordered_json::array();
    const auto step = [&](const Place& place, const std::string& text, std::span<const Place> callers) {
      auto location = location_of(place);
      location["message"] = message(text);
      steps.push_back({{"location", std::move(location)}});
      if (auto stacks = stacks_of(place, callers); !stacks.empty())
        steps.back()["stack"] = std::move(stacks[0]);
    };
    for (const PlacedNote& n : f.notes)
      step(n.place, n.text, n.callers);
    step(f.place, f.message, f.callers);
    r["codeFlows"] = ordered_json::array({{{"threadFlows", ordered_json::array({{{"locations", std::move(steps)}}})}}});
  }
  if (f.fix && f.fix->place.line && f.fix->place.column)
    r["fixes"] = ordered_json::array({fix_of(*f.fix)});
  r["partialFingerprints"] = {{"crosslaneLint/v1", fmt::format("{}/{}/{:x}/{:016x}", id_of(f.rule), f.place.function,
                                                               f.place.offset, hash_of(f))}};
  r["properties"] = {{"target", target}};
  return r;
}

ordered_json rule_of(Rule rule) {
  const RuleText& t = text_of(rule);
  return {{"id", id_of(rule)},
          {"shortDescription", message(t.title)},
          {"fullDescription", message(t.text.empty() ? t.title : t.text)},
          {"help", message(explanation_of(rule))},
          {"defaultConfiguration", {{"level", level_of(t.severity)}}},
          {"properties", {{"tags", ordered_json::array({name_of(t.group)})}}}};
}

ordered_json notification(std::string_view level, std::string_view text) {
  return {{"level", level}, {"message", message(text)}};
}

} // namespace

std::string sarif_of(const Results& r) {
  std::map<Rule, size_t> index;
  auto rules = ordered_json::array(), results = ordered_json::array(), said = ordered_json::array();
  for (const Judged& j : r.judged)
    for (const PlacedFinding& f : j.findings)
      if (index.try_emplace(f.rule, index.size()).second)
        rules.push_back(rule_of(f.rule));
  for (const Judged& j : r.judged) {
    for (const PlacedFinding& f : j.findings)
      results.push_back(result_of(f, j.target, index[f.rule]));
    for (const PlacedGap& g : j.not_judged) {
      auto n = notification("note", "not judged: " + g.reason);
      n["locations"] = ordered_json::array({location_of(g.place)});
      said.push_back(std::move(n));
    }
  }
  for (const std::string& error : r.errors)
    said.push_back(notification("error", error));
  const ordered_json driver = {
      {"name", r.tool}, {"version", r.version.empty() ? "0" : r.version}, {"rules", std::move(rules)}};
  const ordered_json run = {{"tool", {{"driver", driver}}},
                            {"columnKind", "utf16CodeUnits"},
                            {"invocations", ordered_json::array({{{"executionSuccessful", r.errors.empty()},
                                                                  {"toolExecutionNotifications", std::move(said)}}})},
                            {"results", std::move(results)}};
  const ordered_json all = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                            {"version", "2.1.0"},
                            {"runs", ordered_json::array({run})}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace crosslane::lint
