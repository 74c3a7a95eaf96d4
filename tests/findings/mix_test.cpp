// Classes of instructions and their sums.
#include "findings/derive.h"
#include "isa/op.h"
#include <gtest/gtest.h>

namespace crosslane::findings {
namespace {

isa::Instruction instruction(std::string_view mnemonic) {
  isa::Instruction i;
  i.target = isa::Target::gfx900;
  i.op = isa::find_op(mnemonic, i.target).value();
  return i;
}

TEST(Mix, Classes) {
  struct Case {
    const char *mnemonic, *name;
  };
  for (const Case& c : std::initializer_list<Case>{{"v_add_f32", "valu"},
                                                   {"v_cmp_lt_f32", "valu"},
                                                   {"v_readfirstlane_b32", "valu"},
                                                   {"v_mad_f32", "valu"},
                                                   {"v_pk_add_f16", "valu"},
                                                   {"v_interp_p1_f32", "valu"},
                                                   {"s_add_u32", "salu"},
                                                   {"s_and_saveexec_b64", "salu"},
                                                   {"s_movk_i32", "salu"},
                                                   {"s_cmp_eq_u32", "salu"},
                                                   {"s_set_gpr_idx_on", "salu"},
                                                   {"s_set_gpr_idx_off", "salu"},
                                                   {"s_load_dword", "smem"},
                                                   {"s_memtime", "smem"},
                                                   {"s_dcache_inv", "smem"},
                                                   {"ds_read_b32", "lds"},
                                                   {"ds_bpermute_b32", "lds"},
                                                   {"flat_load_dword", "flat"},
                                                   {"global_store_dword", "flat"},
                                                   {"scratch_load_dword", "flat"},
                                                   {"buffer_load_dword", "vmem"},
                                                   {"tbuffer_load_format_x", "vmem"},
                                                   {"image_load", "vmem"},
                                                   {"s_branch", "branch"},
                                                   {"s_cbranch_execz", "branch"},
                                                   {"s_setpc_b64", "branch"},
                                                   {"s_swappc_b64", "branch"},
                                                   {"s_call_b64", "branch"},
                                                   {"s_cbranch_g_fork", "branch"},
                                                   {"s_waitcnt", "message"},
                                                   {"s_barrier", "message"},
                                                   {"s_sendmsg", "message"},
                                                   {"s_nop", "message"},
                                                   {"s_endpgm", "message"},
                                                   {"exp", "export"}})
    EXPECT_STREQ(name_of(class_of(instruction(c.mnemonic))), c.name) << c.mnemonic;
}

ProfiledInstruction executed(std::string_view mnemonic, uint64_t executions, int lanes = -1) {
  ProfiledInstruction p;
  p.instruction = instruction(mnemonic);
  p.kind = class_of(p.instruction);
  p.executions = executions;
  if (lanes >= 0) {
    p.active.emplace();
    p.active->waves[static_cast<size_t>(lanes)] = executions;
  }
  return p;
}

TEST(Mix, SumsMostFrequentFirst) {
  KernelProfile k;
  k.instructions = {executed("s_add_u32", 3, 64), executed("v_add_f32", 5, 32), executed("v_mul_f32", 2, 1),
                    executed("s_branch", 4, 64), executed("exp", 0, 0)};
  derive_mix(k);
  ASSERT_EQ(k.mix.size(), 3u);
  EXPECT_EQ(k.mix[0].kind, InstructionClass::valu);
  EXPECT_EQ(k.mix[0].wave_instructions, 7u);
  EXPECT_EQ(k.mix[0].lanes, 5u * 32 + 2);
  EXPECT_EQ(k.mix[1].kind, InstructionClass::branch);
  EXPECT_EQ(k.mix[2].kind, InstructionClass::salu);
  EXPECT_FALSE(k.mix[2].lanes) << "scalar instructions have no lanes";
}

TEST(Mix, LanesThatWereNotCollected) {
  KernelProfile k;
  k.instructions = {executed("v_add_f32", 5)};
  derive_mix(k);
  ASSERT_EQ(k.mix.size(), 1u);
  EXPECT_EQ(k.mix[0].wave_instructions, 5u);
  EXPECT_FALSE(k.mix[0].lanes);
}

} // namespace
} // namespace crosslane::findings
