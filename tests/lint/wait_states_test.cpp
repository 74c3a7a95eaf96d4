// Wait states: the programs that show what a search over the control flow must get right.
#include "tests/lint/linted.h"
#include <gtest/gtest.h>

namespace crosslane::test {

using Lines = std::vector<std::string>;

// LLVM 19 leaves both as they are: it does not visit a block again by a shorter way, and it counts a second branch that
// was not executed.
TEST(WaitStates, FindsTheShorterWay) {
  EXPECT_EQ(found(R"(s_branch L2
L1: s_nop 1
  s_branch L3
L2: v_readfirstlane_b32 s0, v0
  s_cbranch_scc1 L1
L3: s_nop 0
  buffer_load_dword v2, off, s[0:3], 0
  s_endpgm)"),
            Lines{"7 valu-sgpr-vmem"});
}

TEST(WaitStates, CountsWhatAnEdgeExecutes) {
  const std::string body = R"(v_readfirstlane_b32 s0, v0
  s_cbranch_scc1 L2
  s_branch L1
L1: s_endpgm
L2: s_nop 0
  s_nop 0
  s_nop {}
  buffer_load_dword v2, off, s[0:3], 0
  s_endpgm)";
  std::string lacking = body, enough = body;
  lacking.replace(lacking.find("{}"), 2, "0"), enough.replace(enough.find("{}"), 2, "1");
  EXPECT_EQ(found(lacking), Lines{"8 valu-sgpr-vmem"});
  EXPECT_EQ(found(enough), Lines{});
}

// What compilers ask for beyond the manuals is silent by default.
TEST(WaitStates, LeavesCompilersExcessToTheirRules) {
  const std::string load_then_dpp = "global_load_dword v1, v[2:3], off\ns_waitcnt vmcnt(0)\n"
                                    "v_mov_b32_dpp v4, v1 row_shr:1\ns_endpgm";
  EXPECT_EQ(found(load_then_dpp), Lines{});
  EXPECT_EQ(found(load_then_dpp, {.rules = lint::RuleSet::llvm}), Lines{"3 valu-vgpr-dpp"});
  const std::string overwritten = "v_readfirstlane_b32 s0, v0\ns_mov_b32 s0, 0\n"
                                  "buffer_load_dword v2, off, s[0:3], 0\ns_endpgm";
  EXPECT_EQ(found(overwritten), Lines{});
  EXPECT_EQ(found(overwritten, {.rules = lint::RuleSet::llvm}), Lines{"3 valu-sgpr-vmem"});
}

TEST(WaitStates, FollowsCalls) {
  EXPECT_EQ(found(R"(v_readfirstlane_b32 s0, v0
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, f@rel32@lo+4
  s_addc_u32 s5, s5, f@rel32@hi+12
  s_nop 3
  v_add_f32 v1, v1, v2
  s_swappc_b64 s[30:31], s[4:5]
  v_mov_b32_dpp v3, v4 row_shr:1
  s_endpgm
.type f,@function
f:
  v_mov_b32_dpp v2, v1 row_shr:1
  v_add_f32 v4, v4, v4
  s_setpc_b64 s[30:31]
)"),
            (Lines{"8 valu-vgpr-dpp", "12 valu-vgpr-dpp"}));
}

TEST(WaitStates, FollowsCallsOfCallees) {
  const std::string to = R"(
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, {0}@rel32@lo+4
  s_addc_u32 s5, s5, {0}@rel32@hi+12
)";
  const auto address = [&](const std::string& name) {
    std::string text = to;
    for (size_t at; (at = text.find("{0}")) != text.npos;)
      text.replace(at, 3, name);
    return text;
  };
  const std::string body =
      address("f") + "v_mfma_f32_32x32x1f32 v[32:63], v0, v0, 0\n" +
      "s_swappc_b64 s[30:31], s[4:5]\nv_mov_b32 v1, v32\ns_endpgm\n" + ".type f,@function\nf:" + address("g") +
      "s_swappc_b64 s[34:35], s[4:5]\ns_setpc_b64 s[30:31]\n" + ".type g,@function\ng:\ns_setpc_b64 s[34:35]\n";
  EXPECT_EQ(found(body, {.target = "gfx90a"}), Lines{"7 mai90a-smfma-read"});
}

TEST(WaitStates, SaysTheWay) {
  const lint::Report report = report_of("v_readfirstlane_b32 s0, v0\ns_cbranch_scc1 L\ns_endpgm\n"
                                        "L: buffer_load_dword v2, off, s[0:3], 0\ns_endpgm");
  ASSERT_EQ(report.findings.size(), 1u);
  const lint::Finding& f = report.findings[0];
  EXPECT_EQ(f.message,
            "buffer_load_dword reads s[0:3] one wait state after v_readfirstlane_b32 wrote s0; gfx900 needs 5");
  ASSERT_EQ(f.notes.size(), 2u);
  EXPECT_EQ(f.notes[0].pc, 1u);
  EXPECT_EQ(f.notes[0].text, "s0 written here");
  EXPECT_EQ(f.notes[1].pc, 2u);
  ASSERT_TRUE(f.fix);
  EXPECT_EQ(f.fix->text, "s_nop 3");
}

} // namespace crosslane::test
