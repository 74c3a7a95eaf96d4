// Control flow, register counts, modes, LDS, barriers: what the rules' examples do not show.
#include "tests/lint/linted.h"
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::test {

using Lines = std::vector<std::string>;

TEST(Control, NothingNeedFollowACallOrTrap) {
  EXPECT_EQ(found("s_trap 2\n.size k, .-k\n.globl o\n.type o,@function\no:\ns_waitcnt 0\ns_endpgm"), Lines{});
}

// As in objects that are not linked: the offset of the callee is still to come.
TEST(Control, CallsWhoseOffsetNobodyHasPutIn) {
  const lint::Report report =
      report_of("s_getpc_b64 s[4:5]\n.long 0x8004ff04, 0 ; s_add_u32 s4, s4, 0 as a literal\n"
                ".long 0x8205ff05, 0 ; s_addc_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]\ns_endpgm");
  EXPECT_TRUE(report.findings.empty());
  EXPECT_TRUE(std::ranges::any_of(
      report.not_judged, [](const lint::NotJudged& n) { return n.reason == "what this call reaches is not known"; }));
}

// LLVM writes such of code that is never reached; what else there is can be judged all the same.
TEST(Control, KernelsWithoutAnInstruction) {
  EXPECT_EQ(found(""), Lines{"0 end-missing"});
  EXPECT_EQ(found("s_nop 16\ns_endpgm\n.fill 62, 4, 0xbf800000\n.globl e\n.type e,@function\ne:\n.rodata\n.p2align 6\n"
                  ".amdhsa_kernel e\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 4\n.end_amdhsa_kernel"),
            (Lines{"1 nop-range", "0 end-missing"}));
}

TEST(Control, BranchesIntoInstructionsAndOutOfTheCode) {
  EXPECT_EQ(found("s_cmp_eq_u32 0, 0\ns_cbranch_scc0 1\nv_add_f32 v0, 0xbf810000, v0\ns_endpgm"),
            Lines{"2 branch-target"});
  EXPECT_EQ(found("s_cmp_eq_u32 0, 0\ns_cbranch_scc0 0x4000\ns_endpgm"), Lines{"2 branch-target"});
}

TEST(Counts, EachFileHasItsOwn) {
  EXPECT_EQ(found("v_mov_b32 v127, 0\nv_accvgpr_write_b32 a127, 0\nv_mov_b32 v128, 0\nv_accvgpr_write_b32 a128, 0\n"
                  "buffer_load_dwordx4 v[126:129], off, s[0:3], 0\ns_endpgm",
                  {.target = "gfx90a"}),
            (Lines{"3 vgpr-count", "4 vgpr-count", "5 vgpr-count"}));
  EXPECT_EQ(found("v_mov_b32 v128, 0\nv_accvgpr_write_b32 a128, 0\ns_endpgm", {.target = "gfx908"}),
            (Lines{"1 vgpr-count", "2 vgpr-count"}));
}

// g ends in f, which the kernel calls; the kernel does not reach g for that.
TEST(Counts, WhoJumpsIntoAFunctionIsNotCalledWithIt) {
  const std::string body = R"(s_getpc_b64 s[4:5]
s_add_u32 s4, s4, f@rel32@lo+4
s_addc_u32 s5, s5, f@rel32@hi+12
s_swappc_b64 s[30:31], s[4:5]
s_endpgm
.type g,@function
g:
s_waitcnt 0
v_mov_b32 v200, 0
s_branch f
.type f,@function
f:
s_waitcnt 0
v_mov_b32 v{}, 0
s_setpc_b64 s[30:31])";
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 100)), Lines{});
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 200)), Lines{"14 vgpr-count"});
}

// s_trap need not come back; what it would come to is another kernel.
TEST(Counts, KernelsDoNotReachTheNextOneBehindATrap) {
  EXPECT_EQ(found("s_trap 2\n.p2align 8\n.globl m\n.type m,@function\nm:\nv_mov_b32 v100, 0\ns_endpgm\n"
                  ".rodata\n.p2align 6\n.amdhsa_kernel m\n.amdhsa_next_free_vgpr 128\n.amdhsa_next_free_sgpr 4\n"
                  ".end_amdhsa_kernel"),
            Lines{});
  EXPECT_EQ(found("s_nop 0\nv_mov_b32 v100, 0\ns_trap 2\n.p2align 8\n.globl m\n.type m,@function\nm:\n"
                  "v_mov_b32 v100, 0\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel m\n"
                  ".amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 4\n.end_amdhsa_kernel"),
            Lines{"8 vgpr-count"});
}

TEST(Counts, FlatScratchNeedsSixSgprs) {
  const std::string body = "s_mov_b32 s{}, 0\ns_mov_b64 flat_scratch, 0\ns_endpgm";
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 89)), Lines{});
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 90)), Lines{"2 sgpr-reserved"});
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 91), {.target = "gfx700"}), Lines{});
  EXPECT_EQ(found(fmt::format(fmt::runtime(body), 92), {.target = "gfx700"}), Lines{"2 sgpr-reserved"});
}

