// Comments that allow findings, baselines, repairs, forms: on findings made by hand, so that no check is needed.
#include "lint/allow.h"
#include "lint/baseline.h"
#include "lint/fix.h"
#include "lint/format/format.h"
#include "lint/select.h"
#include "tests/expected.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace crosslane::lint {

namespace {

PlacedFinding finding(uint32_t line, uint32_t column = 3, Rule rule = Rule::valu_sgpr_vmem) {
  PlacedFinding f{.rule = rule, .severity = Severity::error, .said = Said::manual};
  f.place = {.file = "k.s", .function = "k", .offset = line * 4, .line = line, .column = column, .code = "  v_nop"};
  f.message = "what is wrong", f.instruction = "v_nop";
  return f;
}

PlacedFinding with_fix(PlacedFinding f, std::string text, Fix::Kind kind = Fix::Kind::insert) {
  f.fix = PlacedFix{kind, f.place, std::move(text)};
  return f;
}

// "LINE RULE" of what is left, comments' own findings included.
std::vector<std::string> left(const std::string& text, std::vector<PlacedFinding> findings) {
  Judged judged{.file = "k.s", .assembly = true, .findings = std::move(findings)};
  apply_comments(judged, SourceText(text));
  std::vector<std::string> result;
  for (const PlacedFinding& f : judged.findings)
    result.push_back(std::to_string(f.place.line) + " " + id_of(f.rule));
  return result;
}

using Lines = std::vector<std::string>;

} // namespace

TEST(Comments, AllowTheirLineOrTheNext) {
  EXPECT_EQ(left("  v_nop // crosslane-lint: allow(valu-sgpr-vmem) why\n", {finding(1)}), Lines{});
  EXPECT_EQ(left("; crosslane-lint: allow(valu-sgpr-vmem)\n\n// more\nL:\n\t.loc 1 2\n  v_nop\n", {finding(6)}),
            Lines{});
  EXPECT_EQ(left("/* crosslane-lint: allow(wait-states) */\n  v_nop\n  v_nop\n", {finding(2), finding(3)}),
            Lines{"3 valu-sgpr-vmem"});
  EXPECT_EQ(left("  v_nop ; crosslane-lint: allow(valu-)\n  v_nop\n", {finding(2)}),
            (Lines{"2 valu-sgpr-vmem", "1 unused-allow"}));
}

TEST(Comments, SwitchRegions) {
  const std::string text = "// crosslane-lint: off(valu-sgpr-vmem) why\n  v_nop\n  v_nop\n"
                           "// crosslane-lint: on(valu-sgpr-vmem)\n  v_nop\n";
  EXPECT_EQ(left(text, {finding(2), finding(3), finding(5)}), Lines{"5 valu-sgpr-vmem"});
  EXPECT_EQ(left("// crosslane-lint: off(all)\n  v_nop\n  v_nop", {finding(2), finding(3)}), Lines{});
  EXPECT_EQ(left("// crosslane-lint: on(all)\n", {}), Lines{"1 unknown-allow"});
}

TEST(Comments, MustMeanSomething) {
  EXPECT_EQ(left("  v_nop // crosslane-lint: allow(valu-sgpr-vmem, valu-exec-dpp)\n", {finding(1)}),
            Lines{"1 unused-allow"});
  EXPECT_EQ(left("// crosslane-lint: allow(valu-sgpr-vnem)\n  v_nop\n", {finding(2)}),
            (Lines{"2 valu-sgpr-vmem", "1 unknown-allow"}));
  EXPECT_EQ(left("// crosslane-lint: please\n", {}), Lines{"1 unknown-allow"});
  EXPECT_EQ(left(".ascii \"// crosslane-lint: please\"\n", {}), Lines{});
}

TEST(Baseline, KnowsFindingsThatMoved) {
  std::vector<Judged> before = {{.file = "k.s", .findings = {finding(5), finding(9)}}};
  auto known = read_baseline(baseline_of(before), "base");
  ASSERT_TRUE(bool(known)) << llvm::toString(known.takeError());
  std::vector<Judged> after = {{.file = "k.s", .findings = {finding(6), finding(9), finding(12)}}};
  EXPECT_EQ(take_known(after, *known), 2u);
  ASSERT_EQ(after[0].findings.size(), 1u);
  after[0].findings = {finding(5)};
  after[0].findings[0].instruction = "v_mov_b32 v0, v1";
  EXPECT_EQ(take_known(after, *known), 0u);
  EXPECT_HAS(llvm::toString(read_baseline("{}", "base").takeError()), "is no baseline");
  EXPECT_HAS(
      llvm::toString(read_baseline(R"({"crosslane_lint_baseline": 1, "findings": [{"rule": 1}]})", "base").takeError()),
      "entry 0 lacks");
}

TEST(Repair, PutsLinesBehindLabelsWithTheirIndentation) {
  Repair repair("k.s", "k:\n\tv_nop // one\nL: v_nop\n");
  std::vector<PlacedFinding> findings = {with_fix(finding(2, 2), "s_nop 4"),
                                         with_fix(finding(3, 4), "s_nop 7\ns_nop 1")};
  EXPECT_EQ(repair.round(findings), 2u);
  EXPECT_EQ(repair.text(), "k:\n\ts_nop 4\n\tv_nop // one\nL:\n  s_nop 7\n  s_nop 1\n  v_nop\n");
  EXPECT_EQ(repair.diff(), "--- k.s\n+++ k.s\n@@ -1,3 +1,7 @@\n k:\n+\ts_nop 4\n \tv_nop // one\n-L: v_nop\n+L:\n"
                           "+  s_nop 7\n+  s_nop 1\n+  v_nop\n");
}

