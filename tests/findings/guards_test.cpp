// Which instruction narrowed EXEC, in code as compilers write it.
#include "findings/guards.h"
#include "tests/findings/made_up.h"

namespace crosslane::findings {
namespace {

using Path = std::vector<int>;

Path guards(const made_up::Kernel& k, int instruction) {
  Path path;
  Guards(k.k.instructions).outwards(instruction, [&](int guard) { path.push_back(guard); });
  return path;
}

TEST(Guards, If) {
  made_up::Kernel k;
  k.add("v_cmp_gt_i32_e32 vcc, s0, v0");   // 0
  k.add("s_and_saveexec_b64 s[2:3], vcc"); // 1
  k.jump("s_cbranch_execz 1", 2);          // 2
  k.add("v_add_f32_e32 v1, v2, v3");       // 3
  k.add("s_or_b64 exec, exec, s[2:3]");    // 4
  k.add("v_add_f32_e32 v1, v2, v3");       // 5
  k.add("s_endpgm");
  EXPECT_EQ(guards(k, 1), Path{});
  EXPECT_EQ(guards(k, 3), Path{1});
  EXPECT_EQ(guards(k, 5), Path{});
}

// What follows is only reached from elsewhere, so it is behind no guard.
TEST(Guards, EndWhereControlDoesNotGoOn) {
  for (const char* last : {"s_endpgm", "s_setpc_b64 s[30:31]", "s_rfe_b64 s[30:31]", "s_sendmsghalt 1", "s_setkill 1",
                           "s_endpgm_ordered_ps_done", "s_branch 5"}) {
    made_up::Kernel k;
    k.add("s_and_saveexec_b64 s[2:3], vcc"); // 0
    k.add(last);                             // 1
    k.add("v_add_f32_e32 v1, v2, v3");       // 2
    EXPECT_EQ(guards(k, 1), Path{0}) << last;
    EXPECT_EQ(guards(k, 2), Path{}) << last;
  }
  for (const char* other : {"s_setkill 0", "s_trap 2", "s_cbranch_join s6", "s_swappc_b64 s[30:31], s[6:7]"}) {
    made_up::Kernel k;
    k.add("s_and_saveexec_b64 s[2:3], vcc");
    k.add(other);
    k.add("v_add_f32_e32 v1, v2, v3");
    EXPECT_FALSE(guards(k, 2).empty()) << other;
  }
}

TEST(Guards, IfElseIsBehindOneGuard) {
  // LLVM writes the first, where it can the second, which needs no s_xor.
  for (const char* other : {"s_or_saveexec_b64 s[4:5], s[2:3]", "s_andn2_saveexec_b64 s[4:5], s[2:3]"}) {
    made_up::Kernel k;
    k.add("s_and_saveexec_b64 s[2:3], vcc");                                                         // 0
    k.add("s_xor_b64 s[2:3], exec, s[2:3]");                                                         // 1
    k.jump("s_cbranch_execz 1", 2);                                                                  // 2
    k.add("v_add_f32_e32 v1, v2, v3");                                                               // 3
    k.add(other);                                                                                    // 4
    k.add(std::string_view(other).starts_with("s_or") ? "s_xor_b64 exec, exec, s[4:5]" : "s_nop 0"); // 5
    k.jump("s_cbranch_execz 1", 2);                                                                  // 6
    k.add("v_mul_f32_e32 v1, v2, v3");                                                               // 7
    k.add("s_or_b64 exec, exec, s[4:5]");                                                            // 8
    k.add("v_add_f32_e32 v1, v2, v3");                                                               // 9
    EXPECT_EQ(guards(k, 3), Path{0}) << other;
    EXPECT_EQ(guards(k, 7), Path{0}) << other;
    EXPECT_EQ(guards(k, 9), Path{}) << other;
  }
}

TEST(Guards, NestedAndBackInTheOuterOne) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[2:3], vcc"); // 0
  k.jump("s_cbranch_execz 6", 7);          // 1
  k.add("v_cmp_gt_i32_e32 vcc, s0, v0");   // 2
  k.add("s_and_saveexec_b64 s[4:5], vcc"); // 3
  k.jump("s_cbranch_execz 1", 2);          // 4
  k.add("v_add_f32_e32 v1, v2, v3");       // 5
  k.add("s_or_b64 exec, exec, s[4:5]");    // 6
  k.add("v_add_f32_e32 v1, v2, v3");       // 7
  k.add("s_or_b64 exec, exec, s[2:3]");    // 8
  k.add("v_add_f32_e32 v1, v2, v3");       // 9
  EXPECT_EQ(guards(k, 5), (Path{3, 0}));
  EXPECT_EQ(guards(k, 7), Path{0});
  EXPECT_EQ(guards(k, 9), Path{});
}

TEST(Guards, LanesThatLeaveALoop) {
  made_up::Kernel k;
  k.add("s_mov_b64 s[2:3], 0");            // 0
  k.add("v_add_f32_e32 v1, v2, v3");       // 1: the loop
  k.add("v_cmp_gt_i32_e32 vcc, s0, v0");   // 2
  k.add("s_or_b64 s[2:3], vcc, s[2:3]");   // 3
  k.add("s_andn2_b64 exec, exec, s[2:3]"); // 4
  k.jump("s_cbranch_execnz -5", -4);       // 5
  k.add("s_or_b64 exec, exec, s[2:3]");    // 6
  k.add("v_add_f32_e32 v1, v2, v3");       // 7
  EXPECT_EQ(guards(k, 0), Path{});
  EXPECT_EQ(guards(k, 1), Path{4});
  EXPECT_EQ(guards(k, 5), Path{4});
  EXPECT_EQ(guards(k, 7), Path{});
}

TEST(Guards, IfInALoopInAnIf) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[8:9], vcc"); // 0
  k.jump("s_cbranch_execz 10", 11);        // 1
  k.add("s_mov_b64 s[2:3], 0");            // 2
  k.add("s_and_saveexec_b64 s[4:5], vcc"); // 3: the loop
  k.jump("s_cbranch_execz 1", 2);          // 4
  k.add("v_add_f32_e32 v1, v2, v3");       // 5
  k.add("s_or_b64 exec, exec, s[4:5]");    // 6
  k.add("v_add_f32_e32 v1, v2, v3");       // 7
  k.add("s_or_b64 s[2:3], vcc, s[2:3]");   // 8
  k.add("s_andn2_b64 exec, exec, s[2:3]"); // 9
  k.jump("s_cbranch_execnz -8", -7);       // 10
  k.add("s_or_b64 exec, exec, s[2:3]");    // 11
  k.add("s_or_b64 exec, exec, s[8:9]");    // 12
  k.add("v_add_f32_e32 v1, v2, v3");       // 13
  EXPECT_EQ(guards(k, 5), (Path{3, 9, 0}));
  EXPECT_EQ(guards(k, 7), (Path{9, 0}));
  EXPECT_EQ(guards(k, 12), Path{0});
  EXPECT_EQ(guards(k, 13), Path{});
}