TEST(Encoding, NopsHoldThreeBitsOrFour) {
  EXPECT_EQ(found("s_nop 7\ns_nop 8\ns_endpgm", {.target = "gfx700"}), Lines{"2 nop-range"});
  EXPECT_EQ(found("s_nop 7\ns_nop 15\ns_nop 16\ns_endpgm", {.target = "gfx906"}), Lines{"3 nop-range"});
  const auto gfx8 = report_of("s_nop 7\ns_nop 8\ns_nop 16\ns_endpgm", {.target = "gfx803"}).findings;
  ASSERT_EQ(gfx8.size(), 2u);
  EXPECT_EQ(gfx8[0].severity, lint::Severity::note);
  EXPECT_EQ(gfx8[1].severity, lint::Severity::error);
}

// Bytes of what llvm-mc refuses as text ("vgpr tuples must be 64 bit aligned"); data has no line.
TEST(Encoding, TuplesOfVgprsAreEvenOnGfx90a) {
  const std::string odd = ".long 0xdc548000, 0x017f0002 ; global_load_dwordx2 v[1:2], v[2:3], off\ns_endpgm";
  EXPECT_EQ(found(odd, {.target = "gfx90a"}), Lines{"0 tuple-align"});
  EXPECT_EQ(found(odd, {.target = "gfx908"}), Lines{});
}

TEST(Modes, LooksForLanesLeft) {
  const std::string head = "v_cmp_eq_u32 vcc, 0, v0\ns_and_saveexec_b64 s[2:3], vcc\n";
  EXPECT_EQ(found(head + "s_cbranch_execz L\nv_readfirstlane_b32 s4, v0\nL: s_or_b64 exec, exec, s[2:3]\n"
                         "v_readfirstlane_b32 s4, v0\ns_endpgm"),
            Lines{});
  EXPECT_EQ(found(head + "s_nop 0\nv_readfirstlane_b32 s4, v0\ns_endpgm"), Lines{"4 exec-zero"});
  // A branch that is never taken.
  EXPECT_EQ(found("s_cbranch_execz L\ns_nop 0\nL: v_readfirstlane_b32 s4, v0\ns_endpgm"), Lines{});
}

TEST(Modes, VskipIsNotJudged) {
  const lint::Report report = report_of("s_setvskip -1, 0\nv_mov_b32 v0, 0\ns_setvskip 0, 0\ns_endpgm");
  ASSERT_FALSE(report.not_judged.empty());
  EXPECT_TRUE(report.findings.empty());
}

TEST(Modes, EverySeparateNopCounts) {
  const auto body = [](int n) {
    return fmt::format("s_icache_inv\n.rept {}\ns_nop 0\n.endr\ns_mov_b32 s0, 0\ns_endpgm", n);
  };
  EXPECT_EQ(found(body(15)).size(), 1u);
  EXPECT_EQ(found(body(16)).size(), 0u);
  EXPECT_EQ(found(body(11), {.target = "gfx803"}).size(), 1u);
  EXPECT_EQ(found(body(12), {.target = "gfx803"}).size(), 0u);
}

TEST(LdsSize, TakesTheFarthestByte) {
  const LintCase c{.descriptor = ".amdhsa_group_segment_fixed_size 64\n", .undefined = true};
  EXPECT_EQ(found("v_mov_b32 v1, 56\nds_read_b64 v[2:3], v1\ns_endpgm", c), Lines{});
  EXPECT_EQ(found("v_mov_b32 v1, 57\nds_read_b64 v[2:3], v1\ns_endpgm", c), Lines{"2 lds-size"});
  EXPECT_EQ(found("v_mov_b32 v1, 0\nds_write2_b32 v1, v0, v0 offset0:1 offset1:16\ns_endpgm", c), Lines{"2 lds-size"});
  EXPECT_EQ(found("v_mov_b32 v1, 0\nds_write2_b32 v1, v0, v0 offset0:1 offset1:15\ns_endpgm", c), Lines{});
  EXPECT_EQ(
      found("ds_write_b32 v0, v0\ns_endpgm", {.descriptor = ".amdhsa_group_segment_fixed_size 0\n", .undefined = true}),
      Lines{"1 lds-size"});
}

namespace {

// Of a kernel with this workgroup; LINE RULE as found() has them.
Lines in_groups(const std::string& size, const std::string& body, LintCase c = {}) {
  c.undefined = true;
  return found(fmt::format(R"({}
s_endpgm
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 128
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [{}]
...
.end_amdgpu_metadata)",
                           body, size),
               c);
}

// A barrier behind a comparison of ids with 64, in a workgroup of one row.
Lines barrier(int items, const std::string& inside, const std::string& behind) {
  return in_groups(fmt::format("{}, 1, 1", items),
                   fmt::format("v_cmp_gt_u32 vcc, 64, v0\ns_and_saveexec_b64 s[2:3], vcc\ns_cbranch_execz L\n{}\nL: {}",
                               inside, behind));
}

const LintCase ids{.descriptor = ".amdhsa_system_vgpr_workitem_id 1\n"};

} // namespace

