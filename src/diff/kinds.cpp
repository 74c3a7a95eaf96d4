// Times, findings and counters of probes.
#include "diff/kinds.h"
#include "files/error.h"
#include <algorithm>
#include <map>
#include <set>

namespace crosslane::diff {

namespace {

void flatten(const Json& from, const std::string& prefix, std::vector<Value>& out) {
  for (const auto& [key, value] : from.items()) {
    // What is the card's, of single instructions, or an error bound.
    static const std::set<std::string> others = {"assumed", "peaks", "per_instruction", "error"};
    if (others.contains(key))
      continue;
    if (value.is_object())
      flatten(value, prefix + key + ".", out);
    else if (const auto n = number(value))
      out.push_back({prefix + key, key == "nanoseconds" || key == "launch_nanoseconds" ? "ns" : "", *n});
  }
}

double sum(const Json& list, const char* what) {
  double all = 0;
  for (const Json& j : list)
    all += number(j, what).value_or(0);
  return all;
}
double products(const Json& list, const char* a, const char* b) {
  double all = 0;
  for (const Json& j : list)
    all += number(j, a).value_or(0) * number(j, b).value_or(0);
  return all;
}

} // namespace

void add_times(const Json& timing, Kernel& kernel) {
  if (!timing.is_object())
    return;
  std::set<std::string> known;
  for (const Value& v : kernel.values)
    known.insert(v.name);
  std::vector<Value> times;
  flatten(timing, "", times);
  for (Value& v : times)
    if (!known.contains(v.name))
      kernel.values.push_back(std::move(v));
}

llvm::Error read_times(const Json& j, Document& out) {
  Kernel& kernel = out.kernels.emplace_back(Kernel{.name = text(j, "kernel"), .target = text(j, "target")});
  if (kernel.name.empty())
    return fail("names no kernel");
  kernel.shown = kernel.name;
  const Json& timing = member(j, "timing");
  add_times(timing, kernel);
  out.made = "the card " + text(timing, "card");
  for (const auto& [name, value] : member(timing, "assumed").items())
    out.made += fmt::format(", {} {}", name, value.dump());
  return llvm::Error::success();
}

llvm::Error read_findings(const Json& j, Document& out) {
  if (member(j, "crosslane_lint") != 1)
    return fail("are findings in the form {}; this crosslane knows 1", member(j, "crosslane_lint").dump());
  if (!member(j, "findings").is_array())
    return fail("lacks the list of findings");
  out.producer = "crosslane " + text(j, "version"), out.has_findings = true;
  std::map<std::string, double> rules, severities;
  for (const Json& f : list(j, "findings")) {
    const Json& at = member(f, "place");
    const std::string rule = text(f, "rule"), function = text(at, "function"), source = text(at, "source");
    if (rule.empty() || !at.is_object())
      return fail("finding {} lacks its rule or its place", out.findings.size());
    const auto line = number(at, "line"), column = number(at, "column");
    std::string place = text(at, "file");
    if (!source.empty())
      place = source;
    else if (line)
      place += fmt::format(":{}{}", *line, column ? fmt::format(":{}", *column) : "");
    else
      place += fmt::format("({}+{:#x})", function, offset(at, "offset"));
    ++rules[rule], ++severities[text(f, "severity")];
    out.findings.push_back({.match = {rule, function, text(f, "instruction"), offset(at, "offset")},
                            .place = place,
                            .message = text(f, "message"),
                            .severity = text(f, "severity")});
  }
  std::vector<Value>& values = out.kernels.emplace_back().values;
  values.push_back({"findings", "", double(out.findings.size())});
  values.push_back({"errors", "", severities["error"]});
  values.push_back({"warnings", "", severities["warning"]});
  values.push_back({"not_judged", "", double(list(j, "not_judged").size())});
  for (const auto& [rule, count] : rules)
    values.push_back({rule, "", count});
  return llvm::Error::success();
}

llvm::Error read_counters(const Json& j, Document& out) {
  Kernel& kernel = out.kernels.emplace_back(Kernel{.name = text(j, "kernel"), .target = text(j, "target")});
  if (kernel.name.empty())
    return fail("names no kernel");
  kernel.shown = kernel.name;
  const auto add = [&](const char* name, const char* unit, std::optional<double> value) {
    if (value)
      kernel.values.push_back({name, unit, *value});
  };
  add("waves_recorded", "waves", number(j, "waves_recorded"));
  if (!list(j, "branches").empty()) {
    add("branches", "executions", sum(list(j, "branches"), "executions"));
    add("agreements", "executions", sum(list(j, "branches"), "agreements"));
    add("divergences", "executions", sum(list(j, "branches"), "divergences"));
  }
  if (j.contains("blocks")) {
    add("blocks", "executions", sum(list(j, "blocks"), "executions"));
    add("wave_instructions", "", products(list(j, "blocks"), "executions", "instructions"));
  }
  if (j.contains("lanes"))
    add("lane_instructions", "", products(list(j, "lanes"), "lanes", "instructions"));
  if (const Json& time = member(j, "time"); time.is_object()) {
    add("wave_cycles", "cycles of s_memtime", sum(list(time, "waves"), "end") - sum(list(time, "waves"), "begin"));
    add("loop_entries", "", sum(list(time, "loops"), "entries"));
    add("loop_cycles", "cycles of s_memtime", sum(list(time, "loops"), "cycles"));
  }
  if (const Json& memory = member(j, "memory"); memory.is_object()) {
    add("accesses", "", number(memory, "accesses"));
    for (const char* name : {"requests", "lanes", "lines"})
      add(name, "", sum(list(memory, "instructions"), name));
  }
  if (const Json& user = member(j, "user"); user.is_object()) {
    std::vector<double> sums;
    for (const Json& p : list(user, "places")) {
      const Json& values = list(p, "values");
      sums.resize(std::max(sums.size(), values.size()));
      for (size_t n = 0; n < values.size(); ++n)
        sums[n] += number(values[n]).value_or(0);
    }
    for (size_t n = 0; n < sums.size(); ++n)
      add(fmt::format("{}.{}", text(user, "name"), n).c_str(), "", sums[n]);
  }
  return llvm::Error::success();
}

} // namespace crosslane::diff
