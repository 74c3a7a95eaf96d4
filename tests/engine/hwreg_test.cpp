// Hardware registers that follow from the launch: HW_ID, GPR_ALLOC, LDS_ALLOC, STATUS, PC. Layouts are those of the
// Vega ISA manual, "Access Instructions"; units as amdgpu's context-save handlers read them.
#include "tests/engine/kernel_fixture.h"
#include <set>

namespace crosslane {
namespace {

using test::Buffer;
using test::Kernel;

// Each wave writes its registers to out[8 * (its number in the grid)].
std::string dump(const std::string& reads) {
  return reads + R"(
  s_load_dwordx2 s[50:51], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_lshrrev_b32 v20, 6, v0
  v_readfirstlane_b32 s52, v20
  s_load_dword s53, s[0:1], 0x8
  s_waitcnt lgkmcnt(0)
  s_mul_i32 s53, s53, s2
  s_add_u32 s52, s52, s53
  s_lshl_b32 s52, s52, 5
  s_add_u32 s50, s50, s52
  s_addc_u32 s51, s51, 0
  .set i, 0
  .rept 8
  v_writelane_b32 v10, s[40+i], i
  .set i, i+1
  .endr
  v_mbcnt_lo_u32_b32 v21, -1, 0
  v_lshlrev_b32 v11, 2, v21
  address 12, 50, v11
  s_mov_b64 exec, 0xff
  flat_store_dword v[12:13], v10
  s_endpgm
)";
}

TEST(HardwareRegisters, AllocationsFollowTheDescriptor) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(target,
                        dump("s_getreg_b32 s40, hwreg(HW_REG_GPR_ALLOC)\ns_getreg_b32 s41, hwreg(HW_REG_LDS_ALLOC)\n"
                             "s_getpc_b64 s[54:55]\ns_getreg_b32 s42, hwreg(8)\ns_getreg_b32 s43, hwreg(9)\n"
                             "s_getreg_b32 s44, hwreg(10)\ns_getreg_b32 s45, hwreg(HW_REG_IB_STS)\n"
                             "s_sub_u32 s42, s42, s54\ns_subb_u32 s43, s43, s55\n"
                             "s_getreg_b32 s46, hwreg(HW_REG_STATUS)\n"));
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 64);
    EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {out.address(), 1}, {}, 1000));
    EXPECT_EQ((out[0] >> 8 & 63) * 4 + 4, 64u);     // VGPRs
    EXPECT_EQ((out[0] >> 24 & 15) * 16 + 16, 112u); // SGPRs: 96, VCC, FLAT_SCRATCH, XNACK_MASK, in units of 16
    EXPECT_EQ((out[1] >> 12 & 511) * 256, 1024u);   // bytes of LDS, allocated by 512
    EXPECT_EQ(out[2], 4u);                          // PC: of the instruction after the s_getreg
    EXPECT_EQ(out[3], 0u);
    EXPECT_EQ(out[4] & 0xffff, 0xf80au); // INST_DW0: the s_getreg itself
    EXPECT_EQ(out[5], 0u);
    EXPECT_EQ(out[6] & 0x10e60, 0x10400u); // VALID, VCCZ; not PRIV, TRAP_EN, EXECZ, IN_TG
  }
}

TEST(HardwareRegisters, Fp16OverflowFollowsTheDescriptorOnGfx9) {
  const std::string text = "v_mov_b32 v1, 0x7bff\nv_add_f16 v2, v1, v1\nv_readfirstlane_b32 s40, v2\ns_getreg_b32 s41, "
                           "hwreg(HW_REG_MODE, 23, 1)\n";
  for (const bool set : {false, true}) {
    const Kernel kernel(isa::Target::gfx900, dump(text), set ? ".amdhsa_fp16_overflow 1\n" : "");
    machine::Memory memory;
    Buffer<uint32_t> out(memory, 64);
    EXPECT_NO_FAULT(kernel.run({{64, 1, 1}, {64, 1, 1}}, {out.address(), 1}));
    EXPECT_EQ(out[0], set ? 0x7bffu : 0x7c00u);
    EXPECT_EQ(out[1], set ? 1u : 0u);
  }
}

TEST(HardwareRegisters, WavesOfAGroupShareACuAndNothingElse) {
  FOR_ALL_TARGETS(target) {
    const Kernel kernel(
        target,
        dump("s_getreg_b32 s40, hwreg(HW_REG_HW_ID)\ns_nop 0\ns_sleep 1\ns_getreg_b32 s41, hwreg(HW_REG_HW_ID)\n"
             "s_getreg_b32 s42, hwreg(HW_REG_STATUS, 11, 1)\ns_mov_b32 s43, 0\n"));
    machine::Memory memory;
    constexpr int groups = 40, waves = 8;
    Buffer<uint32_t> out(memory, groups * waves * 8);
    EXPECT_NO_FAULT(kernel.run({{512 * groups, 1, 1}, {512, 1, 1}}, {out.address(), waves}));
    for (int g = 0; g < groups; ++g) {
      std::set<uint32_t> places, simds, elsewhere;
      for (int i = 0; i < waves; ++i) {
        const uint32_t id = out[(g * waves + i) * 8];
        EXPECT_EQ(id, out[(g * waves + i) * 8 + 1]); // a wave does not move
        EXPECT_EQ(out[(g * waves + i) * 8 + 2], 1u); // IN_TG
        places.insert(id & 0x3f), simds.insert(id >> 4 & 3), elsewhere.insert(id >> 6);
        EXPECT_LT(id & 15, 10u);
      }
      EXPECT_EQ(places.size(), size_t(waves));
      EXPECT_EQ(simds.size(), 4u);
      EXPECT_EQ(elsewhere.size(), 1u); // the same CU, work-group slot ...
    }
  }
}

} // namespace
} // namespace crosslane
