// Infinities, NaNs, flushed denormals and overflowing addresses, instruction by instruction.
#include "tests/check/kernel.h"

namespace crosslane::test {

namespace {

using Rules = std::vector<std::string>;

Rules found(const std::string& body) { return rules_found("numerics", body); }

std::vector<lint::PlacedFinding> findings(const std::string& body) {
  launch::Job job;
  job.check = "numerics";
  return launched(body, job).judged->findings;
}

const std::string store = "\nglobal_store_dword v0, v2, s[6:7]", infinity = "v_mov_b32 v1, 0\nv_rcp_f32 v2, v1\n",
                  nan = "v_mov_b32 v1, -1.0\nv_sqrt_f32 v2, v1\n";

} // namespace

TEST(CheckNumerics, TellsWhatIsMadeAndStored) {
  EXPECT_EQ(found(infinity + store), Rules{"float-infinity"});
  EXPECT_EQ(found(nan + store), Rules{"float-nan"});
  EXPECT_EQ(found(infinity + "v_mov_b32 v2, 0" + store), Rules{});
  EXPECT_EQ(found(infinity + "v_cmp_class_f32 vcc, v2, 3\n"), Rules{});
  EXPECT_EQ(found(infinity + "ds_write_b32 v0, v2"), Rules{"float-infinity"});
}

TEST(CheckNumerics, IsQuietOfWhatWasThere) {
  EXPECT_EQ(found("v_mov_b32 v1, 0x7f800000\nv_add_f32 v2, v1, v1" + store), Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, 0x7f800000\nv_sub_f32 v2, v1, v1" + store), Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, 0x7fc00000\nv_mul_f32 v2, v1, v1" + store), Rules{});
  EXPECT_EQ(found("v_mov_b32 v2, 0x7f800000" + store), Rules{});
  // A literal.
  EXPECT_EQ(found("v_mov_b32 v1, 1.0\nv_add_f32 v2, 0x7f800000, v1" + store), Rules{});
}

TEST(CheckNumerics, SaysWhereItBegan) {
  const auto all = findings(infinity + "v_mov_b32 v3, 2.0\nv_mul_f32 v2, v2, v3\nv_sub_f32 v2, v2, v2" + store);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].instruction, "v_rcp_f32_e32 v2, v1");
  EXPECT_EQ(all[0].message, "makes an infinity of 0, and it is stored");
  EXPECT_EQ(all[0].seen->times, 64u);
  ASSERT_EQ(all[0].notes.size(), 1u);
  const auto sum = findings("v_mov_b32 v1, 0x7f61b1e6\nv_add_f32 v2, v1, v1" + store);
  ASSERT_EQ(sum.size(), 1u);
  EXPECT_EQ(sum[0].message, "makes an infinity of 3e+38 and 3e+38, and it is stored");
}

