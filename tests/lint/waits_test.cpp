// s_waitcnt: the cases that tell a right account of what is outstanding from a nearly right one.
#include "isa/wait_counts.h"
#include "tests/lint/linted.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::test {

using Lines = std::vector<std::string>;

TEST(Waits, SayWhatIsOutstandingAndTheExactWait) {
  const lint::Report report = report_of(R"(global_load_dword v2, v[0:1], off
  global_load_dword v3, v[0:1], off offset:4
  v_add_f32 v4, v2, v2
  v_add_f32 v5, v3, v3
  s_endpgm)");
  ASSERT_EQ(report.findings.size(), 2u);
  const lint::Finding& f = report.findings[0];
  EXPECT_EQ(f.message, "v_add_f32 reads v2 while global_load_dword that loads it may be outstanding; "
                       "s_waitcnt vmcnt(1) is needed");
  ASSERT_EQ(f.notes.size(), 1u);
  EXPECT_EQ(f.notes[0].pc, 1u);
  EXPECT_EQ(f.notes[0].text, "v2 loaded here");
  EXPECT_EQ(f.fix->text, "s_waitcnt vmcnt(1)");
  EXPECT_EQ(report.findings[1].fix->text, "s_waitcnt vmcnt(0)");
}

TEST(Waits, StrengthenTheWaitBefore) {
  const lint::Report report = report_of(R"(global_load_dword v2, v[0:1], off
  ds_read_b32 v3, v0
  s_waitcnt lgkmcnt(0)
  v_add_f32 v4, v2, v3
  s_endpgm)");
  ASSERT_EQ(report.findings.size(), 1u);
  ASSERT_TRUE(report.findings[0].fix);
  EXPECT_EQ(report.findings[0].fix->kind, lint::Fix::Kind::replace);
  EXPECT_EQ(report.findings[0].fix->pc, 3u);
  EXPECT_EQ(report.findings[0].fix->text, "s_waitcnt vmcnt(0) lgkmcnt(0)");
}

TEST(Waits, OneMissingWaitIsToldOnce) {
  EXPECT_EQ(found(R"(global_load_dwordx4 v[2:5], v[0:1], off
  v_add_f32 v6, v2, v3
  v_add_f32 v7, v4, v5
  v_add_f32 v8, v2, v5
  s_endpgm)"),
            Lines{"2 vm-raw"});
}

// The younger of two ways counts: on one there is a second load behind.
TEST(Waits, JoinTheFewerYoungerOnes) {
  const std::string body = R"(global_load_dword v2, v[0:1], off
  s_cbranch_scc1 L
  global_load_dword v3, v[0:1], off
L: s_waitcnt vmcnt({})
  v_add_f32 v4, v2, v2
  s_endpgm)";
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 1)), Lines{"5 vm-raw"});
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 0)), Lines{});
}

TEST(Waits, FollowLoops) {
  EXPECT_EQ(found(R"(v_mov_b32 v2, 0
  v_mov_b32 v0, 0
  v_mov_b32 v1, 0
L: v_add_f32 v4, v2, v2
  global_load_dword v2, v[0:1], off
  s_cbranch_scc1 L
  s_endpgm)"),
            Lines{"4 vm-raw"});
}

// Scalar loads come back in any order; LDS alone in its own.
TEST(Waits, MoreThanZeroProvesNothingOfScalarLoads) {
  const lint::Report report = report_of("s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n"
                                        "s_waitcnt lgkmcnt(1)\ns_add_u32 s6, s4, 1\ns_endpgm");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(lint::id_of(report.findings[0].rule), "smem-raw");
  ASSERT_EQ(report.findings[0].notes.size(), 2u);
  EXPECT_EQ(report.findings[0].notes[1].pc, 3u);
  EXPECT_EQ(report.findings[0].fix->text, "s_waitcnt lgkmcnt(0)");
  EXPECT_EQ(found("ds_read_b32 v2, v0\nds_read_b32 v3, v0 offset:4\ns_waitcnt lgkmcnt(1)\nv_add_f32 v4, v2, v2\n"
                  "s_endpgm"),
            Lines{});
  EXPECT_EQ(found("ds_read_b32 v2, v0\ns_sendmsg 1\ns_waitcnt lgkmcnt(1)\nv_add_f32 v4, v2, v2\ns_endpgm"),
            Lines{"4 lgkm-mixed"});
}

