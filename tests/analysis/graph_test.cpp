// Graphs of hand-written code: blocks, edges, calls, what is resolved and what is not; dominators and loops.
#include "analysis/loops.h"
#include "tests/analysis/code_fixture.h"

namespace crosslane::test {
namespace {

using analysis::EdgeKind;
using analysis::Exit;
using analysis::none;
using analysis::UnknownKind;

TEST(Graph, BlocksAndEdges) {
  const Analysed a(R"(
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc1 other
  v_mov_b32 v0, 1
  s_branch done
other:
  v_mov_b32 v0, 2
done:
  s_endpgm
)");
  ASSERT_EQ(a.graph.blocks.size(), 4u);
  EXPECT_TRUE(a.edge("k", "other", EdgeKind::branch));
  EXPECT_TRUE(a.edge("other", "done", EdgeKind::fall_through));
  EXPECT_EQ(a.graph.successors(a.at("k")).size(), 2u);
  EXPECT_EQ(a.graph.blocks[a.at("k")].exit, Exit::condition);
  EXPECT_EQ(a.graph.blocks[a.at("done")].exit, Exit::ends);
  EXPECT_EQ(a.graph.predecessors_of(a.at("done")).size(), 2u);
  EXPECT_TRUE(a.graph.unknowns.empty());
  const auto d = analysis::dominators(a.graph), p = analysis::post_dominators(a.graph);
  EXPECT_EQ(d.parent[a.at("k")], none);
  EXPECT_EQ(d.parent[a.at("done")], a.at("k"));
  EXPECT_TRUE(d.dominates(a.at("k"), a.at("other")));
  EXPECT_FALSE(d.dominates(a.at("other"), a.at("done")));
  EXPECT_EQ(p.parent[a.at("k")], a.at("done"));
  EXPECT_TRUE(p.dominates(a.at("done"), a.at("k")));
}

// By the calling convention s10 is lost in the first call; a callee that writes what was there is called again.
TEST(Graph, WhatACalleeMayHaveKeptIsCalled) {
  const Analysed a(R"(
  s_getpc_b64 s[10:11]
base:
  s_add_u32 s10, s10, f-base
  s_addc_u32 s11, s11, 0
  s_swappc_b64 s[30:31], s[10:11]
again:
  s_swappc_b64 s[30:31], s[10:11]
  s_endpgm
f:
  s_mov_b32 s12, s10
  s_mov_b32 s10, s12
  s_setpc_b64 s[30:31]
)");
  const auto* call = a.graph.call_of(a.at("again"));
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->unknown);
  const auto f = a.graph.function_at(a.graph.blocks[a.at("f")].begin);
  EXPECT_TRUE(a.graph.functions[f].address_taken);
  const auto callees = a.graph.callees_of(*call);
  EXPECT_EQ(std::vector<uint32_t>(callees.begin(), callees.end()), std::vector<uint32_t>{f});
}

TEST(Graph, NestedLoops) {
  const Analysed a(R"(
  s_mov_b32 s4, 3
outer:
  s_mov_b32 s5, 3
inner:
  s_sub_u32 s5, s5, 1
  s_cmp_lg_u32 s5, 0
  s_cbranch_scc1 inner
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 outer
  s_endpgm
)");
  const auto found = analysis::loops(a.graph, analysis::dominators(a.graph));
  ASSERT_EQ(found.loops.size(), 2u);
  const auto inner = found.of[a.at("inner")], outer = found.of[a.at("outer")];
  ASSERT_NE(inner, none);
  ASSERT_NE(outer, none);
  EXPECT_EQ(found.loops[inner].parent, outer);
  EXPECT_EQ(found.loops[inner].depth, 2u);
  EXPECT_EQ(found.loops[inner].blocks, 1u);
  EXPECT_EQ(found.loops[outer].blocks, 3u);
  EXPECT_EQ(found.of[a.at("k")], none);
  EXPECT_TRUE(found.irreducible.empty());
}

TEST(Graph, AJumpIntoALoopIsIrreducible) {
  const Analysed a(R"(
  s_cbranch_scc1 second
first:
  s_nop 0
second:
  s_nop 1
  s_cbranch_vccz first
  s_endpgm
)");
  const auto found = analysis::loops(a.graph, analysis::dominators(a.graph));
  EXPECT_TRUE(found.loops.empty());
  EXPECT_EQ(found.irreducible.size(), 1u);
}

const char* const callee = R"(
.type f,@function
f:
  v_mov_b32 v0, 3
  s_setpc_b64 s[30:31]
.size f, .-f
)";