TEST(CheckNumerics, FollowsMoves) {
  for (const char* way : {
           "v_mov_b32 v3, v2\nv_mov_b32 v2, v3",
           "v_mov_b32 v3, 0\ns_mov_b64 vcc, -1\nv_cndmask_b32 v2, v3, v2, vcc",
           "v_and_b32 v2, 0x7fffffff, v2",
           "v_readfirstlane_b32 s8, v2\nv_mov_b32 v2, s8",
           "v_readlane_b32 s8, v2, 3\ns_mov_b32 s9, s8\nv_mov_b32 v2, 0\nv_writelane_b32 v2, s9, 5",
           "v_mov_b32 v3, 0\nv_swap_b32 v3, v2\nv_swap_b32 v2, v3",
           "v_mov_b32_dpp v2, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
           "v_mov_b32 v3, 0\nv_mov_b32_dpp v3, v2 wave_shr:1\nv_mov_b32 v2, v3",
           "ds_swizzle_b32 v2, v2 offset:0x801f\ns_waitcnt lgkmcnt(0)",
           "v_mov_b32 v3, 4\nds_bpermute_b32 v2, v3, v2\ns_waitcnt lgkmcnt(0)",
           "v_mov_b32 v3, 4\nds_permute_b32 v2, v3, v2\ns_waitcnt lgkmcnt(0)",
           "v_add_f32 v2, v2, v2 row_shr:1",
           "v_add_f32_sdwa v2, v2, v2 dst_sel:DWORD src0_sel:DWORD src1_sel:DWORD",
       })
    EXPECT_EQ(found(infinity + way + store), Rules{"float-infinity"}) << way;
  for (const char* way : {
           "v_mov_b32 v3, 0\ns_mov_b64 vcc, 0\nv_cndmask_b32 v2, v3, v2, vcc",
           "v_and_b32 v2, 0x007fffff, v2",
           "v_lshrrev_b32 v2, 23, v2",
           "v_cvt_i32_f32 v2, v2",
           "v_min_f32 v2, 1.0, v2",
           "v_rcp_f32 v2, v2",
       })
    EXPECT_EQ(found(infinity + way + store), Rules{}) << way;
}

TEST(CheckNumerics, KnowsHalvesAndPairs) {
  const std::string large = "v_mov_b32 v1, 0x7bff7bff\n"; // 65504
  EXPECT_EQ(found(large + "v_add_f16 v2, v1, v1" + store), Rules{"float-infinity"});
  EXPECT_EQ(found(large + "v_pk_add_f16 v2, v1, v1" + store), Rules{"float-infinity"});
  EXPECT_EQ(findings(large + "v_pk_add_f16 v2, v1, v1" + store)[0].seen->times, 64u);
  // One half alone, and the other one was there.
  EXPECT_EQ(found("v_mov_b32 v1, 0x7bff7c00\nv_pk_mul_f16 v2, v1, 1.0" + store), Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, 0x7bff7c00\nv_pk_add_f16 v2, v1, v1" + store), Rules{"float-infinity"});
  EXPECT_EQ(found("v_mov_b32 v1, 0x7c007bff\nv_pk_add_f16 v2, v1, v1 op_sel:[1,1] op_sel_hi:[1,1]" + store), Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, 0x7c003c00\nv_add_f16_sdwa v2, v1, v1 src0_sel:WORD_1 src1_sel:WORD_1" + store),
            Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, 0x7bff0000\nv_add_f16_sdwa v2, v1, v1 src0_sel:WORD_1 src1_sel:WORD_1" + store),
            Rules{"float-infinity"});
  EXPECT_EQ(found("v_mov_b32 v2, 0\nv_mov_b32 v1, 0x7bff0000\nv_mad_f16 v2, v1, v1, v1 op_sel:[1,1,1,1]" + store),
            Rules{"float-infinity"});
  EXPECT_EQ(found("v_mov_b32 v1, 0x47ae1400\nv_cvt_f16_f32 v2, v1" + store), Rules{"float-infinity"}); // 89128
  EXPECT_EQ(found("v_mov_b32 v1, 0x47ae1400\nv_cvt_pkrtz_f16_f32 v2, v1, v1" + store), Rules{});       // to 0
  EXPECT_EQ(found("v_mov_b32 v1, 0x7f800000\nv_cvt_pkrtz_f16_f32 v2, v1, 0" + store), Rules{});
  EXPECT_EQ(found(large + "v_mov_b32 v2, 0\nv_mad_mixhi_f16 v2, v1, v1, v1 op_sel_hi:[1,1,1]" + store),
            Rules{"float-infinity"});
}

TEST(CheckNumerics, KnowsDoubles) {
  const std::string large = "v_mov_b32 v2, 0\nv_mov_b32 v3, 0x7fe00000\n",
                    out = "\nv_lshlrev_b32 v0, 1, v0\nglobal_store_dwordx2 v0, v[2:3], s[6:7]";
  EXPECT_EQ(found(large + "v_add_f64 v[2:3], v[2:3], v[2:3]\nv_mov_b32 v0, 0" + out), Rules{"float-infinity"});
  EXPECT_EQ(found(large + "v_mul_f64 v[2:3], v[2:3], 0.5\nv_mov_b32 v0, 0" + out), Rules{});
  EXPECT_EQ(found(large + "v_cvt_f32_f64 v2, v[2:3]" + store), Rules{"float-infinity"});
  EXPECT_EQ(found("v_mov_b32 v2, 0\nv_mov_b32 v3, 0x7ff00000\nv_add_f64 v[2:3], v[2:3], v[2:3]\nv_mov_b32 v0, 0" + out),
            Rules{});
}

// What no finite numbers made is nobody's mistake, and what a division takes from its operands is told of once.
TEST(CheckNumerics, KnowsDivisions) {
  const auto divided = [&](const char* a, const char* b) {
    return std::string("v_mov_b32 v1, ") + a + "\nv_mov_b32 v3, " + b + R"(
      v_div_scale_f32 v4, s[8:9], v3, v3, v1
      v_div_scale_f32 v5, vcc, v1, v3, v1
      v_rcp_f32 v2, v4
      v_fma_f32 v6, -v4, v2, 1.0
      v_fma_f32 v2, v6, v2, v2
      v_mul_f32 v6, v5, v2
      v_fma_f32 v7, -v4, v6, v5
      v_fma_f32 v6, v7, v2, v6
      v_fma_f32 v4, -v4, v6, v5
      v_div_fmas_f32 v2, v4, v2, v6
      v_div_fixup_f32 v2, v2, v3, v1)" +
           store;
  };
  EXPECT_EQ(found(divided("1.0", "0")), Rules{"float-infinity"});
  EXPECT_EQ(found(divided("0", "0")), Rules{"float-nan"});
  EXPECT_EQ(found(divided("0", "1.0")), Rules{});
  EXPECT_EQ(found(divided("1.0", "2.0")), Rules{});
  EXPECT_EQ(found(divided("0x7f000000", "0x00800000")), Rules{"float-infinity"});
  EXPECT_EQ(found(divided("0x7f800000", "1.0")), Rules{});
  EXPECT_EQ(findings(divided("1.0", "0"))[0].instruction, "v_div_fixup_f32 v2, v2, v3, v1");
}

