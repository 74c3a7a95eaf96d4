// Registers that nothing has written: what a kernel begins with, and ways that meet.
#include "tests/lint/linted.h"
#include <gtest/gtest.h>

namespace crosslane::test {

using Lines = std::vector<std::string>;

namespace {

LintCase undefined(std::string target, std::string descriptor = {}, lint::RuleSet rules = lint::RuleSet::default_) {
  return {.target = std::move(target), .rules = rules, .descriptor = std::move(descriptor), .undefined = true};
}

} // namespace

// AMDGPUUsage, "Initial Kernel Execution State": kernarg pointer, then the workgroup's ids, here x and z.
TEST(Undefined, KernelsBeginWithWhatTheyAskFor) {
  const std::string descriptor = ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_system_sgpr_workgroup_id_x 1\n"
                                 ".amdhsa_system_sgpr_workgroup_id_z 1\n.amdhsa_system_vgpr_workitem_id 1\n";
  const std::string body = "s_load_dword s10, s[0:1], 0x0\ns_add_u32 s11, s2, s3\ns_add_u32 s12, s5, s5\n"
                           "s_add_u32 s13, s6, s7\nv_add_f32 v4, v0, v1\nv_add_f32 v5, v2, v2\nv_add_f32 v6, v3, v0\n"
                           "s_endpgm";
  EXPECT_EQ(found(body, undefined("gfx900", descriptor)), (Lines{"4 uninit", "4 uninit", "7 uninit"}));
  EXPECT_EQ(found("s_add_u32 s0, s8, s9\ns_endpgm", undefined("gfx900", ".amdhsa_user_sgpr_count 8\n")), (Lines{}));
  EXPECT_EQ(found("s_add_u32 s0, s7, 1\ns_endpgm", undefined("gfx900", ".amdhsa_user_sgpr_count 8\n")),
            (Lines{"1 uninit"}));
}

TEST(Undefined, IdsOfGfx90aShareAVgpr) {
  const std::string body = "v_add_f32 v4, v0, v1\ns_endpgm", two = ".amdhsa_system_vgpr_workitem_id 1\n";
  EXPECT_EQ(found(body, undefined("gfx908", two)), Lines{});
  EXPECT_EQ(found(body, undefined("gfx90a", two)), Lines{"1 uninit"});
}

TEST(Undefined, OneWayIsEnough) {
  const std::string body = "s_cmp_eq_u32 0, 0\ns_cbranch_scc1 L\nv_mov_b32 v1, 0\nL: v_add_f32 v2, v1, v0\ns_endpgm";
  EXPECT_EQ(found(body, undefined("gfx900")), Lines{});
  EXPECT_EQ(found(body, undefined("gfx900", {}, lint::RuleSet::all)), Lines{"4 uninit"});
}

TEST(Undefined, ALoopWritesWhatItReadsLater) {
  EXPECT_EQ(found("L: v_add_f32 v2, v1, v0\nv_mov_b32 v1, 0\ns_cmp_eq_u32 0, 0\ns_cbranch_scc1 L\ns_endpgm",
                  undefined("gfx900")),
            Lines{});
}

// What compilers do on purpose.
TEST(Undefined, LeavesWhatCompilersDo) {
  EXPECT_EQ(found("v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf\nv_writelane_b32 v2, s0, 1\n"
                  "v_mov_b32 v3, v9\nv_xor_b32 v4, v8, v8\ns_endpgm",
                  undefined("gfx900")),
            Lines{});
}

TEST(Undefined, TellsEachOnce) {
  EXPECT_EQ(found("v_add_f32 v2, v1, v0\nv_add_f32 v3, v1, v0\ns_endpgm", undefined("gfx900")), Lines{"1 uninit"});
}

TEST(Undefined, M0LimitsLdsUpToGfx8) {
  const std::string body = "ds_read_b32 v1, v0\ns_endpgm", permute = "ds_bpermute_b32 v1, v0, v0\ns_endpgm";
  EXPECT_EQ(found(body, undefined("gfx700")), Lines{"1 m0-lds"});
  EXPECT_EQ(found(body, undefined("gfx803")), Lines{"1 m0-lds"});
  EXPECT_EQ(found(body, undefined("gfx900")), Lines{});
  EXPECT_EQ(found(permute, undefined("gfx803")), Lines{});
}

namespace {

// A kernel that calls `f`, with instructions before the call, behind it and in `f`.
std::string calling(const std::string& before, const std::string& behind, const std::string& inside) {
  return before +
         "\ns_getpc_b64 s[4:5]\ns_add_u32 s4, s4, f@rel32@lo+4\ns_addc_u32 s5, s5, f@rel32@hi+12\n"
         "s_swappc_b64 s[30:31], s[4:5]\n" +
         behind + "\ns_endpgm\n.type f,@function\nf: s_waitcnt 0\n" + inside + "\ns_setpc_b64 s[30:31]\n";
}

} // namespace

TEST(Undefined, FunctionsHaveWhatTheirCallersWrote) {
  const LintCase c = undefined("gfx900");
  EXPECT_EQ(found(calling("s_nop 0", "s_nop 0", "v_add_f32 v4, v40, v0"), c), Lines{"10 uninit"});
  EXPECT_EQ(
      found(calling("s_nop 0", "s_nop 0", "global_store_dword v[0:1], v40, off\nglobal_store_dword v[42:43], v0, off"),
            undefined("gfx900", ".amdhsa_system_vgpr_workitem_id 1\n")),
      Lines{"11 uninit"}); // what it was entered with may be kept
  EXPECT_EQ(found(calling("v_mov_b32 v40, 0", "s_nop 0", "v_add_f32 v4, v40, v0"), c), Lines{});
  EXPECT_EQ(found(calling("s_nop 0", "v_add_f32 v5, v4, v0", "v_mov_b32 v4, 0"), c), Lines{});
  EXPECT_EQ(found(calling("s_nop 0", "v_add_f32 v5, v41, v0", "v_mov_b32 v4, 0"), c), Lines{"6 uninit"});
  const auto findings = report_of(calling("s_nop 0", "s_nop 0", "v_add_f32 v4, v40, v0"), c).findings;
  ASSERT_EQ(findings.size(), 1u);
  ASSERT_EQ(findings[0].notes.size(), 1u);
  EXPECT_EQ(findings[0].notes[0].pc, 5u);
}

// What one caller gives may be for the other one's sake.
TEST(Undefined, OneCallerIsEnough) {
  const std::string two = "\ns_getpc_b64 s[4:5]\ns_add_u32 s4, s4, f@rel32@lo+4\ns_addc_u32 s5, s5, f@rel32@hi+12\n";
  const std::string call = "s_swappc_b64 s[30:31], s[4:5]\n";
  EXPECT_EQ(found(two + call + "v_mov_b32 v40, 0" + two + call +
                      "s_endpgm\n.type f,@function\nf: s_waitcnt 0\nv_add_f32 v4, v40, v0\ns_setpc_b64 s[30:31]\n",
                  undefined("gfx900")),
            Lines{});
}

// Nobody that is known calls it: whoever does brings its arguments.
TEST(Undefined, FunctionsThatNobodyCalls) {
  EXPECT_EQ(found("s_endpgm\n.globl f\n.type f,@function\nf: s_waitcnt 0\nv_add_f32 v4, v40, v0\n"
                  "s_setpc_b64 s[30:31]\n",
                  undefined("gfx900")),
            Lines{});
}

TEST(Undefined, SaysWhatIsNotJudged) {
  const lint::Report report = report_of("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                                        "s_swappc_b64 s[30:31], s[4:5]\nv_add_f32 v3, v4, v4\ns_endpgm",
                                        undefined("gfx900", ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n"));
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.not_judged.size(), 2u);
  EXPECT_EQ(report.not_judged[0].reason,
            "undefined registers behind a call whose goal is not known, and in what it may reach");
}

} // namespace crosslane::test
