// Runs the checks, keeps what was asked for, brings it into order.
#include "lint/lint.h"
#include "lint/checks.h"
#include "lint/follow.h"
#include <algorithm>
#include <tuple>

namespace crosslane::lint {

namespace {

using Make = std::unique_ptr<Walk>(const Subject&, Report&);
constexpr Make* walks[] = {walk_wait_states, walk_waits, walk_code};
constexpr std::pair<Rule, Make*> performance_walks[] = {{Rule::strict_wait, walk_strict_waits},
                                                        {Rule::redundant_nop, walk_redundant_nops}};

Report judge_by(const Subject& subject, const std::bitset<rule_count>& selected) {
  Report report;
  check_control(subject, report);
  std::vector<std::unique_ptr<Walk>> under_way;
  const auto add = [&](Make* make) {
    if (auto walk = make(subject, report))
      under_way.push_back(std::move(walk));
  };
  for (Make* make : walks)
    add(make);
  for (const auto& [rule, make] : performance_walks)
    if (selected[size_t(rule)])
      add(make);
  PartReader reader(subject);
  for (uint32_t n = 0; n < subject.graph.parts.size(); ++n)
    for (const auto& walk : under_way)
      walk->part(n, reader);
  for (const auto& walk : under_way)
    walk->rest(reader);
  bring_into_order(report);
  return report;
}

} // namespace

bool asked_for(const Options& options, Rule rule, Severity severity, Said said) {
  if (!options.selected[size_t(rule)])
    return false;
  if (severity != Severity::pedantic)
    return true;
  switch (options.rules) {
  case RuleSet::default_: return false;
  case RuleSet::manual: return has(said, Said::manual);
  case RuleSet::llvm: return has(said, Said::llvm);
  case RuleSet::all: return true;
  }
  return true;
}

std::bitset<rule_count> Options::default_rules() {
  std::bitset<rule_count> rules;
  for (size_t n = 0; n < rule_count; ++n)
    rules[n] = text_of(Rule(n)).group != Group::performance;
  return rules;
}

void bring_into_order(Report& report) {
  std::ranges::sort(report.findings, {}, [](const Finding& f) { return std::tie(f.pc, f.rule, f.message); });
  std::ranges::sort(report.not_judged, {}, [](const NotJudged& n) { return std::tie(n.pc, n.reason); });
}

Report judge(const Subject& subject) { return judge_by(subject, std::bitset<rule_count>().set()); }

Report lint(const Subject& subject, const Options& options) {
  Report report = judge_by(subject, options.selected);
  std::erase_if(report.findings, [&](const Finding& f) { return !asked_for(options, f.rule, f.severity, f.said); });
  return report;
}

std::vector<std::unique_ptr<Follower>> followers(const Subject& subject, Report& report) {
  std::vector<std::unique_ptr<Follower>> all;
  all.push_back(follow_wait_states(subject, report));
  all.push_back(follow_waits(subject, report));
  return all;
}

} // namespace crosslane::lint
