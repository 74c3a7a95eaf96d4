// The group performance: what is advised is right, all of it at once.
#include "tests/lint/linted.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace crosslane::test {

namespace {

using Lines = std::vector<std::string>;

// "LINE FIX" of a rule, in turn.
Lines advice(const std::string& body, lint::Rule rule, LintCase c = {}) {
  c.performance = true;
  Lines lines;
  for (const lint::Finding& f : report_of(body, c).findings)
    if (f.rule == rule)
      lines.push_back(fmt::format("{} {}", f.pc, f.fix->kind == lint::Fix::Kind::remove ? "remove" : f.fix->text));
  return lines;
}
Lines waits(const std::string& body, LintCase c = {}) { return advice(body, lint::Rule::strict_wait, std::move(c)); }
Lines nops(const std::string& body, LintCase c = {}) { return advice(body, lint::Rule::redundant_nop, std::move(c)); }

std::vector<std::string> lines_of(const std::string& body) {
  std::vector<std::string> lines = {""};
  for (const char c : body)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

// All of one round, as --fix changes the text; `waits`: not s_nop alone.
std::string repaired(const std::string& body, const LintCase& c, bool waits = true) {
  std::vector<std::string> lines = lines_of(body);
  LintCase all = c;
  all.performance = true;
  for (const lint::Finding& f : report_of(body, all).findings) {
    if (!f.fix || f.severity != lint::Severity::note || (!waits && f.rule != lint::Rule::redundant_nop))
      continue;
    std::string& line = lines[f.fix->pc - 1];
    const size_t label = line.find(": ");
    line = (label == std::string::npos ? "" : line.substr(0, label + 2)) + f.fix->text;
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

} // namespace

TEST(StrictWaits, NameTheHighestCountThatWillDo) {
  const std::string two = "global_load_dword v2, v[0:1], off\nglobal_load_dword v3, v[0:1], off offset:4\n"
                          "global_load_dword v4, v[0:1], off offset:8\ns_waitcnt vmcnt(0)\nv_add_f32 v2, v2, v2\n";
  EXPECT_EQ(waits(two + "ds_read_b32 v6, v5\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_f32 v3, v4, v6\ns_endpgm"),
            Lines{"4 s_waitcnt vmcnt(2)"});
  // All are used with no other wait between.
  EXPECT_EQ(waits(two + "v_add_f32 v3, v3, v4\ns_endpgm"), Lines{});
  EXPECT_EQ(waits(two + "v_add_f32 v3, v3, v3\ns_endpgm"), Lines{"4 s_waitcnt vmcnt(1)"});
  // Written over.
  EXPECT_EQ(waits(two + "v_mov_b32 v3, 0\nv_mov_b32 v4, 0\ns_endpgm"), Lines{});
}

TEST(StrictWaits, LeaveTheOtherCounterAlone) {
  EXPECT_EQ(waits("ds_read_b32 v6, v5\nglobal_load_dword v2, v[0:1], off\nglobal_load_dword v3, v[0:1], off offset:4\n"
                  "s_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_f32 v2, v2, v6\nglobal_load_dword v4, v[0:1], off\n"
                  "s_waitcnt vmcnt(0)\nv_add_f32 v3, v3, v4\ns_endpgm"),
            Lines{"4 s_waitcnt vmcnt(1) lgkmcnt(0)"});
}

// The next s_waitcnt proves nothing that is new, and redundant-wait would take it away.
TEST(StrictWaits, DoNotRelyOnWhatIsRedundant) {
  const std::string body = "global_load_dword v2, v[0:1], off\nglobal_load_dword v3, v[0:1], off offset:4\n"
                           "s_waitcnt vmcnt(0)\nv_add_f32 v2, v2, v2\ns_waitcnt vmcnt(0)\nv_add_f32 v3, v3, v3\n"
                           "s_endpgm";
  EXPECT_EQ(found(body, {.performance = true}), Lines{"5 redundant-wait"});
}

// What the loop loads for its next round need not be there in this one.
TEST(StrictWaits, FollowLoops) {
  const std::string body = "global_load_dword v2, v[0:1], off\nL: global_load_dword v3, v[0:1], off offset:4\n"
                           "s_waitcnt vmcnt({})\nv_add_f32 v4, v4, v2\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v3\n"
                           "global_load_dword v5, v[0:1], off\ns_waitcnt vmcnt(0)\nv_add_f32 v4, v4, v5\n"
                           "global_load_dword v2, v[0:1], off offset:8\ns_cbranch_scc1 L\ns_endpgm";
  EXPECT_EQ(waits(fmt::format(fmt::runtime(body), 0)), Lines{});
  const std::string pipelined = "global_load_dword v2, v[0:1], off\nL: global_load_dword v3, v[0:1], off offset:4\n"
                                "s_waitcnt vmcnt({})\nv_add_f32 v4, v4, v2\n"
                                "global_load_dword v2, v[0:1], off offset:8\ns_waitcnt vmcnt({})\n"
                                "v_add_f32 v4, v4, v3\ns_cbranch_scc1 L\ns_endpgm";
  EXPECT_EQ(waits(fmt::format(fmt::runtime(pipelined), 0, 0)), (Lines{"3 s_waitcnt vmcnt(1)", "6 s_waitcnt vmcnt(1)"}));
  EXPECT_EQ(waits(fmt::format(fmt::runtime(pipelined), 1, 1)), Lines{});
}

// Scalar loads come in no order; with one outstanding a count above 0 tells nothing of LDS.
TEST(StrictWaits, AdviseNoCountThatTellsNothing) {
  EXPECT_EQ(waits("s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\ns_waitcnt lgkmcnt(0)\n"
                  "s_add_u32 s4, s4, 1\ns_load_dword s6, s[0:1], 0x8\ns_waitcnt lgkmcnt(0)\ns_add_u32 s5, s5, s6\n"
                  "s_endpgm"),
            Lines{});
  const std::string behind = "ds_read_b32 v2, v0\nds_read_b32 v3, v0 offset:4\ns_waitcnt lgkmcnt(1)\n"
                             "v_add_f32 v2, v2, v2\ns_waitcnt lgkmcnt(0)\nv_add_f32 v3, v3, v3\ns_endpgm";
  EXPECT_EQ(waits("s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" + behind), Lines{});
}

// What memory is ordered by.
TEST(StrictWaits, AreSilentWhereOrderMayBeMeant) {
  const std::string head = "global_load_dword v2, v[0:1], off\n";
  const std::string tail = "\nglobal_load_dword v6, v[0:1], off\ns_waitcnt vmcnt(0)\nv_add_f32 v2, v2, v6\ns_endpgm";
  for (const char* between :
       {"s_waitcnt vmcnt(0)\ns_barrier", "s_waitcnt vmcnt(0)\nbuffer_wbinvl1_vol",
        "s_waitcnt vmcnt(0)\nglobal_store_dword v[0:1], v5, off", "s_waitcnt vmcnt(0)\ns_memtime s[8:9]",
        "global_store_dword v[0:1], v5, off\ns_waitcnt vmcnt(0)\nglobal_load_dword v7, v[0:1], off",
        "global_store_dword v[0:1], v5, off\ns_waitcnt vmcnt(0)\ns_endpgm",
        "global_load_dword v8, v[0:1], off glc\ns_waitcnt vmcnt(0)\nglobal_load_dword v7, v[0:1], off"})
    EXPECT_EQ(waits(head + between + tail), Lines{}) << between;
  EXPECT_EQ(waits(head + "s_waitcnt vmcnt(0)\nv_mov_b32 v9, 0" + tail), Lines{"2 remove"});
}

TEST(StrictWaits, AreSilentAtCallsAndEntries) {
  EXPECT_EQ(waits(R"(s_getpc_b64 s[4:5]
s_add_u32 s4, s4, f@rel32@lo+4
s_addc_u32 s5, s5, f@rel32@hi+12
global_load_dword v2, v[0:1], off
s_waitcnt vmcnt(0)
s_swappc_b64 s[30:31], s[4:5]
global_load_dword v3, v[0:1], off
s_waitcnt vmcnt(0)
v_add_f32 v4, v2, v3
s_endpgm
.type f,@function
f:
s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
global_load_dword v6, v[0:1], off
s_waitcnt vmcnt(0)
s_setpc_b64 s[30:31])"),
            Lines{});
}

TEST(RedundantNops, AreAsLongAsTheRulesNeed) {
  const std::string dpp = "v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf\ns_endpgm";
  EXPECT_EQ(nops("v_mov_b32 v1, 0\ns_nop 1\n" + dpp), Lines{});
  EXPECT_EQ(nops("v_mov_b32 v1, 0\ns_nop 7\n" + dpp), Lines{"2 s_nop 1"});
  EXPECT_EQ(nops("v_mov_b32 v1, 0\nv_mov_b32 v3, 0\ns_nop 1\n" + dpp), Lines{"3 s_nop 0"});
  EXPECT_EQ(nops("v_mov_b32 v1, 0\nv_mov_b32 v3, 0\nv_mov_b32 v4, 0\ns_nop 1\n" + dpp), Lines{"4 remove"});
  EXPECT_EQ(nops("v_mov_b32 v5, 0\ns_nop 0\nv_mov_b32 v2, v5\ns_endpgm"), Lines{"2 remove"});
  // Two share what is needed: one alone is taken away.
  EXPECT_EQ(nops("v_mov_b32 v1, 0\ns_nop 1\ns_nop 1\n" + dpp), Lines{"2 remove"});
  EXPECT_EQ(nops("v_mov_b32 v1, 0\ns_nop 0\ns_nop 1\n" + dpp), Lines{"2 remove"});
  EXPECT_EQ(nops("v_mov_b32 v1, 0\ns_nop 2\ns_nop 1\n" + dpp), Lines{"2 remove"});
}

TEST(RedundantNops, CountTheShortestWay) {
  EXPECT_EQ(nops(R"(v_readfirstlane_b32 s0, v0
s_cbranch_scc1 L
s_nop 3
v_mov_b32 v3, 0
L: s_nop 3
buffer_load_dword v2, off, s[0:3], 0
s_endpgm)"),
            Lines{"3 remove"});
  EXPECT_EQ(nops(R"(L: s_nop 4
buffer_load_dword v2, off, s[0:3], 0
v_readfirstlane_b32 s0, v0
s_cbranch_scc1 L
s_endpgm)"),
            Lines{"1 s_nop 3"});
}

TEST(RedundantNops, KeepWhatIsForSomethingElse) {
  EXPECT_EQ(nops("s_icache_inv\ns_nop 0\ns_nop 0\ns_endpgm"), Lines{});
  const std::string run = "s_load_dword s8, s[4:5], 0x0\ns_nop 2\ns_load_dwordx2 s[4:5], s[4:5], 0x0\ns_endpgm";
  EXPECT_EQ(nops(run, {.target = "gfx90a:xnack+"}), Lines{"2 s_nop 0"});
  EXPECT_EQ(nops(run, {.target = "gfx90a:xnack-"}), Lines{"2 remove"});
}

// Random code whose waits and states are right or too many: when all that is advised has been done in one round, lint
// has still nothing to say, by all rules.
TEST(Performance, AllThatIsAdvisedMayBeDoneAtOnce) {
  const LintCase c{.target = "gfx900:xnack-"};
  std::mt19937 random(7 + unsigned(testing::UnitTest::GetInstance()->random_seed())); // others: --gtest_shuffle
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  const auto vgpr = [&] { return fmt::format("v{}", 2 + below(6)); };
  int advised = 0, judged = 0;
  for (int round = 0; round < 16; ++round) {
    std::vector<std::string> lines = {"v_mov_b32 v0, 0"};
    const int length = 12 + below(24);
    for (int n = 0; n < length; ++n) {
      switch (below(12)) {
      case 0:
      case 1: lines.push_back(fmt::format("global_load_dword {}, v[0:1], off offset:{}", vgpr(), 4 * below(8))); break;
      case 2: lines.push_back(fmt::format("ds_read_b32 {}, v0 offset:{}", vgpr(), 4 * below(8))); break;
      case 3: lines.push_back(fmt::format("s_load_dword s{}, s[10:11], 0x0", 4 + below(3))); break;
      case 4: lines.push_back(fmt::format("v_add_f32 {}, s{}, {}", vgpr(), 4 + below(3), vgpr())); break;
      case 5:
        lines.push_back(fmt::format("v_mov_b32_dpp {}, {} row_shr:1 row_mask:0xf bank_mask:0xf", vgpr(), vgpr()));
        break;
      case 6: lines.push_back(fmt::format("v_readfirstlane_b32 s{}, {}", 4 + below(3), vgpr())); break;
      case 7: lines.push_back(fmt::format("global_store_dword v[0:1], {}, off", vgpr())); break;
      case 8: lines.push_back(fmt::format("L{}: v_mov_b32 {}, 0", n, vgpr())); break;
      case 9: lines.push_back(fmt::format("s_nop {}", below(5))); break;
      default: lines.push_back(fmt::format("v_add_f32 {}, {}, {}", vgpr(), vgpr(), vgpr())); break;
      }
    }
    // Branches to labels that there are, forwards and back.
    std::vector<std::string> labels;
    for (const std::string& l : lines)
      if (l.starts_with("L"))
        labels.push_back(l.substr(0, l.find(':')));
    for (size_t n = 0; n < labels.size(); ++n)
      lines.insert(lines.begin() + 1 + below(int(lines.size())), "s_cbranch_scc1 " + labels[n]);
    lines.push_back("s_endpgm");
    // Waits where they are needed, by lint itself, and stronger now and then.
    for (int n = 0; n < 20; ++n) {
      const lint::Report report = report_of(fmt::format("{}", fmt::join(lines, "\n")), c);
      if (report.findings.empty())
        break;
      std::map<uint64_t, lint::Fix> fixes;
      for (const lint::Finding& f : report.findings)
        if (f.fix)
          fixes.try_emplace(f.fix->pc, *f.fix);
      for (const auto& [number, fix] : fixes) {
        std::string text = fix.text, &line = lines[number - 1];
        if (below(2) && text.starts_with("s_waitcnt"))
          text = below(2) ? "s_waitcnt vmcnt(0) lgkmcnt(0)" : "s_waitcnt lgkmcnt(0)\n" + text;
        else if (below(2) && text.starts_with("s_nop"))
          text = "s_nop 6";
        const size_t label = line.find(": ");
        const std::string before = label == std::string::npos ? "" : line.substr(0, label + 1) + "\n";
        const std::string rest = label == std::string::npos ? line : line.substr(label + 2);
        line = before + text + (fix.kind == lint::Fix::Kind::insert ? "\n" + rest : "");
      }
      lines = lines_of(fmt::format("{}", fmt::join(lines, "\n")));
    }
    const std::string body = fmt::format("{}", fmt::join(lines, "\n"));
    if (!found(body, c).empty())
      continue;
    ++judged;
    const std::string after = repaired(body, c);
    advised += after != body;
    for (const lint::Finding& f : report_of(after, c).findings) // an s_waitcnt is a wait state, too: that may be missed
      EXPECT_EQ(lint::text_of(f.rule).group, lint::Group::wait_states) << f.message << "\n"
                                                                       << body << "\n---\n"
                                                                       << after;
    EXPECT_EQ(found(repaired(body, c, false), c), Lines{}) << body << "\n---\n" << after;
  }
  EXPECT_GT(judged, 12);
  EXPECT_GT(advised, 8);
}

} // namespace crosslane::test
