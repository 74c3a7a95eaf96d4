// Virtual SGPRs in assembly, and the instructions that come of them: those that the same text with registers has.
#include "rewrite/virtual_sgprs.h"
#include <gtest/gtest.h>
#include <numeric>

namespace crosslane::rewrite {
namespace {

TEST(VirtualSgprs, AreNamed) {
  EXPECT_TRUE(names_virtual_sgprs("s_mov_b32 s128, 0"));
  EXPECT_TRUE(names_virtual_sgprs("s_mov_b64 s[4:5], exec\ns_load_dwordx4 s[132:135], s[4:5], 0x0"));
  EXPECT_FALSE(names_virtual_sgprs("s_mov_b32 s12, 128\nv_mov_b32 v200, s3\nds_add_u32 v1, v2 offset:200"));
  EXPECT_EQ(with_virtual_sgprs_at(8, "s_and_b64 s[130:131], s[96:97], vcc\nv_readlane_b32 s128, v130, 60"),
            "s_and_b64 s[10:11], s[96:97], vcc\nv_readlane_b32 s8, v130, 60");
}

TEST(VirtualSgprs, GetRegisters) {
  const auto* const text = "s_mov_b32 s129, s1\n"
                           "s_addk_i32 s133, 1\n"
                           "s_add_u32 s130, s130, 0x12345\n"
                           "s_andn2_b64 s[130:131], s[0:1], exec\n"
                           "v_writelane_b32 v7, s129, 63\n"
                           "v_readlane_b32 s129, v7, 1\n"
                           "v_mov_b32 v1, s130\n"
                           "v_mad_u32_u24 v1, v2, 4, s131\n"
                           "s_load_dwordx8 s[132:139], s[130:131], 0x0\n"
                           "buffer_store_dword v1, v2, s[132:135], s129 offen\n"
                           "buffer_store_dword v1, v2, s[0:3], s129 offen offset:64\n"
                           "s_getreg_b32 s129, hwreg(HW_REG_HW_ID)\n"
                           "s_swappc_b64 s[130:131], s[130:131]\n";
  for (const char* const name : {"gfx600", "gfx701", "gfx803", "gfx900", "gfx90a"}) {
    const isa::Target target = *isa::parse_target(name);
    for (const uint16_t first : {0, 4, 40, 80}) {
      std::vector<uint16_t> sgprs(16);
      std::iota(sgprs.begin(), sgprs.end(), first);
      std::vector<Item> items, wanted;
      append(items, target, text);
      append(wanted, target, with_virtual_sgprs_at(first, text));
      ASSERT_EQ(items.size(), wanted.size());
      for (size_t i = 0; i < items.size(); ++i) {
        EXPECT_NE(items[i].virtual_fields, 0) << i;
        const Item item = with_registers(items[i], target, sgprs);
        EXPECT_EQ(item.virtual_fields, 0);
        EXPECT_EQ(item.size, wanted[i].size) << name << " " << i;
        EXPECT_EQ(item.words, wanted[i].words) << name << " " << i;
      }
    }
  }
}

TEST(VirtualSgprs, LoadsByDistance) {
  std::vector<Item> items, wanted;
  append_load(items, isa::Target::gfx900, 130, 0x1000, "s_load_dwordx8 s[132:139], s[130:131], 0x0");
  append_load(wanted, isa::Target::gfx900, 6, 0x1000, "s_load_dwordx8 s[8:15], s[6:7], 0x0");
  ASSERT_EQ(items.size(), 1u);
  std::vector<uint16_t> sgprs(16);
  std::iota(sgprs.begin(), sgprs.end(), uint16_t(4));
  const Item item = with_registers(items[0], isa::Target::gfx900, sgprs);
  EXPECT_EQ(item.scalar, 6);
  EXPECT_EQ(item.size, wanted[0].size);
  EXPECT_EQ(item.words, wanted[0].words);
}

} // namespace
} // namespace crosslane::rewrite
