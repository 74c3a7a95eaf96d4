// Cycles per instruction against tables of others, copied by hand: CLRX "GCN ISA Instruction Timings" for cards with
// DPFACTOR 8 (most), 4 (Hawaii) and 1 (professional Hawaii); for gfx90a what llvm-mca-19 says, whose unit is 4 cycles.
#include "isa/op.h"
#include "timing/issue_cycles.h"
#include <gtest/gtest.h>

namespace crosslane::timing {
namespace {

isa::Instruction instruction(std::string_view mnemonic, std::string_view target) {
  isa::Instruction i;
  i.target = isa::parse_target(target).value();
  const auto op = isa::find_op(mnemonic, i.target);
  EXPECT_TRUE(op) << mnemonic << " on " << target;
  i.op = op.value_or(isa::Op::v_nop);
  return i;
}

struct Case {
  const char* mnemonic;
  const char* target;
  uint32_t cycles;
};

TEST(IssueCycles, Clrx) {
  for (const Case& c : std::initializer_list<Case>{
           {"v_add_f32", "gfx900", 4},
           {"v_mov_b32", "gfx600", 4},
           {"v_cmp_lt_f32", "gfx803", 4},
           {"v_mad_f32", "gfx803", 4},
           {"v_pk_add_f16", "gfx900", 4},
           {"v_cvt_f32_u32", "gfx900", 4},
           {"v_readlane_b32", "gfx900", 4},
           {"v_sad_u8", "gfx900", 4},
           {"v_swap_b32", "gfx900", 8},
           {"v_rcp_f32", "gfx900", 16},
           {"v_exp_f16", "gfx900", 16},
           {"v_sin_f32", "gfx600", 16},
           {"v_sqrt_f32", "gfx803", 16},
           {"v_div_scale_f32", "gfx900", 16},
           {"v_div_fmas_f32", "gfx900", 16},
           {"v_div_fixup_f32", "gfx900", 16},
           {"v_mul_lo_u32", "gfx900", 16},
           {"v_mul_lo_i32", "gfx600", 16},
           {"v_mad_u64_u32", "gfx900", 16},
           {"v_qsad_pk_u16_u8", "gfx900", 16},
           // DPFACTOR * 4
           {"v_add_f64", "gfx900", 32},
           {"v_add_f64", "gfx702", 16},
           {"v_add_f64", "gfx701", 4},
           {"v_add_f64", "gfx600", 8},
           {"v_cmp_lt_f64", "gfx900", 32},
           {"v_cmp_lt_u64", "gfx900", 32},
           {"v_lshlrev_b64", "gfx803", 32},
           {"v_cvt_f64_i32", "gfx900", 32},
           {"v_floor_f64", "gfx900", 32},
           {"v_div_fixup_f64", "gfx900", 32},
           // DPFACTOR * 8
           {"v_mul_f64", "gfx900", 64},
           {"v_fma_f64", "gfx900", 64},
           {"v_fma_f64", "gfx702", 32},
           {"v_fma_f64", "gfx701", 8},
           {"v_fma_f64", "gfx906", 8},
           {"v_div_fmas_f64", "gfx900", 64},
           {"v_rcp_f64", "gfx900", 64},
           {"v_trig_preop_f64", "gfx701", 8},
           // "for device with DP speed 1/2, 1/4 or 1/8 is 4 cycles, for other devices is 16 cycles"
           {"v_fma_f32", "gfx600", 4},
           {"v_fma_f32", "gfx702", 4},
           {"v_fma_f32", "gfx803", 16},
       })
    EXPECT_EQ(issue_cycles(instruction(c.mnemonic, c.target)), c.cycles) << c.mnemonic << " on " << c.target;
}

// Products where measurements say less than CLRX: clpeak's stored results, see cost_test.cpp.
TEST(IssueCycles, Measured) {
  for (const Case& c : std::initializer_list<Case>{
           {"v_mul_hi_i32", "gfx701", 8}, {"v_mul_lo_u32", "gfx906", 8}, {"v_mul_lo_u32", "gfx908", 8}})
    EXPECT_EQ(issue_cycles(instruction(c.mnemonic, c.target)), c.cycles) << c.mnemonic << " on " << c.target;
}

// llvm-mca-19 -mcpu=gfx90a, column "Latency" of the vector unit times 4. Of gfx900 only v_fma_f32: CLRX has no other.
TEST(IssueCycles, Llvm) {
  for (const Case& c : std::initializer_list<Case>{{"v_fma_f32", "gfx900", 4},
                                                   {"v_fma_f32", "gfx90a", 4},
                                                   {"v_fma_f64", "gfx90a", 4},
                                                   {"v_add_f64", "gfx90a", 4},
                                                   {"v_pk_fma_f32", "gfx90a", 4},
                                                   {"v_mul_lo_u32", "gfx90a", 4},
                                                   {"v_mad_u64_u32", "gfx90a", 4},
                                                   {"v_div_fmas_f32", "gfx90a", 4},
                                                   {"v_cmp_lt_f64", "gfx90a", 4},
                                                   {"v_trig_preop_f64", "gfx90a", 4},
                                                   {"v_rcp_f64", "gfx90a", 16},
                                                   {"v_rcp_f32", "gfx90a", 16},
                                                   {"v_qsad_pk_u16_u8", "gfx90a", 16},
                                                   {"v_mfma_f32_4x4x1f32", "gfx908", 8},
                                                   {"v_mfma_f32_16x16x1f32", "gfx908", 32},
                                                   {"v_mfma_f32_32x32x1f32", "gfx908", 64},
                                                   {"v_mfma_i32_32x32x8i8", "gfx908", 64},
                                                   {"v_mfma_f64_4x4x4f64", "gfx90a", 16},
                                                   {"v_mfma_f64_16x16x4f64", "gfx90a", 32}})
    EXPECT_EQ(issue_cycles(instruction(c.mnemonic, c.target)), c.cycles) << c.mnemonic << " on " << c.target;
}

TEST(IssueCycles, OtherUnits) {
  for (const char* mnemonic : {"s_add_u32", "s_branch", "s_waitcnt", "s_load_dword", "ds_read_b32", "flat_load_dword",
                               "global_load_dword", "buffer_load_dword", "image_load", "exp", "s_endpgm"})
    EXPECT_EQ(issue_cycles(instruction(mnemonic, "gfx900")), 0u) << mnemonic;
}

// Every vector operation of every target has a cost, a multiple of a pass.
TEST(IssueCycles, WholePasses) {
  for (const isa::TargetInfo& target : isa::targets())
    for (const isa::Row& row : isa::rows()) {
      isa::Instruction i;
      i.target = target.target;
      i.op = isa::Op(&row - isa::rows().data());
      const uint32_t cycles = issue_cycles(i);
      EXPECT_EQ(cycles % 4, 0u) << row.mnemonic << " on " << target.name;
      EXPECT_EQ(cycles > 0, row.mnemonic.starts_with("v_")) << row.mnemonic << " on " << target.name;
    }
}

TEST(IssueCycles, WhatIgnoresExec) {
  for (const char* mnemonic : {"v_readlane_b32", "v_writelane_b32", "v_readfirstlane_b32", "v_nop", "v_clrexcp"})
    EXPECT_TRUE(ignores_exec(instruction(mnemonic, "gfx900"))) << mnemonic;
  EXPECT_TRUE(ignores_exec(instruction("v_mfma_f32_4x4x1f32", "gfx908")));
  EXPECT_FALSE(ignores_exec(instruction("v_accvgpr_read_b32", "gfx908")));
  for (const char* mnemonic : {"v_add_f32", "v_cmp_lt_f32", "v_cmpx_lt_f32", "v_swap_b32", "v_mbcnt_lo_u32_b32"})
    EXPECT_FALSE(ignores_exec(instruction(mnemonic, "gfx900"))) << mnemonic;
}

} // namespace
} // namespace crosslane::timing
