// disassemble_hex_line: the two ways to write an instruction, and every way to get it wrong.
#include "isa/hex.h"
#include <gtest/gtest.h>

namespace crosslane::isa {
namespace {

std::string gfx900(std::string_view line) { return disassemble_hex_line(Target::gfx900, line); }

TEST(Hex, ReadsDwordsAndBytes) {
  EXPECT_EQ(gfx900("7e000280"), "v_mov_b32_e32 v0, 0");
  EXPECT_EQ(gfx900("0x80,0x02,0x00,0x7e"), "v_mov_b32_e32 v0, 0");
  EXPECT_EQ(gfx900("[0x80,0x02,0x00,0x7e]"), "v_mov_b32_e32 v0, 0");
  EXPECT_EQ(gfx900(" 0x7E000280\r"), "v_mov_b32_e32 v0, 0");
  EXPECT_EQ(gfx900("80 2 0 7e"), "v_mov_b32_e32 v0, 0");
  EXPECT_EQ(gfx900("d1c1000a 040a0304"), "v_mad_f32 v10, v4, v1, v2");
  EXPECT_EQ(gfx900("0xff,0x02,0x00,0x7e,0x78,0x56,0x34,0x12"), "v_mov_b32_e32 v0, 0x12345678");
}

TEST(Hex, NamesDependOnTheTarget) {
  EXPECT_EQ(disassemble_hex_line(Target::gfx803, "32020602"), "v_add_u32_e32 v1, vcc, s2, v3");
  EXPECT_EQ(gfx900("32020602"), "v_add_co_u32_e32 v1, vcc, s2, v3");
  EXPECT_EQ(disassemble_hex_line(Target::gfx900, "d3a00004 0c0a0300"),
            "v_mad_mix_f32 v4, v0, v1, v2 op_sel_hi:[1,0,0]");
  EXPECT_EQ(disassemble_hex_line(Target::gfx906, "d3a00004 0c0a0300"),
            "v_fma_mix_f32 v4, v0, v1, v2 op_sel_hi:[1,0,0]");
}

TEST(Hex, SaysWhatIsWrong) {
  EXPECT_EQ(gfx900(""), "error: no bytes: give an instruction as dwords (7e000280) or bytes (0x80,0x02,0x00,0x7e)");
  EXPECT_EQ(gfx900(" \t\r"), gfx900(""));
  EXPECT_EQ(gfx900("7e00028"), "error: '7e00028' is neither a byte (two hexadecimal digits) nor a dword (eight)");
  EXPECT_EQ(gfx900("v_nop"), "error: 'v_nop' is neither a byte (two hexadecimal digits) nor a dword (eight)");
  EXPECT_EQ(gfx900("0x"), "error: '0x' is neither a byte (two hexadecimal digits) nor a dword (eight)");
  EXPECT_EQ(gfx900("-1"), "error: '-1' is neither a byte (two hexadecimal digits) nor a dword (eight)");
  EXPECT_EQ(gfx900("0x80,0x02,0x00"), "error: 3 bytes: instructions are whole dwords of four bytes");
  EXPECT_EQ(gfx900("7e0002ff"), "error: ff 02 00 7e is the first half of an instruction of eight bytes");
  EXPECT_EQ(gfx900("ffffffff"), "error: ff ff ff ff is not an instruction of gfx900");
  EXPECT_EQ(gfx900("7e000280 bf810000"), "error: 4 bytes follow 'v_mov_b32_e32 v0, 0': give one instruction a line");
  EXPECT_EQ(gfx900(std::string("\x01\x7f\n") + std::string(100, 'z')).find('\n'), std::string::npos);
}

TEST(Hex, KnowsGfx6AndGfx7) {
  EXPECT_EQ(disassemble_hex_line(Target::gfx600, "c0c20d04"), "s_load_dwordx8 s[4:11], s[12:13], 0x4");
  EXPECT_EQ(disassemble_hex_line(Target::gfx701, "c00004ff 00012345"), "s_load_dword s0, s[4:5], 0x12345");
  EXPECT_EQ(disassemble_hex_line(Target::gfx600, "c00004ff 00012345"),
            "error: ff 04 00 c0 45 23 01 00 is not an instruction of gfx600");
  EXPECT_EQ(disassemble_hex_line(Target::gfx700, "4a0006ff 00000078"), "v_add_i32_e32 v0, vcc, 0x78, v3");
  EXPECT_EQ(disassemble_hex_line(Target::gfx700, "bee80080"), "error: 80 00 e8 be is not an instruction of gfx700");
}

} // namespace
} // namespace crosslane::isa