TEST(Graph, CallsByConstantAddress) {
  const Analysed a(std::string(R"(
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, f@rel32@lo+4
  s_addc_u32 s5, s5, f@rel32@hi+12
  s_swappc_b64 s[30:31], s[4:5]
  s_endpgm
)") + callee);
  ASSERT_EQ(a.graph.calls.size(), 1u);
  EXPECT_FALSE(a.graph.calls[0].unknown);
  const auto callees = a.graph.callees_of(a.graph.calls[0]);
  ASSERT_EQ(callees.size(), 1u);
  EXPECT_EQ(a.graph.functions[callees[0]].block, a.at("f"));
  EXPECT_FALSE(a.graph.functions[callees[0]].address_taken);
  EXPECT_EQ(a.graph.blocks[a.at("f")].exit, Exit::returns);
  EXPECT_EQ(a.graph.successors(a.at("k"))[0].kind, EdgeKind::after_call);
  EXPECT_TRUE(a.graph.unknowns.empty());
  EXPECT_EQ(a.graph.parts.size(), 2u);
}

TEST(Graph, DirectCallsAndTailCalls) {
  const Analysed a(std::string(R"(
  s_call_b64 s[30:31], g
  s_endpgm
g:
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, f@rel32@lo+4
  s_addc_u32 s5, s5, f@rel32@hi+12
  s_setpc_b64 s[4:5]
)") + callee);
  EXPECT_TRUE(a.graph.unknowns.empty());
  ASSERT_EQ(a.graph.predecessors_of(a.at("f")).size(), 1u);
  EXPECT_EQ(a.graph.blocks[a.graph.predecessors_of(a.at("f"))[0]].exit, Exit::jump);
  EXPECT_EQ(a.graph.functions.size(), 3u);
}

// A return address that goes through SGPRs, VGPR lanes and another call.
TEST(Graph, ReturnsOfSavedAddresses) {
  const Analysed a(std::string(R"(
  s_call_b64 s[30:31], g
  s_endpgm
.type g,@function
g:
  v_writelane_b32 v40, s30, 0
  v_writelane_b32 v40, s31, 1
  s_call_b64 s[30:31], f
  v_readlane_b32 s31, v40, 1
  v_readlane_b32 s30, v40, 0
  s_mov_b64 s[8:9], s[30:31]
  s_setpc_b64 s[8:9]
.size g, .-g
)") + callee);
  EXPECT_TRUE(a.graph.unknowns.empty());
  EXPECT_EQ(std::ranges::count(a.graph.blocks, Exit::returns, &analysis::Block::exit), 2);
}

// In registers that functions may write, but this one does not, nor what it calls: LLVM keeps them there.
TEST(Graph, ReturnsOfAddressesThatCalleesLeaveAlone) {
  const auto unknowns = [](const std::string& in_callee) {
    const Analysed a(std::string(R"(
  s_call_b64 s[30:31], g
  s_endpgm
.type g,@function
g:
  v_writelane_b32 v7, s30, 0
  v_writelane_b32 v7, s31, 1
  s_getpc_b64 s[12:13]
  s_add_u32 s12, s12, h@rel32@lo+4
  s_addc_u32 s13, s13, h@rel32@hi+12
  s_swappc_b64 s[30:31], s[12:13]
  s_swappc_b64 s[30:31], s[12:13]
  v_readlane_b32 s30, v7, 0
  v_readlane_b32 s31, v7, 1
  s_setpc_b64 s[30:31]
.size g, .-g
.type h,@function
h:
  s_mov_b64 s[14:15], s[30:31]
  s_call_b64 s[30:31], f
)") + in_callee + "\n  s_setpc_b64 s[14:15]\n.size h, .-h\n" +
                     callee);
    std::vector<UnknownKind> kinds;
    for (const auto& u : a.graph.unknowns)
      kinds.push_back(u.kind);
    return kinds;
  };
  EXPECT_EQ(unknowns(""), std::vector<UnknownKind>{});
  EXPECT_EQ(unknowns("s_mov_b32 s13, 0"), (std::vector{UnknownKind::indirect_call, UnknownKind::indirect_jump}));
  EXPECT_EQ(unknowns("v_mov_b32 v7, 0"), std::vector{UnknownKind::indirect_jump});
}

TEST(Graph, UnknownsAreNamed) {
  const Analysed a(R"(
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_swappc_b64 s[30:31], s[4:5]
  s_cbranch_scc1 wrong
  s_setpc_b64 s[6:7]
wrong:
  .long 0xffffffff
)");
  ASSERT_EQ(a.graph.unknowns.size(), 3u);
  EXPECT_EQ(a.graph.unknowns[0].kind, UnknownKind::indirect_call);
  EXPECT_EQ(a.graph.unknowns[1].kind, UnknownKind::indirect_jump);
  EXPECT_EQ(a.graph.unknowns[2].kind, UnknownKind::illegal_instruction);
}

TEST(Graph, RunningOffTheEndIsNamed) {
  const Analysed a("  s_nop 0\n");
  ASSERT_EQ(a.graph.unknowns.size(), 1u);
  EXPECT_EQ(a.graph.unknowns[0].kind, UnknownKind::left_code);
}

// Of a function whose address is loaded into VGPRs, as compilers make pointers.
TEST(Graph, AddressesThatAreTakenAreCandidates) {
  const Analysed a(std::string(R"(
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, f@rel32@lo+4
  s_addc_u32 s5, s5, f@rel32@hi+12
  v_mov_b32 v0, s4
  v_mov_b32 v1, s5
  v_readfirstlane_b32 s6, v0
  v_readfirstlane_b32 s7, v1
  s_swappc_b64 s[30:31], s[6:7]
  s_endpgm
)") + callee);
  ASSERT_EQ(a.graph.calls.size(), 1u);
  EXPECT_TRUE(a.graph.calls[0].unknown);
  ASSERT_EQ(a.graph.callees_of(a.graph.calls[0]).size(), 1u);
  EXPECT_TRUE(a.graph.functions[a.graph.callees_of(a.graph.calls[0])[0]].address_taken);
}

// Branches side by side, of which an index picks one.
TEST(Graph, TableOfBranches) {
  const Analysed a(R"(
  s_and_b32 s8, s2, 3
  s_lshl_b32 s8, s8, 2
  s_getpc_b64 s[4:5]
base:
  s_add_u32 s4, s4, s8
  s_addc_u32 s5, s5, 0
  s_add_u32 s4, s4, table-base
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]
table:
  s_branch zero
  s_branch one
  s_branch two
  s_branch three
zero:
  s_nop 0
one:
  s_nop 1
two:
  s_nop 2
three:
  s_endpgm
)");
  EXPECT_TRUE(a.graph.unknowns.empty());
  EXPECT_EQ(a.graph.successors(a.at("k")).size(), 4u);
  for (const auto& e : a.graph.successors(a.at("k")))
    EXPECT_EQ(e.kind, EdgeKind::jump);
  for (const char* label : {"zero", "one", "two", "three"})
    EXPECT_NE(a.at(label), none) << label;
}

// Addresses in constant memory, of which an index picks one.
TEST(Graph, TableOfOffsets) {
  const Analysed a(R"(
  s_min_u32 s8, s2, 2
  s_lshl_b32 s8, s8, 2
  s_getpc_b64 s[4:5]
base:
  s_add_u32 s6, s4, table-base
  s_addc_u32 s7, s5, 0
  s_load_dword s9, s[6:7], s8
  s_waitcnt lgkmcnt(0)
  s_add_u32 s4, s4, s9
  s_addc_u32 s5, s5, 0
  s_setpc_b64 s[4:5]
table:
  .long zero-base
  .long one-base
  .long two-base
zero:
  s_endpgm
one:
  s_nop 0
  s_endpgm
two:
  s_nop 0
  s_endpgm
)");
  EXPECT_TRUE(a.graph.unknowns.empty());
  EXPECT_EQ(a.graph.successors(a.at("k")).size(), 3u);
}

// A counter in a loop has more values than are followed.
TEST(Graph, AnAddressThatALoopComputesIsUnknown) {
  const Analysed a(R"(
  s_getpc_b64 s[4:5]
again:
  s_add_u32 s4, s4, 4
  s_addc_u32 s5, s5, 0
  s_cbranch_scc1 again
  s_setpc_b64 s[4:5]
)");
  ASSERT_EQ(a.graph.unknowns.size(), 1u);
  EXPECT_EQ(a.graph.unknowns[0].kind, UnknownKind::indirect_jump);
}

// Two to the sixtieth ways lead from where the address is made to where it is used.
TEST(Graph, ManyWaysTakeNoTime) {
  std::string text = "  s_getpc_b64 s[4:5]\nbase:\n  s_add_u32 s4, s4, end-base\n  s_addc_u32 s5, s5, 0\n";
  for (int i = 0; i < 60; ++i)
    text += "  s_cmp_eq_u32 s6, " + std::to_string(i) + "\n  s_cbranch_scc1 w" + std::to_string(i) + "\n  s_nop 0\nw" +
            std::to_string(i) + ":\n";
  const Analysed a(text + "  s_setpc_b64 s[4:5]\nend:\n  s_endpgm\n");
  EXPECT_TRUE(a.graph.unknowns.empty());
  EXPECT_NE(a.at("end"), none);
}

TEST(Graph, ForksLeadToBothSidesAndTheJoinBack) {
  const Analysed a(R"(
  s_cbranch_i_fork s[4:5], other
next:
  s_branch meet
other:
  s_nop 0
meet:
  s_cbranch_join s6
  s_endpgm
)");
  EXPECT_TRUE(a.edge("k", "other", EdgeKind::branch));
  EXPECT_TRUE(a.edge("k", "next", EdgeKind::fall_through));
  EXPECT_TRUE(a.edge("meet", "other", EdgeKind::fork));
  EXPECT_TRUE(a.edge("meet", "next", EdgeKind::fork));
}

} // namespace
} // namespace crosslane::test