TEST(Repair, TakesTheLongestOfWaitsAtOnePlace) {
  Repair repair("k.s", "  v_nop\n");
  std::vector<PlacedFinding> findings = {with_fix(finding(1), "s_nop 1"), with_fix(finding(1), "s_nop 4"),
                                         with_fix(finding(1), "s_waitcnt vmcnt(0)"),
                                         with_fix(finding(1), "s_waitcnt vmcnt(0)")};
  EXPECT_EQ(repair.round(findings), 4u);
  EXPECT_EQ(repair.text(), "  s_waitcnt vmcnt(0)\n  s_nop 4\n  v_nop\n");
}

// The second needs less once the first is repaired.
TEST(Repair, LeavesTheNextRoundWhatTheFirstMayHelp) {
  Repair repair("k.s", "  v_one\n  v_two\n  v_three\n");
  std::vector<PlacedFinding> findings = {with_fix(finding(2), "s_nop 1"), with_fix(finding(3), "s_nop 0")};
  for (PlacedFinding& f : findings)
    f.notes = {{{.file = "k.s", .line = 1, .column = 3}, "here"}};
  EXPECT_EQ(repair.round(findings), 1u);
  EXPECT_EQ(repair.text(), "  v_one\n  s_nop 1\n  v_two\n  v_three\n");
}

TEST(Repair, ReplacesAndRemoves) {
  Repair repair("k.s", "  s_nop 9 // long\r\n  s_nop 0\r\nL: s_nop 0\r\n");
  std::vector<PlacedFinding> findings = {with_fix(finding(1), "s_nop 7", Fix::Kind::replace),
                                         with_fix(finding(2), "", Fix::Kind::remove),
                                         with_fix(finding(3, 4), "", Fix::Kind::remove)};
  EXPECT_EQ(repair.round(findings), 3u);
  EXPECT_EQ(repair.text(), "  s_nop 7 // long\r\nL: \r\n");
  // In a macro it is not known what the line is.
  EXPECT_EQ(repair.round(std::vector{with_fix(finding(1, 0), "s_nop 0")}), 0u);
}

TEST(Select, TakesIdsGroupsAndBeginnings) {
  EXPECT_EQ(rules_called("valu-sgpr-vmem").count(), 1u);
  EXPECT_EQ(rules_called("usage").count(), 2u);
  EXPECT_GT(rules_called("mai908-").count(), 5u);
  EXPECT_TRUE(rules_called("all").all());
  EXPECT_TRUE(rules_called("").none());
  const std::vector<std::string> select = {"wait-states"}, ignore = {"mai"}, wrong = {"valu-sgpr-vnem"};
  auto rules = select_rules(select, ignore);
  ASSERT_TRUE(bool(rules));
  EXPECT_TRUE((*rules)[size_t(Rule::valu_sgpr_vmem)]);
  EXPECT_FALSE((*rules)[size_t(Rule::mai908_vgpr)]);
  EXPECT_FALSE((*rules)[size_t(Rule::unused_allow)]);
  EXPECT_HAS(llvm::toString(select_rules(wrong, {}).takeError()), "did you mean valu-sgpr-vmem");
}

TEST(Formats, SayWhatIsLeftOut) {
  std::vector<Judged> judged = {{.file = "k.s", .findings = {finding(1), finding(2), finding(3)}}};
  const Results results{judged, {}, {}, "0"};
  EXPECT_HAS(text_of(results, {.most = 1}), "\n2 more findings are not shown\n");
  EXPECT_HAS(github_of(results, 1), "2 more findings are not shown");
  EXPECT_EQ(nlohmann::json::parse(json_of(results))["findings"].size(), 3u);
}

// What compiled code was made of is what editors and services can show.
TEST(Formats, NameTheSource) {
  PlacedFinding f = finding(1);
  f.place = {.file = "k.co", .function = "k", .offset = 0x54, .code = "s_nop 0", .source = "dir/k.cl:3:7"};
  f.notes = {{f.place, "here"}};
  std::vector<Judged> judged = {{.file = "k.co", .findings = {f}}};
  const Results results{judged, {}, {}, "0"};
  EXPECT_HAS(text_of(results, {}), "dir/k.cl:3:7: error: ");
  EXPECT_HAS(text_of(results, {}), "\n    +0x54 | s_nop 0  // k.co(k+0x54)\n");
  EXPECT_HAS(text_of(results, {}), "\n  dir/k.cl:3:7: note: here (k+0x54)\n");
  EXPECT_HAS(github_of(results, 9), "::error file=dir/k.cl,line=3,col=7,title=");
  judged[0].findings[0].place.source = "k.cl:3"; // no column
  EXPECT_HAS(text_of(results, {}), "k.cl:3: error: ");
  EXPECT_HAS(github_of(results, 9), "::error file=k.cl,line=3,title=");
  judged[0].findings[0].place.source = "";
  EXPECT_HAS(text_of(results, {}), "k.co(k+0x54): error: ");
  EXPECT_HAS(github_of(results, 9), "::error file=k.co,title=");
}

// Names and lines of files are not trusted.
TEST(Formats, KeepStrangeTextApart) {
  PlacedFinding f = finding(1);
  f.place.file = "a\x1b[31m\n::error::<&\"\xff.s", f.place.code = "\x1b]0;x\x07";
  std::vector<Judged> judged = {{.file = f.place.file, .findings = {f}}};
  const Results results{judged, {}, {}, "0"};
  EXPECT_EQ(text_of(results, {}).find('\x1b'), std::string::npos);
  EXPECT_EQ(github_of(results, 9).find("\n::error::"), std::string::npos);
  EXPECT_EQ(junit_of(results).find("<&"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(sarif_of(results), nullptr, false).is_discarded());
  EXPECT_FALSE(nlohmann::json::parse(json_of(results), nullptr, false).is_discarded());
}

} // namespace crosslane::lint