TEST(CheckNumerics, TellsOfDenormalsByMode) {
  const std::string off = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0\n",
                    sources = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 2\n",
                    on = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 15\n", denormal = "v_mov_b32 v1, 0x00400000\n",
                    least = "v_mov_b32 v1, 0x00800000\n";
  EXPECT_EQ(found(off + denormal + "v_add_f32 v2, 1.0, v1"), Rules{"float-flushed"});
  EXPECT_EQ(found(on + denormal + "v_add_f32 v2, 1.0, v1"), Rules{});
  EXPECT_EQ(found(off + least + "v_mul_f32 v2, 0.5, v1"), Rules{"float-flushed"});
  EXPECT_EQ(found(sources + least + "v_mul_f32 v2, 0.5, v1"), Rules{});
  EXPECT_EQ(found(on + least + "v_mul_f32 v2, 0.5, v1"), Rules{});
  EXPECT_EQ(found(on + least + "v_mac_f32 v2, 0.5, v1"), Rules{"float-flushed"});
  EXPECT_EQ(found(off + "v_mov_b32 v1, 0\nv_mul_f32 v2, 0.5, v1"), Rules{});
  EXPECT_EQ(found(off + least + "v_sub_f32 v2, v1, v1"), Rules{});
  // Too small for any denormal number.
  EXPECT_EQ(found(off + least + "v_mul_f32 v2, v1, v1"), Rules{});
  EXPECT_EQ(found(off + denormal + "v_mov_b32 v2, v1"), Rules{});
  // Halves have bits of their own.
  EXPECT_EQ(found("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 3\nv_mov_b32 v1, 1\nv_add_f16 v2, v1, v1"),
            Rules{"float-flushed"});
  EXPECT_EQ(found("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 12\nv_mov_b32 v1, 1\nv_add_f16 v2, v1, v1"), Rules{});
}

