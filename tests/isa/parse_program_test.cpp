// Whole texts: labels, constants, comments, several errors in one run.
#include "isa/parse_program.h"
#include "isa/print.h"
#include <gtest/gtest.h>

namespace crosslane::tests {
namespace {

using isa::parse_program;
using isa::Program;
using isa::Target;

std::string text_of(const Program& p) {
  std::string s;
  for (const auto& e : p.errors)
    s += std::to_string(e.line) + ":" + std::to_string(e.column) + ": " + e.message + "\n";
  for (const auto& i : p.statements)
    s += std::to_string(i.address) + " " + isa::print(i.instruction) + (i.label.empty() ? "" : " @" + i.label) + "\n";
  return s;
}

TEST(ParseProgram, LabelsAndConstants) {
  EXPECT_EQ(
      text_of(parse_program(Target::gfx900, R"(
# 1 "file.s"
n = 3            ; three
.set wide, n * 0x100
/* a comment
   of two lines */ start: s_mov_b32 s0, n
  s_mov_b32 s1, wide // a literal
n = 4
loop:
  s_add_u32 s0, s0, n
  s_cbranch_scc1 done
  s_branch loop
done: s_branch start
  s_mov_b32 s2, done - loop
  s_mov_b32 s3, end - done
end:
  s_endpgm
)")),
      "0 s_mov_b32 s0, 3\n4 s_mov_b32 s1, 0x300\n12 s_add_u32 s0, s0, 4\n16 s_cbranch_scc1 1 @done\n"
      "20 s_branch 65533 @loop\n24 s_branch 65529 @start\n28 s_mov_b32 s2, 12\n36 s_mov_b32 s3, 20\n44 s_endpgm\n");
}

TEST(ParseProgram, NumberedLabels) {
  EXPECT_EQ(text_of(parse_program(Target::gfx900, "1: s_branch 1f\ns_branch 1b\n1: s_branch 1b\n")),
            "0 s_branch 1 @1f\n4 s_branch 65534 @1b\n8 s_branch 65535 @1b\n");
}

TEST(ParseProgram, ReportsEveryError) {
  EXPECT_EQ(
      text_of(parse_program(Target::gfx900, "  v_mov_b32 v0\nx: s_nop 0\nx: s_branch y\n.long 5\nn = z\n")),
      "1:15: expected a VGPR, such as v1, an SGPR, such as s1, or an inline constant (-16 to 64, 0.5, 1.0, 2.0, 4.0), "
      "as source 0 of v_mov_b32_e64\n"
      "3:1: 'x' is defined twice\n"
      "3:13: 'y' is neither a register nor a modifier of this instruction, and no symbol or label of this name is "
      "defined\n"
      "4:1: directives such as '.long' make a code object: name the output file.co, or describe a kernel with "
      ".amdhsa_kernel\n"
      "5:5: 'z' is neither a register nor a modifier of this instruction, and no symbol or label of this name is "
      "defined\n");
}

TEST(ParseProgram, BranchOutOfReach) {
  std::string text = "s_branch far\n";
  for (int k = 0; k < 40000; ++k)
    text += "s_nop 0\n";
  const Program p = parse_program(Target::gfx900, text + "far: s_endpgm\n");
  EXPECT_EQ(text_of(Program{{}, {}, p.errors}),
            "1:10: 'far' is 40000 dwords away; a branch reaches from -32768 to 32767\n");
}

TEST(ParseProgram, Empty) {
  EXPECT_EQ(text_of(parse_program(Target::gfx900, "")), "");
  EXPECT_EQ(text_of(parse_program(Target::gfx900, "\n ; nothing\n/* nothing */\n.text\n")), "");
  EXPECT_EQ(text_of(parse_program(Target::gfx900, "s_nop 0 /* open")), "1:9: this comment has no */\n");
}

} // namespace
} // namespace crosslane::tests