// The `else` of a loop's `if` lacks the lanes that left the loop in rounds before, like the `if` itself.
TEST(Guards, ElseInALoopThatLanesLeave) {
  made_up::Kernel k;
  k.add("s_mov_b64 s[2:3], 0");                 // 0
  k.add("s_and_saveexec_b64 s[4:5], s[8:9]");   // 1: the loop
  k.add("s_xor_b64 s[4:5], exec, s[4:5]");      // 2
  k.add("v_add_f32_e32 v1, v2, v3");            // 3
  k.add("s_andn2_saveexec_b64 s[4:5], s[4:5]"); // 4
  k.add("v_mul_f32_e32 v1, v2, v3");            // 5
  k.add("s_or_b64 exec, exec, s[4:5]");         // 6
  k.add("v_cmp_gt_i32_e32 vcc, s0, v0");        // 7
  k.add("s_or_b64 s[2:3], vcc, s[2:3]");        // 8
  k.add("s_andn2_b64 exec, exec, s[2:3]");      // 9
  k.jump("s_cbranch_execnz -10", -9);           // 10
  k.add("s_or_b64 exec, exec, s[2:3]");         // 11
  k.add("v_add_f32_e32 v1, v2, v3");            // 12
  EXPECT_EQ(guards(k, 3), (Path{1, 9}));
  EXPECT_EQ(guards(k, 5), (Path{1, 9}));
  EXPECT_EQ(guards(k, 7), Path{9});
  EXPECT_EQ(guards(k, 12), Path{});
}

