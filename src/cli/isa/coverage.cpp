// Counting, and the table that README carries.
#include "cli/isa/coverage.h"
#include "isa/instances.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace crosslane::cli {

namespace {

void count(Share& share, bool done) { ++share.of, share.done += done; }

Coverage coverage_of(isa::Target target) {
  Coverage c;
  c.targets = {target};
  for (const isa::Op op : find_instructions({target, {}, {}})) {
    const auto facts = facts_of(op, std::span(&target, 1));
    const auto& forms = facts.targets.front().forms;
    count(c.decoded, std::all_of(forms.begin(), forms.end(), [](const FormFacts& f) { return f.decodes; }));
    count(isa::is_graphics(op) ? c.graphics : c.compute,
          std::all_of(forms.begin(), forms.end(), [](const FormFacts& f) { return f.executes; }));
    for (const auto& form : forms)
      count(c.forms, form.executes);
  }
  return c;
}

std::string text(const Share& s) { return fmt::format("{} of {}", s.done, s.of); }
// Rounded down: 100.0 is all of them.
std::string with_percent(const Share& s) {
  const int tenths = s.of ? static_cast<int>(int64_t(s.done) * 1000 / s.of) : 1000;
  return fmt::format("{} ({}.{} %)", text(s), tenths / 10, tenths % 10);
}

} // namespace

bool Coverage::same_counts(const Coverage& other) const {
  return decoded == other.decoded && compute == other.compute && graphics == other.graphics && forms == other.forms;
}

std::vector<Coverage> coverage(std::span<const isa::Target> targets) {
  std::vector<Coverage> all;
  std::vector<isa::Target> sorted(targets.begin(), targets.end());
  std::sort(sorted.begin(), sorted.end(), [](isa::Target a, isa::Target b) {
    return std::pair(isa::info(a).generation, a) < std::pair(isa::info(b).generation, b);
  });
  for (const isa::Target target : sorted) {
    Coverage c = coverage_of(target);
    if (!all.empty() && isa::info(all.back().targets[0]).generation == isa::info(target).generation &&
        all.back().same_counts(c))
      all.back().targets.push_back(target);
    else
      all.push_back(std::move(c));
  }
  return all;
}

std::string coverage_table(std::span<const Coverage> all) {
  std::vector<std::vector<std::string>> rows = {
      {"targets", "decoded", "compute, executed", "graphics, executed", "forms, executed"}};
  for (const Coverage& c : all) {
    std::vector<std::string_view> names;
    for (const isa::Target t : c.targets)
      names.push_back(isa::info(t).name);
    rows.push_back({fmt::format("{}", fmt::join(names, " ")), text(c.decoded), with_percent(c.compute),
                    text(c.graphics), text(c.forms)});
  }
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string table;
  for (size_t r = 0; r < rows.size(); ++r) {
    table += '|';
    for (size_t i = 0; i < widths.size(); ++i)
      table +=
          i == 0 ? fmt::format(" {:<{}} |", rows[r][i], widths[i]) : fmt::format(" {:>{}} |", rows[r][i], widths[i]);
    table += '\n';
    if (r > 0)
      continue;
    table += '|';
    for (size_t i = 0; i < widths.size(); ++i)
      table += i == 0 ? fmt::format(":{:->{}}|", "", widths[i] + 1) : fmt::format("{:->{}}:|", "", widths[i] + 1);
    table += '\n';
  }
  return table;
}

std::string fault_list(isa::Target target) {
  struct Group {
    std::string_view reason;
    std::vector<std::string> instructions;
  };
  std::vector<Group> groups;
  for (const isa::Op op : find_instructions({target, {}, {}})) {
    const auto facts = facts_of(op, std::span(&target, 1));
    const auto& t = facts.targets.front();
    const bool all = std::none_of(t.forms.begin(), t.forms.end(), [](const FormFacts& f) { return f.executes; });
    std::string_view last; // all forms for one reason: named once
    for (const auto& form : t.forms) {
      if (form.executes || (all && form.fault == last))
        continue;
      last = form.fault;
      auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.reason == form.fault; });
      if (group == groups.end())
        group = groups.insert(groups.end(), {form.fault, {}});
      group->instructions.push_back(all ? std::string(t.name) : fmt::format("{} ({})", t.name, form.form));
    }
  }
  std::string list;
  for (const Group& g : groups) {
    list += fmt::format("\n{}:\n", g.reason);
    std::string line = " ";
    for (const auto& name : g.instructions) {
      if (line.size() + name.size() > 100)
        list += line + "\n", line = " ";
      line += " " + name;
    }
    list += line + "\n";
  }
  return list;
}

} // namespace crosslane::cli
