// The table of rows in itself: no two rows on one opcode, every row reached by decoding, names, widths.
#include "isa/decode.h"
#include "isa/op.h"
#include "isa/print.h"
#include "isa/shape.h"
#include "tests/isa/sweep.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace crosslane::isa {
namespace {

TEST(Rows, NamesAreUniqueAndMatchTheEnumerators) {
  std::set<std::string_view> names;
  for (const Row& r : rows())
    EXPECT_TRUE(names.insert(r.mnemonic).second) << r.mnemonic;
  EXPECT_EQ(row(Op::v_add_f32).mnemonic, "v_add_f32");
  EXPECT_EQ(row(Op::ds_read_b64).mnemonic, "ds_read_b64");
  EXPECT_EQ(rows().size(), size_t(Op::count));
}

TEST(Rows, OpcodesDoNotOverlap) {
  for (int g = 0; g < generation_count; ++g) {
    std::map<std::pair<Encoding, int>, std::string_view> taken;
    for (const Row& r : rows()) {
      const int opcode = r.opcodes.of(Generation(g));
      if (opcode == absent)
        continue;
      const auto [at, fresh] = taken.insert({{r.encoding, opcode}, r.mnemonic});
      EXPECT_TRUE(fresh) << r.mnemonic << " and " << at->second << " share opcode " << opcode << " of generation " << g;
    }
  }
}

TEST(Rows, EveryRowIsReachedByDecoding) {
  for (const Target t : {Target::gfx600, Target::gfx700, Target::gfx803, Target::gfx900, Target::gfx904, Target::gfx906,
                         Target::gfx908, Target::gfx90a}) {
    std::set<Op> reached;
    tests::sweep_encodings(t, 3, 60, [&](std::string_view, unsigned, const tests::Words& w) {
      uint8_t bytes[12];
      std::memcpy(bytes, w.word, sizeof bytes);
      Instruction inst;
      if (decode(t, bytes, inst))
        reached.insert(inst.op);
    });
    for (size_t i = 0; i < rows().size(); ++i)
      if (rows()[i].opcodes.of(info(t).generation) != absent) {
        EXPECT_TRUE(reached.count(Op(i))) << rows()[i].mnemonic << " on " << info(t).name;
      } else {
        EXPECT_FALSE(reached.count(Op(i))) << rows()[i].mnemonic << " on " << info(t).name;
      }
  }
}

TEST(Rows, NamesPerTargetFindTheirRow) {
  for (size_t i = 0; i < size_t(Target::count); ++i) {
    const Target t = Target(i);
    for (size_t o = 0; o < rows().size(); ++o)
      if (rows()[o].opcodes.of(info(t).generation) != absent)
        EXPECT_EQ(find_op(mnemonic(Op(o), t), t), Op(o)) << mnemonic(Op(o), t) << " on " << info(t).name;
  }
  EXPECT_EQ(find_op("v_add_u32", Target::gfx803), Op::v_add_co_u32);
  EXPECT_EQ(find_op("v_add_u32", Target::gfx900), Op::v_add_u32);
  EXPECT_EQ(find_op("v_add_co_u32", Target::gfx803), std::nullopt);
  EXPECT_EQ(find_op("v_mad_f16", Target::gfx803), Op::v_mad_legacy_f16);
  EXPECT_EQ(find_op("v_fmac_f32", Target::gfx900), std::nullopt);
  EXPECT_EQ(find_op("v_fmac_f32", Target::gfx906), Op::v_fmac_f32);
}

TEST(Rows, ImplicitM0OfDs) {
  EXPECT_TRUE(has(implicit(row(Op::ds_read_b32), Target::gfx803), Implicit::m0_r));
  EXPECT_FALSE(has(implicit(row(Op::ds_read_b32), Target::gfx900), Implicit::m0_r));
  EXPECT_TRUE(has(implicit(row(Op::ds_append), Target::gfx900), Implicit::m0_r));
}

// SCC as the Vega ISA manual's pseudo code has it; spot checks where mnemonics mislead.
TEST(Rows, ImplicitScc) {
  const auto writes = [](Op o) { return has(row(o).implicit, Implicit::scc_w); };
  const auto reads = [](Op o) { return has(row(o).implicit, Implicit::scc_r); };
  for (const Op o : {Op::s_add_u32, Op::s_absdiff_i32, Op::s_lshl1_add_u32, Op::s_bfe_i64, Op::s_not_b64,
                     Op::s_quadmask_b32, Op::s_wqm_b64, Op::s_bcnt1_i32_b64, Op::s_abs_i32, Op::s_and_saveexec_b64,
                     Op::s_andn2_wrexec_b64, Op::s_addk_i32, Op::s_cmpk_eq_u32, Op::s_bitcmp1_b64, Op::s_min_i32})
    EXPECT_TRUE(writes(o)) << row(o).mnemonic;
  for (const Op o : {Op::s_mul_i32, Op::s_mul_hi_u32, Op::s_bfm_b32, Op::s_cselect_b32, Op::s_pack_ll_b32_b16,
                     Op::s_bitset0_b32, Op::s_brev_b32, Op::s_ff1_i32_b64, Op::s_flbit_i32, Op::s_sext_i32_i8,
                     Op::s_mulk_i32, Op::s_movk_i32, Op::s_cmov_b32, Op::s_setvskip, Op::s_mov_b64})
    EXPECT_FALSE(writes(o)) << row(o).mnemonic;
  for (const Op o :
       {Op::s_addc_u32, Op::s_subb_u32, Op::s_cselect_b64, Op::s_cmov_b64, Op::s_cmovk_i32, Op::s_cbranch_scc1})
    EXPECT_TRUE(reads(o)) << row(o).mnemonic;
}

TEST(Decode, StopsAtTheEndOfItsBytes) {
  Instruction inst;
  const uint8_t literal[] = {0xff, 0x02, 0x00, 0x7e, 0x78, 0x56, 0x34, 0x12};
  for (size_t n = 0; n < 8; ++n) {
    const std::vector<uint8_t> exact(literal, literal + n); // so that a sanitizer sees a read too far
    EXPECT_EQ(decode(Target::gfx900, exact, inst), 0) << n;
  }
  EXPECT_EQ(decode(Target::gfx900, literal, inst), 8);
  EXPECT_EQ(inst.literal, 0x12345678u);
}

TEST(Decode, FillsInTheImpliedVcc) {
  const auto decoded = [](std::initializer_list<uint32_t> words) {
    std::vector<uint8_t> bytes(words.size() * 4);
    std::memcpy(bytes.data(), words.begin(), bytes.size());
    Instruction inst;
    EXPECT_EQ(decode(Target::gfx900, bytes, inst), int(bytes.size()));
    return inst;
  };
  const Instruction compare = decoded({0x7d880702}); // v_cmp_gt_i32_e32 vcc, v2, v3
  EXPECT_EQ(compare.dst, code::vcc);
  const Instruction carry = decoded({0x38020702}); // v_addc_co_u32_e32 v1, vcc, v2, v3, vcc
  EXPECT_EQ(carry.op, Op::v_addc_co_u32);
  EXPECT_EQ(carry.sdst, code::vcc);
  EXPECT_EQ(carry.src[2], code::vcc);
  const Instruction select = decoded({0xd1000001, 0x00120702});
  EXPECT_EQ(select.src[2], 4);
  EXPECT_EQ(print(select), "v_cndmask_b32_e64 v1, v2, v3, s[4:5]");
}

TEST(Decode, MarksWhatTheHardwareReserves) {
  const auto reserved = [](Target t, uint32_t word0, uint32_t word1) {
    uint8_t bytes[8];
    std::memcpy(bytes, &word0, 4);
    std::memcpy(bytes + 4, &word1, 4);
    Instruction inst;
    EXPECT_NE(decode(t, bytes, inst), 0);
    return inst.reserved;
  };
  EXPECT_FALSE(reserved(Target::gfx900, 0xbe8000eb, 0));                      // s_mov_b32 s0, src_shared_base
  EXPECT_TRUE(reserved(Target::gfx803, 0xbe8000eb, 0));                       // gfx8 has no apertures in source codes
  EXPECT_TRUE(reserved(Target::gfx900, 0xbe80007d, 0));                       // null is gfx10's
  EXPECT_TRUE(reserved(Target::gfx900, 0xd0c900ef, 0x00020702));              // a compare that writes a source code
  EXPECT_TRUE(reserved(Target::gfx900, 0xd2890001, 0x00020702 | 0x200 << 8)); // v_readlane_b32 with a VGPR for the lane
  EXPECT_TRUE(reserved(Target::gfx803, 0xdc500004, 0x01000002));              // FLAT offset on gfx8
  EXPECT_FALSE(reserved(Target::gfx900, 0xdc500004, 0x01000002));
}

} // namespace
} // namespace crosslane::isa