TEST(Barriers, OnlyWhereWavesDiffer) {
  EXPECT_EQ(barrier(256, "s_barrier", "s_nop 0"), Lines{"4 barrier-divergent"});
  EXPECT_EQ(barrier(64, "s_barrier", "s_nop 0"), Lines{});
  EXPECT_EQ(barrier(256, "s_nop 0", "s_barrier"), Lines{});
}

// The number of the wave, in an SGPR; the constant in another one.
TEST(Barriers, ByScalarBranches) {
  const std::string body = "v_lshrrev_b32 v1, 6, v0\nv_readfirstlane_b32 s4, v1\ns_movk_i32 s5, 2\n"
                           "s_cmp_lt_u32 s4, s5\ns_cbranch_scc0 L\ns_barrier\nL: s_nop 0";
  EXPECT_EQ(in_groups("256, 1, 1", body), Lines{"6 barrier-divergent"});
  EXPECT_EQ(in_groups("128, 1, 1", body), Lines{});
  EXPECT_EQ(in_groups("256, 1, 1", "s_mov_b32 s9, 0\n" + body + "\ns_branch M\nM: s_barrier"),
            Lines{"7 barrier-divergent"});
}

// In 16 x 16 items, a wave has four rows.
TEST(Barriers, ByRowsAndColumns) {
  const auto body = [](const char* axis, int below) {
    return fmt::format("v_cmp_gt_u32 vcc, {}, {}\ns_and_saveexec_b64 s[2:3], vcc\ns_cbranch_execz L\ns_barrier\n"
                       "L: s_or_b64 exec, exec, s[2:3]",
                       below, axis);
  };
  EXPECT_EQ(in_groups("16, 16, 1", body("v1", 12), ids), Lines{"4 barrier-divergent"});
  EXPECT_EQ(in_groups("16, 16, 1", body("v1", 13), ids), Lines{});
  EXPECT_EQ(in_groups("16, 16, 1", body("v0", 1), ids), Lines{});
  EXPECT_EQ(in_groups("16, 4, 1", body("v1", 1), ids), Lines{});
}

TEST(Barriers, IdsOfGfx90aAreUnpacked) {
  const std::string tail = "\nv_cmp_gt_u32 vcc, 4, v1\ns_and_saveexec_b64 s[2:3], vcc\ns_cbranch_execz L\ns_barrier\n"
                           "L: s_nop 0";
  LintCase c = ids;
  c.target = "gfx90a";
  c.descriptor = ".amdhsa_system_vgpr_workitem_id 2\n";
  EXPECT_EQ(in_groups("16, 16, 1", "v_bfe_u32 v1, v0, 10, 10" + tail, c), Lines{"5 barrier-divergent"});
  EXPECT_EQ(in_groups("16, 16, 1", "v_and_b32 v1, 0x3ff, v0" + tail, c), Lines{});
}

// EXEC is not known: which of the lanes are on hangs on data.
TEST(Barriers, OnlyWithLanesThatAreKnown) {
  EXPECT_EQ(in_groups("256, 1, 1",
                      "v_mov_b32 v1, 1\nglobal_load_dword v2, v0, s[2:3]\ns_waitcnt vmcnt(0)\n"
                      "v_cmp_gt_u32 vcc, 4, v2\ns_and_saveexec_b64 s[8:9], vcc\nv_cmp_gt_u32 vcc, 64, v0\n"
                      "s_and_saveexec_b64 s[10:11], vcc\ns_cbranch_execz L\ns_barrier\nL: s_nop 0",
                      {.descriptor = ".amdhsa_user_sgpr_count 4\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                                     ".amdhsa_user_sgpr_dispatch_ptr 1\n"}),
            Lines{});
}

TEST(LdsSize, CountsOutIds) {
  const auto with = [](int bytes) {
    return LintCase{.descriptor = fmt::format(".amdhsa_group_segment_fixed_size {}\n", bytes)};
  };
  const std::string all = "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0 offset:16\n";
  EXPECT_EQ(in_groups("256, 1, 1", all, with(1040)), Lines{});
  EXPECT_EQ(in_groups("256, 1, 1", all, with(1036)), Lines{"2 lds-size"});
  EXPECT_EQ(in_groups("64, 1, 1", all, with(272)), Lines{});
  const std::string half = "v_cmp_gt_u32 vcc, 0x80, v0\ns_and_saveexec_b64 s[2:3], vcc\n" + all +
                           "s_or_b64 exec, exec, s[2:3]\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)";
  EXPECT_EQ(in_groups("256, 1, 1", half, with(528)), Lines{}); // behind it v1 is not known of all lanes
  EXPECT_EQ(in_groups("256, 1, 1", half, with(524)), Lines{"4 lds-size"});
}

TEST(LdsSize, WorksOutConstants) {
  const LintCase c{.descriptor = ".amdhsa_group_segment_fixed_size 64\n", .undefined = true};
  EXPECT_EQ(found("s_movk_i32 s4, 60\nv_mov_b32 v1, s4\nv_add_u32 v2, 4, v1\nds_write_b32 v1, v0\n"
                  "ds_write_b32 v2, v0\ns_endpgm",
                  c),
            Lines{"5 lds-size"});
}

} // namespace crosslane::test