// A full counter holds up the next one: what is older than it can count is done.
TEST(Waits, FullCountersAreWaits) {
  const auto loads = [](int behind) {
    std::string body = "ds_read_b32 v2, v0\n";
    for (int n = 0; n < behind; ++n)
      body += fmt::format("ds_read_b32 v{}, v0\n", n + 3);
    return body + "v_add_f32 v40, v2, v2\ns_waitcnt lgkmcnt(0)\ns_endpgm";
  };
  EXPECT_EQ(found(loads(14)), Lines{"16 lds-raw"});
  EXPECT_EQ(found(loads(15)), Lines{});
  const auto stores = [](int behind) {
    std::string body = "global_load_dword v2, v[0:1], off\n";
    for (int n = 0; n < behind; ++n)
      body += "global_store_dword v[0:1], v3, off\n";
    return body + "v_add_f32 v40, v2, v2\ns_endpgm";
  };
  EXPECT_EQ(found(stores(62), {.target = "gfx906:xnack-"}), Lines{"64 vm-raw"});
  EXPECT_EQ(found(stores(63), {.target = "gfx906:xnack-"}), Lines{});
}

// LLVM asks for the most that is still a wait, and does not count s_trap for one.
TEST(Waits, LlvmWaitsWhereTheHardwareDoes) {
  const lint::RuleSet llvm = lint::RuleSet::llvm;
  std::string loads;
  for (int n = 0; n < 20; ++n)
    loads += fmt::format("buffer_load_dword v{}, off, s[0:3], 0\n", n + 2);
  const lint::Report full = report_of(loads + "v_add_f32 v40, v2, v3\ns_endpgm", {.target = "gfx803", .rules = llvm});
  ASSERT_EQ(full.findings.size(), 1u);
  EXPECT_EQ(full.findings[0].severity, lint::Severity::pedantic);
  EXPECT_EQ(full.findings[0].fix->text, "s_waitcnt vmcnt(14)");
  EXPECT_EQ(found(loads + "s_waitcnt vmcnt(14)\nv_add_f32 v40, v2, v3\ns_endpgm", {.target = "gfx803", .rules = llvm}),
            Lines{});
  // On one of two ways the counter was not full: that is what counts.
  EXPECT_EQ(found("buffer_load_dword v2, off, s[0:3], 0\ns_cbranch_scc1 L\n" + loads.substr(loads.find('\n') + 1) +
                      "L: v_add_f32 v40, v2, v2\ns_endpgm",
                  {.target = "gfx803"}),
            Lines{"22 vm-raw"});

  const std::string trap = "ds_read_b32 v2, v0\ns_load_dword s4, s[0:1], 0x0\ns_trap 3\n";
  EXPECT_EQ(found(trap + "v_add_f32 v3, v2, v2\ns_endpgm", {.rules = llvm}), Lines{"4 lds-raw"});
  EXPECT_EQ(found(trap + "ds_read_b32 v5, v0\ns_waitcnt lgkmcnt(0)\nv_add_f32 v3, v2, v5\ns_endpgm", {.rules = llvm}),
            Lines{});
  EXPECT_EQ(found(trap + "ds_read_b32 v5, v0\nds_read_b32 v6, v0\ns_waitcnt lgkmcnt(1)\nv_add_f32 v3, v5, v5\n"
                         "s_endpgm"),
            Lines{});
}

TEST(Waits, LoadsOfOneKindMayOverwriteEachOther) {
  EXPECT_EQ(found("global_load_dword v2, v[0:1], off\nbuffer_load_dword v2, off, s[0:3], 0\ns_endpgm"), Lines{});
  EXPECT_EQ(found("image_load v2, v[4:7], s[0:7] dmask:0x1 unorm\n"
                  "image_sample v2, v[4:7], s[0:7], s[8:11] dmask:0x1\ns_endpgm"),
            Lines{"2 vm-waw"});
  EXPECT_EQ(found("ds_read_b32 v2, v0\nds_read_b32 v2, v1\ns_endpgm"), Lines{});
  EXPECT_EQ(found("ds_read_b32 v2, v0\nds_read_b32 v2, v1\ns_endpgm", {.rules = lint::RuleSet::llvm}),
            Lines{"2 lds-waw"});
  // Half of the register stays, which compilers call a read, but where SRAM with ECC makes it write all.
  const std::string halves =
      "global_load_short_d16 v2, v[0:1], off\nglobal_load_short_d16_hi v2, v[0:1], off\ns_endpgm";
  EXPECT_EQ(found(halves, {.target = "gfx906:sramecc-"}), Lines{});
  EXPECT_EQ(found(halves, {.target = "gfx906:sramecc-", .rules = lint::RuleSet::llvm}), Lines{"2 vm-raw"});
  EXPECT_EQ(found(halves, {.target = "gfx906:sramecc+", .rules = lint::RuleSet::llvm}), Lines{});
}