TEST(CheckNumerics, TellsOfAddressesThatLeft32Bits) {
  const std::string product = "v_mov_b32 v1, 0x10001\nv_mul_lo_u32 v1, v1, v1\n",
                    load = "\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(found(product + "v_add_u32 v1, 0xfffdffff, v1" + load), Rules{"address-overflow"});
  const auto all = findings(product + "v_add_u32 v1, 0xfffdffff, v1" + load);
  EXPECT_EQ(all.at(0).message,
            "the result is not what 32 bits hold (v_mul_lo_u32 of 65537 and 65537), and an address is made of it");
  EXPECT_EQ(all.at(0).seen->times, 64u);
  // Hashes: a mask, a field, a remainder; values that nobody takes for an address.
  EXPECT_EQ(found(product + "v_and_b32 v1, 0xfc, v1" + load), Rules{});
  EXPECT_EQ(found(product + "v_lshrrev_b32 v1, 24, v1" + load), Rules{});
  EXPECT_EQ(found(product + "v_mov_b32 v2, 0x20001\nv_sub_u32 v1, v1, v2" + load), Rules{});
  EXPECT_EQ(found(product + "v_mov_b32 v2, v1" + store), Rules{});
  // The upper half is computed too.
  EXPECT_EQ(
      found("v_mov_b32 v3, 0x10001\nv_mul_lo_u32 v1, v3, v3\nv_mul_hi_u32 v2, v3, v3\nv_add_u32 v1, 0xfffdffff, v1" +
            load),
      Rules{});
  // Negative numbers are none that left.
  EXPECT_EQ(found("v_mov_b32 v1, -4\nv_mul_lo_u32 v1, v1, -1\nv_add_u32 v1, -4, v1" + load), Rules{});
  EXPECT_EQ(found("v_mov_b32 v1, -1\nv_lshlrev_b32 v1, 2, v1\nv_add_u32 v1, 4, v1" + load), Rules{});
}

TEST(CheckNumerics, FollowsAddressesInSgprs) {
  const std::string product = "s_mov_b32 s8, 0x10001\ns_mul_i32 s8, s8, s8\ns_sub_u32 s8, s8, 0x20001\n";
  EXPECT_EQ(found(product +
                  "s_add_u32 s8, s4, s8\ns_addc_u32 s9, s5, 0\ns_load_dword s10, s[8:9], 0x0\ns_waitcnt lgkmcnt(0)"),
            Rules{"address-overflow"});
  EXPECT_EQ(found("s_add_u32 s8, s4, 16\ns_addc_u32 s9, s5, 0\ns_load_dword s10, s[8:9], 0x0\ns_waitcnt lgkmcnt(0)"),
            Rules{});
}

// As an unsigned number it would be right; what extends its sign takes it for a signed one.
TEST(CheckNumerics, KnowsWhenASignIsExtended) {
  const std::string sum = "v_mov_b32 v1, 0x60000000\nv_add_u32 v2, v1, v1\n",
                    use = "v_add_u32 v3, 1, v3\nglobal_load_dword v2, v3, s[4:5]\ns_waitcnt vmcnt(0)";
  EXPECT_EQ(found(sum + "v_ashrrev_i32 v3, 31, v2\n" + use), Rules{"address-overflow"});
  EXPECT_EQ(found(sum + "v_lshrrev_b32 v3, 31, v2\n" + use), Rules{});
  EXPECT_EQ(found("v_mov_b32 v2, -2\nv_ashrrev_i32 v3, 31, v2\n" + use), Rules{});
}

} // namespace crosslane::test
