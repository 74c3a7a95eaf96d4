// isa/operands.h by hand: one line per thing that an encoding adds to what the row says. Two oracles look at all
// instructions: LLVM's descriptions (operands_llvm_test.cpp) and the engine.
#include "isa/operands.h"
#include "isa/parse.h"
#include <gtest/gtest.h>
#include <string>

using namespace crosslane;
using isa::Extent;
using isa::Operand;
using isa::RegisterFile;
using isa::Target;

namespace {

std::string text(const Operand& o) {
  static constexpr const char* files[] = {"s", "v", "a", "#"};
  std::string t = files[int(o.file)] + std::to_string(o.first);
  if (o.dwords != 1)
    t += ":" + std::to_string(o.first + o.dwords - 1);
  t += o.read && o.written ? " rw" : o.read ? " r" : " w";
  if (o.partial)
    t += " partial";
  if (o.masked && o.written)
    t += " masked";
  if (o.extent != Extent::exact)
    t += o.extent == Extent::indexed ? " indexed" : " at most";
  if (o.bits != ~0u) {
    char bits[12];
    std::snprintf(bits, sizeof bits, " %x", o.bits);
    t += bits;
  }
  return t;
}

// EXEC and MODE, which every vector instruction reads, are left out unless written.
std::string of(Target target, std::string_view line, isa::Indexing indexing = {}) {
  const auto parsed = isa::parse(target, line);
  if (!parsed)
    return parsed.error.message;
  std::string all;
  for (const Operand& o : isa::operands(parsed.instruction, indexing)) {
    const bool exec = o.file == RegisterFile::scalar && o.first == isa::code::exec && o.role == isa::Role::implicit;
    const bool mode = o.file == RegisterFile::special && o.first == isa::special::mode;
    if ((!exec && !mode) || o.written)
      all += (all.empty() ? "" : ", ") + text(o);
  }
  return all;
}

TEST(Operands, ByHand) {
  using enum Target;
  const struct {
    Target target;
    const char *line, *expected;
  } cases[] = {
      // Special registers: #0 SCC, #1 VCCZ, #2 EXECZ, #3 LDS direct, #65 MODE, #66 STATUS, #67 TRAPSTS.
      {gfx900, "s_add_u32 s0, s1, 5", "s0 w, s1 r, #0 w"},
      {gfx900, "s_cmov_b32 s0, s1", "s0 w partial, s1 r, #0 r"},
      {gfx900, "s_bitset0_b32 s0, s1", "s0 rw, s1 r"},
      {gfx900, "s_mov_b64 vcc, s[2:3]", "s106:107 w, s2:3 r, #1 w"},
      {gfx900, "s_mov_b32 exec_hi, s2", "s127 w, s2 r, #2 w partial"},
      {gfx900, "s_and_saveexec_b64 s[0:1], s[2:3]", "s0:1 w, s2:3 r, s126:127 rw, #0 w, #2 w"},
      {gfx900, "s_cbranch_vccz 1", "s106:107 r, #1 r"},
      {gfx900, "s_cmpk_eq_i32 s3, 1", "s3 r, #0 w"},
      {gfx900, "s_addk_i32 s3, 1", "s3 rw, #0 w"},
      {gfx900, "s_movrels_b64 s[0:1], s[8:9]", "s0:1 w, s8:101 r indexed, s0:1 r indexed, s124 r"},
      {gfx701, "s_movreld_b32 s8, s0", "s8:103 w partial indexed, s124 r, s0 r"},
      {gfx900, "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)", "s0 w"},
      {gfx900, "s_getreg_b32 s0, hwreg(HW_REG_STATUS, 9, 1)", "s0 w, #66 r 200, #2 r"},
      {gfx900, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s1", "s1 r, #65 w partial ff"},
      {gfx900, "s_set_gpr_idx_on s1, 9", "s1 r, s124 w partial f0ff, #65 w partial 8000000"},
      {gfx900, "s_cbranch_join s1", "s1 r, s126:127 w partial, #65 rw partial e0000000, s0:31 r indexed, #2 w partial"},
      {gfx900, "s_load_dwordx4 s[4:7], s[0:1], s3", "s0:1 r, s3 r, s4:7 w"},
      {gfx900, "s_store_dwordx2 s[4:5], s[0:1], 0", "s0:1 r, s4:5 r"},
      {gfx900, "s_atomic_cmpswap s[4:5], s[0:1], 0 glc", "s0:1 r, s4:5 r, s4 w"},
      // Vector arithmetic.
      {gfx900, "v_mac_f32 v0, v1, s2", "v0 rw masked, v1 r, s2 r"},
      {gfx900, "v_add_co_u32_e32 v0, vcc, v1, v2", "v0 w masked, s106:107 w, v1 r, v2 r, #1 w"},
      {gfx900, "v_addc_co_u32_e64 v0, s[2:3], v1, v2, s[4:5]", "v0 w masked, s2:3 w, v1 r, v2 r, s4:5 r"},
      {gfx900, "v_div_fmas_f32 v0, v1, v2, v3", "v0 w masked, v1 r, v2 r, v3 r, s106:107 r"},
      {gfx900, "v_cmpx_eq_u32_e32 vcc, v0, v1", "s106:107 w, v0 r, v1 r, s126:127 rw, #1 w, #2 w"},
      {gfx900, "v_readlane_b32 s0, v1, s2", "s0 w, v1 r, s2 r"},
      {gfx900, "v_writelane_b32 v0, s1, m0", "v0 w partial, s1 r, s124 r"},
      {gfx900, "v_swap_b32 v0, v1", "v0 rw masked, v1 rw masked"},
      {gfx900, "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf", "v0 w partial masked, v1 r"},
      {gfx900, "v_mov_b32_dpp v0, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", "v0 w masked, v1 r"},
      {gfx900, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
       "v0 w partial masked ff00, v1 r"},
      {gfx900, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD", "v0 w masked, v1 r"},
      {gfx900, "v_mad_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v0 w partial masked ffff0000, v1 r, v2 r, v3 r"},
      {gfx900, "v_mac_f16 v0, v1, v2", "v0 rw partial masked ffff, v1 r, v2 r"},
      {gfx803, "v_mac_f16 v0, v1, v2", "v0 rw masked, v1 r, v2 r"},
      {gfx900, "v_mad_mixhi_f16 v0, v1, v2, v3", "v0 w partial masked ffff0000, v1 r, v2 r, v3 r"},
      {gfx803, "v_movrelsd_b32 v7, v9", "v7:255 w partial masked indexed, s124 r, v9:255 r indexed, v0 r indexed"},
      {gfx900, "v_mov_b32 v0, src_lds_direct", "v0 w masked, s124 r, #3 r"},
      {gfx908, "v_mfma_f32_4x4x1f32 a[0:3], v0, a1, a[4:7]", "a0:3 w, v0 r, a1 r, a4:7 r"},
      {gfx90a, "v_accvgpr_write_b32 a3, v1", "a3 w masked, v1 r"},
      // Memory.
      {gfx900, "ds_read_u16_d16_hi v0, v1", "v1 r, v0 w partial masked ffff0000"},
      {gfx803, "ds_write2_b64 v0, v[2:3], v[4:5]", "v0 r, v2:3 r, v4:5 r, s124 r"},
      {gfx900, "ds_add_u32 v0, v1 gds", "v0 r, v1 r, s124 r"},
      {gfx900, "flat_atomic_cmpswap v5, v[0:1], v[2:3] glc", "v0:1 r, v2:3 r, v5 w masked, s102:103 r"},
      {gfx701, "flat_load_dword v5, v[0:1]", "v0:1 r, v5 w masked, s104:105 r"},
      {gfx900, "global_load_dword v5, v0, s[2:3]", "v0 r, s2:3 r, v5 w masked"},
      {gfx900, "buffer_load_dwordx2 v[4:6], v[0:1], s[4:7], s1 idxen offen tfe",
       "v0:1 r, s4:7 r, s1 r, v4:5 w masked, v6 w masked"},
      {gfx900, "buffer_load_dword off, s[4:7], s1 lds", "s4:7 r, s1 r, s124 r"},
      {gfx803, "buffer_load_format_d16_xyz v[4:6], off, s[4:7], 0", "s4:7 r, v4:6 w masked"},
      {gfx900, "buffer_load_format_d16_xyz v[4:5], off, s[4:7], 0", "s4:7 r, v4:5 w masked"},
      {gfx900, "image_load v[4:6], v[0:3], s[8:15] dmask:0x7", "v0:3 r at most, s8:15 r, v4:6 w masked"},
      {gfx900, "image_atomic_cmpswap v[4:5], v0, s[8:15] dmask:0x3 unorm glc",
       "v0:3 r at most, s8:15 r, v4:5 r, v4 w masked"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(of(c.target, c.line), c.expected) << c.line;
}

TEST(Operands, VgprIndexing) {
  EXPECT_EQ(of(Target::gfx900, "v_add_u32 v2, v250, s3", {.src0 = true, .dst = true}),
            "v2:255 w partial masked indexed, s124 r, v250:255 r indexed, v0 r indexed, s3 r");
  EXPECT_EQ(of(Target::gfx900, "v_mac_f32 v2, v1, v3", {.dst = true}),
            "v2:255 rw partial masked indexed, v0 r indexed, s124 r, v1 r, v3 r");
  EXPECT_EQ(of(Target::gfx900, "v_swap_b32 v2, v1", {.src0 = true}),
            "v2 rw masked, v1:255 rw partial masked indexed, v0 r indexed, s124 r");
  EXPECT_EQ(of(Target::gfx900, "v_add_u32 v2, s1, v3", {.src0 = true}), "v2 w masked, s1 r, v3 r");
}

} // namespace
