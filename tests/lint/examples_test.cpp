// The examples of every rule: the wrong one is found by that rule, the right one is silent.
#include "isa/hazards.h"
#include "tests/lint/linted.h"
#include <gtest/gtest.h>
#include <set>

namespace crosslane::test {

namespace {

class Examples : public testing::TestWithParam<lint::Rule> {};

std::string name_of(const testing::TestParamInfo<lint::Rule>& info) {
  return std::string(lint::text_of(info.param).name);
}

auto all_rules() {
  std::vector<lint::Rule> rules;
  for (size_t n = 0; n < lint::rule_count; ++n)
    // Those of comments the command finds, and check_test those of the groups running and host.
    if (const lint::Group g = lint::text_of(lint::Rule(n)).group;
        g != lint::Group::usage && g != lint::Group::running && g != lint::Group::host)
      rules.push_back(lint::Rule(n));
  return testing::ValuesIn(rules);
}

} // namespace

TEST_P(Examples, SayWhatIsWrongAndWhatIsRight) {
  const lint::RuleText& rule = lint::text_of(GetParam());
  for (const std::string_view part : {rule.title, rule.text, rule.sources, rule.target, rule.wrong, rule.right})
    EXPECT_FALSE(part.empty());
  LintCase c{.target = std::string(rule.target)};
  c.undefined = rule.group == lint::Group::code;
  c.performance = rule.group == lint::Group::performance;
  if (rule.severity == lint::Severity::pedantic)
    c.rules = lint::RuleSet::all;
  std::set<std::string> wrong, right;
  for (const lint::Finding& f : report_of(std::string(rule.wrong), c).findings)
    wrong.insert(lint::id_of(f.rule));
  for (const lint::Finding& f : report_of(std::string(rule.right), c).findings)
    right.insert(lint::id_of(f.rule));
  if (GetParam() == lint::Rule::vcc_alias_valu || GetParam() == lint::Rule::vccz_alias_branch)
    wrong.erase("sgpr-reserved"); // who calls VCC by numbers has mostly forgotten to reserve it
  EXPECT_EQ(wrong, std::set{lint::id_of(GetParam())});
  EXPECT_EQ(right, std::set<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(All, Examples, all_rules(), name_of);

TEST(Rules, HaveTextsForAllHazards) {
  for (const isa::hazards::Hazard& h : isa::hazards::all())
    EXPECT_TRUE(lint::find_rule(h.rule)) << h.rule;
}

} // namespace crosslane::test
