// Text, JSON and the page.
#include "diff/forms.h"
#include "tests/diff/made_up.h"

namespace crosslane::diff {
namespace {

using made_up::Json;
using made_up::kernel;
using made_up::profile;
using test::value_of;

TEST(Forms, TextHasWhatChangedMostFirst) {
  Json k = kernel("a", 150), less = kernel("a");
  k["waves"] = 4, k["seconds"] = 5, k["counters"].push_back({{"name", "More"}, {"value", 0.25}, {"unit", "%"}});
  less["instructions"] = Json::array();
  const Difference d =
      made_up::difference(profile({less, kernel("b"), kernel("gone")}), profile({k, kernel("b"), kernel("new")}));
  EXPECT_EQ(text_of(d, false), "profile: before.json -> after.json\n"
                               "\n"
                               "a\n"
                               "                        before  after    change\n"
                               "  lds_conflicts              0      7    from 0  LDS cycles\n"
                               "  lds_cycles                 0     12    from 0  LDS cycles\n"
                               "  waves                      1      4  +300.0 %\n"
                               "  SQ_LDS_BANK_CONFLICT     100    150   +50.0 %  cycles\n"
                               "  More                       -   0.25       new  %\n"
                               "  seconds                  0.5      5  +900.0 %  s of the host\n"
                               "  2 the same\n"
                               "\n"
                               "the same: b\n"
                               "new: new\n"
                               "gone: gone\n"
                               "findings: 2 new, 2 gone, 1 the same\n"
                               "+ k.cl:7: conflicts [bank_conflicts]: 150 LDS cycles\n"
                               "+ k.cl:7: conflicts [bank_conflicts]: 100 LDS cycles\n"
                               "- k.cl:7: conflicts [bank_conflicts]: 100 LDS cycles\n"
                               "- k.cl:7: conflicts [bank_conflicts]: 100 LDS cycles\n");
  EXPECT_HAS(text_of(d, true), "\nb\n");
  EXPECT_HAS(text_of(d, true), "  SQ_WAVES                   1      1      same  waves\n");
}

TEST(Forms, JsonHasAll) {
  const Difference d = made_up::difference(profile({kernel("a", 0)}), profile({kernel("a", 3)}));
  const Verdict verdict = value_of(judge(d, {value_of(parse_condition("SQ_LDS_BANK_CONFLICT>+5%"))}));
  const Json j = Json::parse(json_of(d, verdict));
  EXPECT_EQ(j["crosslane_diff"], 1);
  EXPECT_EQ(j["kind"], "profile");
  EXPECT_EQ(j["fail_if"]["hits"][0]["after"], 3);
  EXPECT_TRUE(j["fail_if"]["hits"][0]["percent"].is_null()); // from 0
  EXPECT_EQ(j["kernels"][0]["values"].size(), 7u);
  EXPECT_EQ(j["findings"]["same"][0]["cost_before"], 0);
  EXPECT_EQ(text_of(verdict),
            "crosslane: SQ_LDS_BANK_CONFLICT>+5%: a: SQ_LDS_BANK_CONFLICT: 0 before, 3 after (from 0)\n");
}

// Names of documents are not trusted.
TEST(Forms, KeepStrangeTextApart) {
  Json k = kernel("<script>alert('1')</script>\x1b[31m");
  k["counters"].push_back({{"name", "\"><img src=x>"}, {"value", 5}, {"unit", "</table>&"}});
  k["findings"][0]["title"] = "<b>\x07";
  const Difference d = made_up::difference(profile({kernel("a")}), profile({k}));
  const std::string page = html_of(d, {.hits = {{"<i>", "<u>", {}}}, .notes = {"<s>"}});
  for (const char* bad : {"<script", "<img", "<b>", "</table>&", "<i>", "<u>", "<s>", "\x1b", "\x07"})
    EXPECT_EQ(page.find(bad), std::string::npos) << bad;
  EXPECT_HAS(page, "&lt;script&gt;");
  EXPECT_HAS(page, "Content-Security-Policy");
  EXPECT_EQ(page.find("http://"), std::string::npos);
  EXPECT_EQ(text_of(d, true).find('\x1b'), std::string::npos);
  EXPECT_FALSE(Json::parse(json_of(d, {}), nullptr, false).is_discarded());
}

} // namespace
} // namespace crosslane::diff
