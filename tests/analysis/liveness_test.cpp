// What is live where, of hand-written code; above all when a write under EXEC ends a life.
#include "analysis/liveness.h"
#include "tests/analysis/code_fixture.h"

namespace crosslane::test {
namespace {

namespace slot = analysis::slot;

struct Live : Analysed {
  explicit Live(const std::string& text, isa::Target target = isa::Target::gfx906)
      : Analysed(text, target), liveness(analysis::liveness(code(), graph)) {}
  bool at(const std::string& label, unsigned s) const { return liveness.begin[Analysed::at(label)].has(s); }
  bool v(const std::string& label, unsigned n) const { return at(label, slot::vgpr + n); }
  analysis::Liveness liveness;
};

TEST(Liveness, StraightLine) {
  const Live l(R"(
  s_add_u32 s4, s5, s6
  v_add_f32 v1, v2, v3
  v_mov_b32 v4, v1
  global_store_dword v[6:7], v4, off
  s_endpgm
)");
  for (const unsigned n : {2u, 3u, 6u, 7u})
    EXPECT_TRUE(l.v("k", n)) << n;
  EXPECT_FALSE(l.v("k", 1));
  EXPECT_FALSE(l.v("k", 4));
  EXPECT_TRUE(l.at("k", 5));
  EXPECT_FALSE(l.at("k", 4));
  EXPECT_TRUE(l.at("k", slot::exec));
  EXPECT_FALSE(l.at("k", slot::scc));
}

const char* const store = "  global_store_dword v[6:7], v1, off\n  s_endpgm\n";

TEST(Liveness, AWriteInAnIfEndsNoLife) {
  const Live l(std::string(R"(
  s_and_saveexec_b64 s[4:5], vcc
  v_mov_b32 v1, 1
  s_or_b64 exec, exec, s[4:5]
)") + store);
  EXPECT_TRUE(l.v("k", 1));
}

TEST(Liveness, AWriteBeforeAnIfEndsTheLife) {
  const Live l(std::string(R"(
  v_mov_b32 v1, 0
  s_and_saveexec_b64 s[4:5], vcc
  s_cbranch_execz done
body:
  v_mov_b32 v1, 1
  v_add_u32 v1, v1, v1
done:
  s_or_b64 exec, exec, s[4:5]
)") + store);
  EXPECT_FALSE(l.v("k", 1));
  EXPECT_TRUE(l.v("body", 1)); // of the lanes that are not in it
  EXPECT_TRUE(l.at("body", 4));
}

TEST(Liveness, WhatIsOnlyReadInTheIfDiesThere) {
  const Live l(R"(
  s_and_saveexec_b64 s[4:5], vcc
  s_cbranch_execz done
body:
  v_mov_b32 v1, 1
  global_store_dword v[6:7], v1, off
done:
  s_or_b64 exec, exec, s[4:5]
  s_endpgm
)");
  EXPECT_FALSE(l.v("body", 1));
  EXPECT_FALSE(l.v("k", 1));
}

// Both sides together are all lanes.
TEST(Liveness, AfterIfAndElseTheMaskIsThatOfBefore) {
  const Live l(std::string(R"(
  v_mov_b32 v1, 0
  s_and_saveexec_b64 s[4:5], vcc
  s_xor_b64 s[4:5], exec, s[4:5]
  s_cbranch_execz else
  v_mov_b32 v1, 1
else:
  s_or_saveexec_b64 s[4:5], s[4:5]
  s_xor_b64 exec, exec, s[4:5]
  s_cbranch_execz done
  v_mov_b32 v1, 2
done:
  s_or_b64 exec, exec, s[4:5]
  v_mov_b32 v2, 5
behind:
  s_nop 0
  s_cbranch_scc1 behind
  v_add_u32 v1, v1, v2
)") + store);
  EXPECT_FALSE(l.v("k", 1));
  EXPECT_FALSE(l.v("k", 2));
  EXPECT_TRUE(l.v("behind", 2));
}

// A value of the round before is needed in lanes that the write of this round may not have.
TEST(Liveness, RoundsOfALoopHaveMasksOfTheirOwn) {
  const Live l(R"(
loop:
  v_cmp_lt_u32 vcc, v0, v5
  s_and_saveexec_b64 s[4:5], vcc
  s_cbranch_execz skip
body:
  global_store_dword v[6:7], v1, off
  v_mov_b32 v1, 1
skip:
  s_or_b64 exec, exec, s[4:5]
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop
  s_endpgm
)");
  EXPECT_TRUE(l.v("loop", 1));
  EXPECT_TRUE(l.v("body", 1));
}

// As compilers write loops that lanes leave one by one; what is written before and read behind is dead before.
TEST(Liveness, BehindALoopThatLanesLeave) {
  const Live l(std::string(R"(
  v_mov_b32 v1, 0
  s_mov_b64 s[4:5], 0
loop:
  v_add_u32 v1, 1, v1
  v_cmp_ge_u32 vcc, v1, v0
  s_or_b64 s[4:5], vcc, s[4:5]
  s_andn2_b64 exec, exec, s[4:5]
  s_cbranch_execnz loop
  s_or_b64 exec, exec, s[4:5]
)") + store);
  EXPECT_FALSE(l.v("k", 1));
  EXPECT_TRUE(l.v("loop", 1));
}

TEST(Liveness, OtherLanesAreRead) {
  const Live l(R"(
  s_and_saveexec_b64 s[4:5], vcc
inside:
  s_nop 0
  s_cbranch_scc0 inside
  v_mov_b32 v1, 1
  v_mov_b32 v3, 1
  v_readlane_b32 s6, v1, 5
  v_mov_b32_dpp v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf
  global_store_dword v[6:7], v2, off
  s_store_dword s6, s[8:9], 0x0
  s_endpgm
)");
  EXPECT_TRUE(l.v("inside", 1));
  EXPECT_TRUE(l.v("inside", 3));
  EXPECT_TRUE(l.v("inside", 2)); // kept where there is no source lane
}

TEST(Liveness, PartOfARegisterEndsNoLife) {
  const Live l(R"(
  ds_read_u16_d16 v1, v0
  v_mov_b32_sdwa v2, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD
  s_cmov_b32 s4, 1
  v_writelane_b32 v3, s4, 1
  s_waitcnt lgkmcnt(0)
  v_add3_u32 v1, v1, v2, v3
  global_store_dword v[6:7], v1, off
  s_endpgm
)");
  for (const unsigned n : {1u, 2u, 3u})
    EXPECT_TRUE(l.v("k", n)) << n;
  EXPECT_TRUE(l.at("k", 4));
}

TEST(Liveness, ThroughCalls) {
  const Live l(R"(
  v_mov_b32 v1, 1
  v_mov_b32 v9, 1
  s_call_b64 s[30:31], f
  global_store_dword v[6:7], v9, off
  s_endpgm
.type f,@function
f:
  v_add_u32 v9, v1, v2
  s_setpc_b64 s[30:31]
.size f, .-f
)");
  EXPECT_FALSE(l.v("k", 1));
  EXPECT_TRUE(l.v("k", 2));
  EXPECT_TRUE(l.v("k", 6));
  EXPECT_TRUE(l.v("f", 6)); // its caller needs it
  EXPECT_TRUE(l.v("f", 9)); // in lanes that it is not entered with
  EXPECT_FALSE(l.v("f", 3));
  EXPECT_TRUE(l.at("f", 30));
  EXPECT_FALSE(l.at("k", 30));
}

TEST(Liveness, BeforeWhatIsUnknownEverythingLives) {
  const Live l("  s_mov_b32 s9, 0\n  s_swappc_b64 s[30:31], s[4:5]\n  s_endpgm\n");
  EXPECT_TRUE(l.v("k", 77));
  EXPECT_TRUE(l.at("k", 50));
  EXPECT_FALSE(l.at("k", 9));
}

TEST(Liveness, IndexedRegistersMayBeAny) {
  const Live l(R"(
  s_set_gpr_idx_on s4, gpr_idx(DST)
  v_mov_b32 v10, v0
  s_set_gpr_idx_off
  v_movrels_b32 v3, v20
  v_add_f32 v3, v3, v10
  flat_store_dword v[6:7], v3
  s_endpgm
)",
               isa::Target::gfx803);
  EXPECT_TRUE(l.v("k", 10)); // perhaps another one was written
  EXPECT_TRUE(l.v("k", 33)); // perhaps it is what is read
}

} // namespace
} // namespace crosslane::test
