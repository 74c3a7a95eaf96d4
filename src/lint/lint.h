// Owns judging code: the checks, one behind the other, and which of their findings were asked for. Prints nothing.
#pragma once
#include "lint/finding.h"
#include "lint/subject.h"
#include <bitset>

namespace crosslane::lint {

struct Options {
  RuleSet rules = RuleSet::default_;
  std::bitset<rule_count> selected = default_rules();
  static std::bitset<rule_count> default_rules(); // all but the group performance
};

bool asked_for(const Options&, Rule, Severity, Said);

// All that the checks find.
Report judge(const Subject&);
// What was asked for; strict-wait and redundant-nop, which nothing else needs, run only then.
Report lint(const Subject&, const Options&);
// By address.
void bring_into_order(Report&);

} // namespace crosslane::lint
