// What the parser accepts by hand, and what it says of common mistakes: message and column.
#include "isa/parse.h"
#include "isa/print.h"
#include <gtest/gtest.h>

namespace crosslane::tests {
namespace {

using isa::parse;
using isa::Parsed;
using isa::Target;

// The text that `statement` means, in LLVM's words.
std::string meaning(Target target, std::string_view statement) {
  const Parsed p = parse(target, statement);
  return p ? isa::print(p.instruction) : "error: " + p.error.message;
}

TEST(Parse, ChoosesTheShortestForm) {
  const auto gfx9 = [](std::string_view s) { return meaning(Target::gfx900, s); };
  EXPECT_EQ(gfx9("v_add_f32 v0, v1, v2"), "v_add_f32_e32 v0, v1, v2");
  EXPECT_EQ(gfx9("v_add_f32 v0, 0x1234, v2"), "v_add_f32_e32 v0, 0x1234, v2");
  EXPECT_EQ(gfx9("v_add_f32 v0, v1, s2"), "v_add_f32_e64 v0, v1, s2");
  EXPECT_EQ(gfx9("v_add_f32 v0, -v1, v2"), "v_add_f32_e64 v0, -v1, v2");
  EXPECT_EQ(gfx9("v_add_f32 v0, v1, v2 clamp"), "v_add_f32_e64 v0, v1, v2 clamp");
  EXPECT_EQ(gfx9("v_add_f32 v0, v1, v2 row_shl:1"), "v_add_f32_dpp v0, v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(gfx9("v_add_f32 v0, v1, v2 src0_sel:WORD_1"),
            "v_add_f32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:DWORD");
  EXPECT_EQ(gfx9("v_cmp_eq_u32 s[0:1], v1, v2"), "v_cmp_eq_u32_e64 s[0:1], v1, v2");
  EXPECT_EQ(gfx9("v_cmp_eq_u32 vcc, v1, v2"), "v_cmp_eq_u32_e32 vcc, v1, v2");
}

TEST(Parse, LeavesStyleToTheWriter) {
  const auto gfx9 = [](std::string_view s) { return meaning(Target::gfx900, s); };
  EXPECT_EQ(gfx9("  V_MOV_B32   v1 ,v2 // comment"), "v_mov_b32_e32 v1, v2");
  EXPECT_EQ(gfx9("v_mov_b32 /* a */ v1, /* b */ v2 ; c"), "v_mov_b32_e32 v1, v2");
  EXPECT_EQ(gfx9("s_mov_b64 [s2,s3], [exec_lo,exec_hi]"), "s_mov_b64 s[2:3], exec");
  EXPECT_EQ(gfx9("v_mov_b32 v[7], v[3:3]"), "v_mov_b32_e32 v7, v3");
  EXPECT_EQ(gfx9("s_waitcnt vmcnt(1+1) & lgkmcnt_sat(99)"), "s_waitcnt vmcnt(2)");
  EXPECT_EQ(gfx9("s_mov_b32 s0, (1<<4)|3"), "s_mov_b32 s0, 19");
  EXPECT_EQ(
      gfx9("v_max_f32 v0, abs(neg(v1)), v2"),
      "error: 'neg' is neither a register nor a modifier of this instruction, and no symbol or label of this name is "
      "defined");
  EXPECT_EQ(gfx9("v_max_f32 v0, neg(abs(v1)), v2"), "v_max_f32_e64 v0, -|v1|, v2");
  EXPECT_EQ(gfx9("s_setreg_b32 {id: 1, size: 4}, s0"), "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0");
}

TEST(Parse, NumbersFollowTheOperand) {
  const auto gfx9 = [](std::string_view s) { return meaning(Target::gfx900, s); };
  EXPECT_EQ(gfx9("v_mov_b32 v0, 1.0"), "v_mov_b32_e32 v0, 1.0");
  EXPECT_EQ(gfx9("v_mov_b32 v0, 0x3f800000"), "v_mov_b32_e32 v0, 1.0");
  EXPECT_EQ(gfx9("v_mov_b32 v0, 3.0"), "v_mov_b32_e32 v0, 0x40400000");
  EXPECT_EQ(gfx9("v_add_f16 v0, 3.0, v1"), "v_add_f16_e32 v0, 0x4200, v1");
  EXPECT_EQ(gfx9("v_rcp_f64 v[0:1], 3.0"), "v_rcp_f64_e32 v[0:1], 0x40080000");
  EXPECT_EQ(gfx9("v_mov_b32 v0, -16"), "v_mov_b32_e32 v0, -16");
  EXPECT_EQ(gfx9("v_mov_b32 v0, 0xffffffff"), "v_mov_b32_e32 v0, -1");
  EXPECT_EQ(meaning(Target::gfx701, "s_load_dword s0, s[2:3], 0x100"), "s_load_dword s0, s[2:3], 0x100");
}

struct Mistake {
  Target target;
  std::string_view statement;
  size_t column;
  std::string_view message;
};

TEST(Parse, SaysWhatIsWrongAndWhere) {
  constexpr Mistake mistakes[] = {
      {Target::gfx900, "v_ad_f32 v0, v1, v2", 1, "'v_ad_f32' is not an instruction; did you mean v_add_f32?"},
      {Target::gfx803, "global_load_dword v0, v[2:3], off", 1,
       "'global_load_dword' is not an instruction of gfx803; gfx900 has it"},
      {Target::gfx900, "v_add_f32 v0, v1", 17,
       "expected a VGPR, such as v1, an SGPR, such as s1, or an inline constant"},
      {Target::gfx900, "v_add_f32 v0, v1, v2, v3", 23, "v_add_f32_e64 has no operand left for 'v3'"},
      {Target::gfx900, "v_add_f32 v0, v1, v2 glc", 22,
       "'glc' is neither a register nor a modifier of this instruction"},
      {Target::gfx900, "v_add_f32_e32 v0, v1, s2", 23, "expected a VGPR, such as v1, as source 1 of v_add_f32_e32"},
      {Target::gfx900, "v_add_f32 v0, s1, s2", 19, "v_add_f32_e64 can read one scalar register or literal only"},
      {Target::gfx900, "v_add_f32 v0, v1, 0x1234", 19, "'0x1234' is not an inline constant"},
      {Target::gfx900, "s_add_u32 s0, 0x1234, 0x5678", 23, "there is room for one literal only"},
      {Target::gfx900, "v_add_f64 v[0:1], v2, v[4:5]", 19, "'v2' is 1 register; as source 0 v_add_f64 takes 2"},
      {Target::gfx900, "s_load_dwordx4 s[2:5], s[0:1], 0", 16,
       "a tuple of 4 scalar registers starts at a multiple of 4"},
      {Target::gfx900, "v_mov_b32 v256, 0", 11, "the last vector register is number 255"},
      {Target::gfx900, "s_mov_b32 s102, 0", 11, "the last scalar register of gfx900 is s101"},
      {Target::gfx803, "v_mov_b32 v0, src_shared_base", 15, "gfx803 has no register src_shared_base"},
      {Target::gfx900, "v_mov_b32 v0, 0x100000000", 15, "'0x100000000' does not fit into the 32 bits"},
      {Target::gfx900, "v_add_f16 v0, 1.0e9, v1", 15, "'1.0e9' is out of the range of this operand's type"},
      {Target::gfx900, "s_waitcnt vmcnt(64)", 17, "vmcnt counts from 0 to 63 here"},
      {Target::gfx803, "s_waitcnt vmcnt(16)", 17, "vmcnt counts from 0 to 15 here"},
      {Target::gfx900, "s_sendmsg sendmsg(MSG_GS)", 19, "MSG_GS needs an operation, such as GS_OP_CUT"},
      {Target::gfx900, "v_mov_b32_dpp v0, v1 row_shl:16", 30, "row_shl is a number from 1 to 15"},
      {Target::gfx900, "flat_atomic_add v0, v[2:3], v4", 17, "with a destination returns the old value: add glc"},
      {Target::gfx900, "buffer_load_dword v0, v1, s[4:7], s0", 37, "an address in VGPRs needs idxen or offen"},
      {Target::gfx803, "flat_load_dword v0, v[2:3] offset:4", 28,
       "the offset of flat_load_dword is a number from 0 to 0"},
      {Target::gfx900, "s_mov_b32 s0, nothing", 15, "no symbol or label of this name is defined"},
      {Target::gfx900, "s_mov_b32 s0, 1/0", 16, "division by zero"},
      {Target::gfx900, "s_mov_b32 s0, #1", 15, "this character means nothing here"},
      {Target::gfx900, "v_mov_b32 v0, v1 v2", 18, "v_mov_b32_e64 has no operand left for 'v2'"},
      {Target::gfx90a, "v_add_f64 v[1:2], v[2:3], v[4:5]", 11,
       "gfx90a needs VGPR tuples that start at an even register"},
      {Target::gfx900, "", 1, "expected an instruction before the end of the line"},
  };
  for (const Mistake& m : mistakes) {
    const Parsed p = parse(m.target, m.statement);
    EXPECT_FALSE(p) << m.statement;
    EXPECT_EQ(p.error.column, m.column) << m.statement << "\n" << p.error.message;
    EXPECT_NE(p.error.message.find(m.message), std::string::npos) << m.statement << "\n" << p.error.message;
  }
}

TEST(Parse, SymbolsAndLabels) {
  isa::Symbols symbols;
  symbols["size"] = {.value = 12};
  symbols["back"] = {.value = 0, .label = true};
  symbols["ahead"] = {.value = 0, .label = true, .resolved = false};
  const auto in_text = [&](std::string_view s) {
    const Parsed p = parse(Target::gfx900, s, symbols, 16);
    return p ? isa::print(p.instruction) : "error: " + p.error.message;
  };
  EXPECT_EQ(in_text("s_mov_b32 s0, size*2"), "s_mov_b32 s0, 24");
  EXPECT_EQ(in_text("v_mov_b32 v[size:size+0], v1"), "v_mov_b32_e32 v12, v1");
  EXPECT_EQ(in_text("s_branch back"), "s_branch 65531"); // -5
  EXPECT_EQ(in_text("s_branch ahead"), "s_branch 0");
  EXPECT_EQ(in_text("s_branch back+4"), "error: expected a number, a label, or the difference of two labels");
  EXPECT_EQ(in_text("s_mov_b32 s0, back"),
            "error: the address of a label is no operand; take the difference of two labels");
}

} // namespace
} // namespace crosslane::tests