// Lanes that leave the inner loop are back in the outer one.
TEST(Guards, LoopInALoop) {
  made_up::Kernel k;
  k.add("s_mov_b64 s[2:3], 0");            // 0
  k.add("s_mov_b64 s[4:5], 0");            // 1: the outer loop
  k.add("v_cmp_gt_i32_e32 vcc, s0, v0");   // 2: the inner one
  k.add("s_or_b64 s[4:5], vcc, s[4:5]");   // 3
  k.add("s_andn2_b64 exec, exec, s[4:5]"); // 4
  k.jump("s_cbranch_execnz -4", -3);       // 5
  k.add("s_or_b64 exec, exec, s[4:5]");    // 6
  k.add("v_cmp_gt_i32_e32 vcc, s1, v0");   // 7
  k.add("s_or_b64 s[2:3], vcc, s[2:3]");   // 8
  k.add("s_andn2_b64 exec, exec, s[2:3]"); // 9
  k.jump("s_cbranch_execnz -10", -9);      // 10
  k.add("s_or_b64 exec, exec, s[2:3]");    // 11
  k.add("v_add_f32_e32 v1, v2, v3");       // 12
  EXPECT_EQ(guards(k, 1), Path{9});
  EXPECT_EQ(guards(k, 2), (Path{4, 9}));
  EXPECT_EQ(guards(k, 7), Path{9});
  EXPECT_EQ(guards(k, 12), Path{});
}

// Where ways meet, what narrowed EXEC on one of them only is not to blame for all.
TEST(Guards, WaysWithDifferentMasksMeet) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[2:3], s[8:9]"); // 0
  k.jump("s_cbranch_scc1 2", 3);              // 1
  k.add("s_and_b64 exec, exec, s[10:11]");    // 2
  k.add("v_add_f32_e32 v1, v2, v3");          // 3
  k.add("v_mul_f32_e32 v1, v2, v3");          // 4
  EXPECT_EQ(guards(k, 3), (Path{2, 0}));
  EXPECT_EQ(guards(k, 4), Path{0});
}

// A condition of its own that only lanes of an `else` fulfil is to blame itself.
TEST(Guards, IfBehindAnElse) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[2:3], s[8:9]");   // 0
  k.add("s_xor_b64 s[2:3], exec, s[2:3]");      // 1
  k.add("s_andn2_saveexec_b64 s[2:3], s[2:3]"); // 2
  k.add("v_cmp_gt_i32_e64 s[4:5], s0, v0");     // 3
  k.add("s_or_b64 exec, exec, s[2:3]");         // 4
  k.add("s_and_saveexec_b64 s[6:7], s[4:5]");   // 5
  k.add("v_add_f32_e32 v1, v2, v3");            // 6
  EXPECT_EQ(guards(k, 3), Path{0});
  EXPECT_EQ(guards(k, 6), Path{5});
}

// As compilers spill: all lanes are switched on, and those of before again.
TEST(Guards, WholeWaveModeIsLeftAsItWasEntered) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[2:3], vcc"); // 0
  k.add("s_or_saveexec_b64 s[4:5], -1");   // 1
  k.add("v_add_f32_e32 v1, v2, v3");       // 2
  k.add("s_mov_b64 exec, s[4:5]");         // 3
  k.add("v_add_f32_e32 v1, v2, v3");       // 4
  EXPECT_EQ(guards(k, 2), Path{});
  EXPECT_EQ(guards(k, 4), Path{0});
}