// FLAT of gfx8 is what compilers have for global memory.
TEST(Waits, FlatIsMemoryWhereThereIsNoGlobal) {
  const std::string body = "flat_load_dword v2, v[0:1]\nflat_load_dword v3, v[0:1]\ns_waitcnt vmcnt(1)\n"
                           "v_add_f32 v4, v2, v2\ns_waitcnt vmcnt(0)\nv_add_f32 v4, v3, v3\ns_endpgm";
  EXPECT_EQ(found(body, {.target = "gfx803"}), Lines{});
  EXPECT_EQ(found(body, {.target = "gfx803", .rules = lint::RuleSet::manual}), (Lines{"4 flat-raw", "6 flat-raw"}));
  EXPECT_EQ(found(body), (Lines{"4 flat-raw"}));
  // LLVM waits for both where its IR does not say more; at a return, too.
  const LintCase llvm{.target = "gfx803", .rules = lint::RuleSet::llvm};
  EXPECT_EQ(found("flat_load_dword v2, v[0:1]\ns_waitcnt vmcnt(0)\nv_add_f32 v4, v2, v2\ns_endpgm", llvm),
            Lines{"3 flat-raw"});
  EXPECT_EQ(found("flat_load_dword v2, v[0:1]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_f32 v4, v2, v2\ns_endpgm", llvm),
            Lines{});
  EXPECT_EQ(found("s_endpgm\n.type f,@function\nf:\ns_waitcnt 0\nflat_store_dword v[0:1], v2\ns_waitcnt vmcnt(0)\n"
                  "s_setpc_b64 s[30:31]",
                  llvm),
            Lines{"7 call-entry"});
}

TEST(Waits, ExportsAreInOrderWithinAKind) {
  EXPECT_EQ(found("exp mrt0 v0, v0, v0, v0\nexp mrt1 v1, v1, v1, v1 done vm\ns_waitcnt expcnt(1)\nv_mov_b32 v0, 0\n"
                  "s_endpgm"),
            Lines{});
  EXPECT_EQ(found("exp pos0 v0, v0, v0, v0 done\nexp param0 v1, v1, v1, v1\ns_waitcnt expcnt(1)\nv_mov_b32 v0, 0\n"
                  "s_endpgm"),
            Lines{"4 exp-src-war"});
}

TEST(Waits, StoresOfGfx6ReadLate) {
  const std::string body = "buffer_store_dwordx2 v[2:3], off, s[0:3], 0\nv_mov_b32 v3, 0\ns_endpgm";
  EXPECT_EQ(found(body, {.target = "gfx600"}), Lines{"2 store-data-war"});
  EXPECT_EQ(found(body, {.target = "gfx700"}), Lines{});
}

TEST(Waits, LoadsIntoLdsAreWaitedForWithVmcnt) {
  const std::string dma = "s_mov_b32 m0, 0\ns_nop 0\nbuffer_load_dword v0, s[0:3], 0 offen lds\n"
                          "global_load_dword v9, v[4:5], off\ns_waitcnt vmcnt({})\nds_read_b32 v1, v2\ns_endpgm";
  EXPECT_EQ(found(fmt::format(fmt::runtime(dma), 1)), Lines{});
  EXPECT_EQ(found(fmt::format(fmt::runtime(dma), 2)), Lines{"6 lds-dma"});
}

TEST(Waits, BarriersOfOneWaveMeanNothing) {
  const std::string body = "ds_write_b32 v0, v1\ns_barrier\ns_nop 0\nds_read_b32 v2, v3\ns_endpgm";
  EXPECT_EQ(found(body, {.target = "gfx90a"}), Lines{"2 lds-before-barrier"});
  EXPECT_EQ(found("ds_write_b32 v0, v1\ns_barrier\ns_endpgm", {.target = "gfx90a"}), Lines{});
}

constexpr std::string_view call = R"(s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, f@rel32@lo+4
  s_addc_u32 s5, s5, f@rel32@hi+12
  global_load_dword v2, v[0:1], off
  s_swappc_b64 s[30:31], s[4:5]
  v_add_f32 v4, v2, v6
  s_endpgm
.type f,@function
f:
)";

TEST(Waits, CalleesWaitForTheirCallers) {
  const std::string before(call);
  EXPECT_EQ(found(before + "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\nv_add_f32 v3, v3, v3\ns_setpc_b64 s[30:31]"),
            Lines{});
  // It comes back as it left.
  EXPECT_EQ(found(before + "v_add_f32 v3, v3, v3\ns_setpc_b64 s[30:31]"), (Lines{"6 vm-raw", "10 call-entry"}));
  EXPECT_EQ(found(before + "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\nglobal_load_dword v6, v[0:1], off\n"
                           "s_setpc_b64 s[30:31]"),
            (Lines{"6 vm-raw", "12 call-entry"}));
}

