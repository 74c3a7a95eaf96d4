// The assembler oracle itself, against encodings written in LLVM's documentation and the GCN3 manual.
#include "tests/isa/llvm_assembler.h"
#include <gtest/gtest.h>

namespace crosslane::tests {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(LlvmAssembler, BytesOrErrorPerLine) {
  LlvmAssembler gfx9("gfx900");
  const std::vector<std::string> lines = {
      "s_endpgm",          "v_add_f32_e32 v1, v2, v3", "",
      "s_frobnicate s0",   "s_mov_b32 s1, 0x12345678", "s_branch 5",
      "s_branch 65535",    "s_branch somewhere",       "v_add_f32_e64 v1, 0x12345678, v3",
      "s_nop 0 ; comment", "s_nop 0\ns_nop 1",         "s_mov_b32 s0, s1",
  };
  const std::vector<LlvmAssembler::Line> r = gfx9.assemble(lines);
  ASSERT_EQ(r.size(), lines.size());
  EXPECT_EQ(r[0].bytes, (Bytes{0, 0, 0x81, 0xbf}));
  EXPECT_EQ(r[1].bytes, (Bytes{0x02, 0x07, 0x02, 0x02}));
  EXPECT_TRUE(r[2].bytes.empty() && r[2].error.empty());
  EXPECT_EQ(r[3].error, "invalid instruction");
  EXPECT_EQ(r[4].bytes, (Bytes{0xff, 0, 0x81, 0xbe, 0x78, 0x56, 0x34, 0x12}));
  EXPECT_EQ(r[5].bytes, (Bytes{5, 0, 0x82, 0xbf}));
  EXPECT_EQ(r[6].bytes, (Bytes{0xff, 0xff, 0x82, 0xbf}));
  EXPECT_EQ(r[7].error, "refers to a symbol");
  EXPECT_EQ(r[8].error, "literal operands are not supported");
  EXPECT_EQ(r[9].bytes, (Bytes{0, 0, 0x80, 0xbf}));
  EXPECT_EQ(r[10].error, "more than one line");
  EXPECT_EQ(r[11].bytes, (Bytes{1, 0, 0x80, 0xbe}));
  for (size_t i = 0; i < r.size(); ++i)
    EXPECT_TRUE(r[i].bytes.empty() || r[i].error.empty()) << lines[i];
}

TEST(LlvmAssembler, KnowsTheProcessor) {
  // GCN3 renumbered SOP1: s_mov_b32 is 3 on gfx7 and 0 on gfx8.
  EXPECT_EQ(LlvmAssembler("gfx701").assemble("s_mov_b32 s0, s1").bytes, (Bytes{1, 3, 0x80, 0xbe}));
  EXPECT_EQ(LlvmAssembler("gfx803").assemble("s_mov_b32 s0, s1").bytes, (Bytes{1, 0, 0x80, 0xbe}));
  EXPECT_EQ(LlvmAssembler("gfx803").assemble("v_pk_add_f16 v0, v1, v2").error, "instruction not supported on this GPU");
}

} // namespace
} // namespace crosslane::tests