// Masks that come from VGPR lanes end the innermost region, and begin its `else`.
TEST(Guards, MasksThatWereSpilled) {
  for (const bool with_xor : {false, true}) {
    made_up::Kernel k;
    k.add("s_and_saveexec_b64 s[2:3], s[8:9]");                                                   // 0
    k.add("s_and_saveexec_b64 s[4:5], s[10:11]");                                                 // 1
    k.add("v_add_f32_e32 v1, v2, v3");                                                            // 2
    k.add("v_readlane_b32 s4, v40, 0");                                                           // 3
    k.add("v_readlane_b32 s5, v40, 1");                                                           // 4
    k.add(with_xor ? "s_or_saveexec_b64 s[4:5], s[4:5]" : "s_andn2_saveexec_b64 s[4:5], s[4:5]"); // 5
    k.add(with_xor ? "s_xor_b64 exec, exec, s[4:5]" : "s_nop 0");                                 // 6
    k.add("v_mul_f32_e32 v1, v2, v3");                                                            // 7
    k.add("v_readlane_b32 s4, v40, 2");                                                           // 8
    k.add("v_readlane_b32 s5, v40, 3");                                                           // 9
    k.add("s_or_b64 exec, exec, s[4:5]");                                                         // 10
    k.add("v_mul_f32_e32 v1, v2, v3");                                                            // 11
    k.add("s_or_b64 exec, exec, s[2:3]");                                                         // 12
    k.add("v_mul_f32_e32 v1, v2, v3");                                                            // 13
    EXPECT_EQ(guards(k, 2), (Path{1, 0})) << with_xor;
    EXPECT_EQ(guards(k, 7), (Path{1, 0})) << with_xor;
    EXPECT_EQ(guards(k, 11), Path{0}) << with_xor;
    EXPECT_EQ(guards(k, 13), Path{}) << with_xor;
  }
}

TEST(Guards, CallsReturnToTheirRegion) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[34:35], vcc"); // 0
  k.add("s_swappc_b64 s[30:31], s[6:7]");    // 1
  k.add("v_add_f32_e32 v1, v2, v3");         // 2
  k.add("s_or_b64 exec, exec, s[34:35]");    // 3
  k.add("v_add_f32_e32 v1, v2, v3");         // 4
  EXPECT_EQ(guards(k, 2), Path{0});
  EXPECT_EQ(guards(k, 4), Path{});
}

TEST(Guards, MasksByHand) {
  made_up::Kernel k;
  k.add("s_mov_b64 s[10:11], exec");      // 0
  k.add("v_cmpx_gt_i32_e32 vcc, s0, v0"); // 1
  k.add("v_add_f32_e32 v1, v2, v3");      // 2
  k.add("s_mov_b64 exec, s[10:11]");      // 3
  k.add("v_add_f32_e32 v1, v2, v3");      // 4
  k.add("s_mov_b64 exec, vcc");           // 5
  k.add("v_add_f32_e32 v1, v2, v3");      // 6
  k.add("s_mov_b64 exec, s[10:11]");      // 7
  k.add("v_add_f32_e32 v1, v2, v3");      // 8
  EXPECT_EQ(guards(k, 2), Path{1});
  EXPECT_EQ(guards(k, 4), Path{});
  EXPECT_EQ(guards(k, 6), Path{5});
  EXPECT_EQ(guards(k, 8), Path{});
}

// What is found there is no instruction of the profile.
TEST(Guards, JumpIntoTheMiddleOfAnInstruction) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[2:3], vcc"); // 0
  k.add("s_cbranch_execz 1");              // 1
  k.add("v_mov_b32_e32 v1, 0xbe82207e");   // 2: the literal is s_and_saveexec_b64 s[2:3], exec
  k.add("v_add_f32_e32 v1, v2, v3");       // 3
  k.add("s_branch 1");                     // 4
  k.add("v_mov_b32_e32 v1, 0xbf810000");   // 5: s_endpgm
  EXPECT_EQ(guards(k, 3), Path{0});
}

TEST(Guards, FunctionsStartAnew) {
  made_up::Kernel k;
  k.add("s_and_saveexec_b64 s[2:3], vcc");
  k.add("v_add_f32_e32 v1, v2, v3");
  k.add("v_add_f32_e32 v1, v2, v3").function = "callee";
  EXPECT_EQ(guards(k, 1), Path{0});
  EXPECT_EQ(guards(k, 2), Path{});
}

TEST(Guards, ManyInstructionsTakeNoTime) {
  made_up::Kernel k;
  for (int i = 0; i < 2000; ++i) {
    k.add("s_and_saveexec_b64 s[2:3], vcc");
    k.jump("s_cbranch_execz 1", 2);
    k.add("v_add_f32_e32 v1, v2, v3");
    k.add("s_or_b64 exec, exec, s[2:3]");
    k.jump("s_cbranch_scc0 -5", -4);
  }
  EXPECT_EQ(guards(k, 9997), Path{9995});
}

} // namespace
} // namespace crosslane::findings