TEST(Waits, EndsAndTrapsWaitByThemselves) {
  EXPECT_EQ(found("global_load_dword v2, v[0:1], off\ns_endpgm"), Lines{});
  EXPECT_EQ(found("global_load_dword v2, v[0:1], off\ns_trap 3\nv_add_f32 v2, v2, v2\ns_endpgm"), Lines{});
}

TEST(Waits, VccIsWrittenAgainBehindScalarLoads) {
  const LintCase old{.target = "gfx700"};
  EXPECT_EQ(
      found("s_load_dword s4, s[0:1], 0x0\nv_cmp_lt_f32 vcc, v0, v1\ns_cbranch_vccz L\ns_nop 0\nL: s_endpgm", old),
      Lines{"3 smem-vccz"});
  EXPECT_EQ(found("s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_cmp_lt_f32 vcc, v0, v1\ns_cbranch_vccz L\n"
                  "s_nop 0\nL: s_endpgm",
                  old),
            Lines{});
}

// LLVM does not know it of the blocks before.
TEST(Waits, LlvmWritesVccInEachBlockThatBranchesOnIt) {
  const std::string two = "v_cmp_lt_f32 vcc, v0, v1\ns_cbranch_vccz L\n{}s_cbranch_vccnz L\ns_nop 0\nL: s_endpgm";
  for (const char* target : {"gfx700", "gfx900"}) {
    const LintCase llvm{.target = target, .rules = lint::RuleSet::llvm};
    const std::string rule = llvm.target == "gfx700" ? "3 smem-vccz" : "3 vcc-half-vccz";
    EXPECT_EQ(found(fmt::format(fmt::runtime(two), ""), llvm), Lines{rule});
    EXPECT_EQ(found(fmt::format(fmt::runtime(two), "s_mov_b64 vcc, vcc\n"), llvm), Lines{});
    EXPECT_EQ(found(fmt::format(fmt::runtime(two), ""), {.target = target}), Lines{});
  }
  // A loop of one block.
  EXPECT_EQ(found("L: s_nop 0\ns_cbranch_vccz L\nv_cmp_lt_f32 vcc, v0, v1\nM: s_nop 0\ns_cbranch_vccz M\ns_endpgm",
                  {.rules = lint::RuleSet::llvm}),
            (Lines{"2 vcc-half-vccz", "5 vcc-half-vccz"}));
}

TEST(Waits, RunsWithXnackKeepWhatTheyRead) {
  const std::string own = "s_load_dwordx2 s[0:1], s[0:1], 0x0\ns_endpgm";
  EXPECT_EQ(found(own, {.target = "gfx90a:xnack+"}), Lines{}); // one is no run
  const std::string run = "s_load_dword s8, s[4:5], 0x0\n" + own;
  EXPECT_EQ(found(run, {.target = "gfx90a:xnack+"}), Lines{"2 xnack-smem-clause"});
  EXPECT_EQ(found(run, {.target = "gfx90a:xnack-"}), Lines{});
  // The first one is replayed when the second one faults.
  EXPECT_EQ(found("global_load_dwordx2 v[0:1], v[0:1], off\nglobal_load_dword v4, v[2:3], off\ns_endpgm",
                  {.target = "gfx90a:xnack+"}),
            Lines{"2 xnack-vmem-clause"});
  // The first of a run may overwrite what it reads if nothing follows it.
  EXPECT_EQ(found("s_load_dwordx4 s[4:7], s[4:5], 0x0\ns_load_dword s8, s[2:3], 0x0\ns_load_dword s9, s[2:3], 0x4\n"
                  "s_endpgm",
                  {.target = "gfx90a:xnack+"}),
            Lines{"2 xnack-smem-clause"});
  const lint::Report any = report_of(run, {.target = "gfx90a"});
  ASSERT_EQ(any.findings.size(), 1u);
  EXPECT_EQ(any.findings[0].severity, lint::Severity::note);
}

TEST(Waits, VskipIsNotJudged) {
  const lint::Report report =
      report_of("global_load_dword v2, v[0:1], off\ns_setvskip s0, 0\ns_nop 7\nv_add_f32 v2, v2, v2\ns_endpgm");
  for (const lint::Finding& f : report.findings)
    EXPECT_NE(lint::id_of(f.rule), "vm-raw");
  EXPECT_FALSE(report.not_judged.empty());
}

} // namespace crosslane::test
