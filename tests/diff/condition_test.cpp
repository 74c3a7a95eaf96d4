// --fail-if: what the words mean, and what they cannot mean.
#include "diff/condition.h"
#include "tests/diff/made_up.h"

namespace crosslane::diff {
namespace {

using made_up::kernel;
using made_up::profile;
using test::error_of;
using test::value_of;
using Op = Condition::Op;
using Of = Condition::Of;

TEST(Condition, Words) {
  Condition c = value_of(parse_condition("lds_conflicts>+5%"));
  EXPECT_EQ(c.name, "lds_conflicts");
  EXPECT_EQ(c.kernel, "");
  EXPECT_TRUE(c.op == Op::greater && c.of == Of::percent && c.limit == 5);
  c = value_of(parse_condition("  ns::f<3, int>:VALU Active Threads <= -1.5e1"));
  EXPECT_EQ(c.kernel, "ns::f<3, int>");
  EXPECT_EQ(c.name, "VALU Active Threads");
  EXPECT_TRUE(c.op == Op::less_equal && c.of == Of::change && c.limit == -15);
  EXPECT_EQ(value_of(parse_condition("a:waves>7")).of, Of::value);
  EXPECT_EQ(value_of(parse_condition("waves!=+0")).op, Op::not_equal);
  EXPECT_EQ(value_of(parse_condition("waves == 3 %")).of, Of::percent);
}

TEST(Condition, WhatIsNone) {
  for (const char* bad : {"", "waves", ">5", "waves>", "waves>x", "waves>5%%", "waves>nan", "waves>inf", "waves>++5",
                          "waves>+-5", "waves=5", "waves=>5", "waves>>5", "waves>5 6", "waves>1e999", "a:>5"})
    EXPECT_HAS(error_of(parse_condition(bad)), "must be [KERNEL:]NAME") << bad;
}

std::vector<std::string> hits(const Difference& d, const std::string& text) {
  std::vector<std::string> all;
  for (const auto& hit : value_of(judge(d, {value_of(parse_condition(text))})).hits)
    all.push_back(hit.kernel + ":" + hit.row.name);
  return all;
}
using Names = std::vector<std::string>;

TEST(Condition, Holds) {
  const Difference d =
      made_up::difference(profile({kernel("a"), kernel("b", 0)}), profile({kernel("a", 104), kernel("b", 9)}));
  EXPECT_EQ(hits(d, "SQ_LDS_BANK_CONFLICT>5%"), (Names{"b:SQ_LDS_BANK_CONFLICT"})); // from 0
  EXPECT_EQ(hits(d, "SQ_LDS*>+3.9%"), (Names{"a:SQ_LDS_BANK_CONFLICT", "b:SQ_LDS_BANK_CONFLICT"}));
  EXPECT_EQ(hits(d, "SQ_LDS*>+4"), (Names{"b:SQ_LDS_BANK_CONFLICT"}));
  EXPECT_EQ(hits(d, "SQ_LDS*>=+4"), (Names{"a:SQ_LDS_BANK_CONFLICT", "b:SQ_LDS_BANK_CONFLICT"}));
  EXPECT_EQ(hits(d, "a:SQ_*>100"), (Names{"a:SQ_LDS_BANK_CONFLICT"}));
  EXPECT_EQ(hits(d, "SQ_WAVES!=+0"), Names());
  EXPECT_EQ(hits(d, "new_findings>0"), Names());
  EXPECT_EQ(hits(d, "gone_findings==0"), (Names{":gone_findings"}));
}

TEST(Condition, SaysWhatThereIsNot) {
  const Difference d = made_up::difference(profile({kernel("reduce")}), profile({kernel("reduce")}));
  const auto error = [&](const char* text) { return error_of(judge(d, {value_of(parse_condition(text))})); };
  EXPECT_HAS(error("lds_conflict>0"), "nothing is called 'lds_conflict'; did you mean lds_conflicts?");
  EXPECT_HAS(error("reduse:waves>0"), "there is no kernel 'reduse'; did you mean reduce?");
  EXPECT_HAS(error("x*>0"), "nothing is called 'x*'");
}

TEST(Condition, WhatCannotBeJudgedIsSaid) {
  auto less = kernel("a");
  less["counters"].erase(0);
  const Difference d =
      made_up::difference(profile({less, kernel("b")}), profile({kernel("a"), kernel("b"), kernel("c")}));
  const auto verdict = value_of(judge(d, {value_of(parse_condition("SQ_WAVES>+1%"))}));
  EXPECT_TRUE(verdict.hits.empty());
  EXPECT_EQ(verdict.notes, (Names{"SQ_WAVES of a has no value before", "SQ_WAVES of c has no value before"}));
  EXPECT_HAS(error_of(judge(d, {value_of(parse_condition("a:SQ_WAVES>+1%"))})),
             "cannot be judged: SQ_WAVES of a has no value");
  EXPECT_EQ(hits(d, "c:SQ_WAVES>0"), (Names{"c:SQ_WAVES"}));
}

} // namespace
} // namespace crosslane::diff
