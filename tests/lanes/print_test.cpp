// What a plan looks like as text. That the text is right is for hardware_test.cpp to say.
#include "lanes/plan/print.h"
#include <gtest/gtest.h>

namespace crosslane::lanes::planner {
namespace {

Step two_sources_of_four() {
  Step s{.op = Op::permute_two, .bytes = 32, .element = 8, .a = 0, .b = 1};
  for (int i = 0; i < 4; ++i)
    s.index[size_t(i)] = uint8_t(7 - i);
  return s;
}

Plan example() {
  Plan p;
  p.inputs = 2;
  p.kind = Class::several;
  p.add(two_sources_of_four());
  p.add({.op = Op::shuffle_dwords,
         .bytes = 32,
         .element = 4,
         .a = 2,
         .imm = 177,
         .masked = true,
         .merge = 0,
         .mask = 0x0f});
  return p;
}

TEST(Print, WritesAssembly) {
  // The first source lives on, to be merged with, so that the index is what vpermi2q overwrites.
  EXPECT_EQ(assembly(example(), Isa::avx512).text(), "  vmovdqu ymm2, ymmword ptr [rip + .Lindex0]\n"
                                                     "  vpermi2q ymm2, ymm0, ymm1\n"
                                                     "  mov eax, 0xf\n"
                                                     "  kmovd k1, eax\n"
                                                     "  vpshufd ymm0{k1}, ymm2, 177\n"
                                                     "  .p2align 6\n"
                                                     ".Lindex0:\n"
                                                     "  .quad 7, 6, 5, 4\n");
}

TEST(Print, DescribesEachStepWithItsCost) {
  const std::string text = describe(example(), Cpu::icelake);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "several steps; icelake: latency 4, one every 1 cycles; 2 instructions, 1 constants, 1 masks");
  EXPECT_NE(text.find("v2 = vpermt2q v0, v1 {7 6 5 4}"), std::string::npos) << text;
  EXPECT_NE(text.find("v3 = vpshufd v2, 177, mask 0xf, else v0"), std::string::npos) << text;
  EXPECT_NE(text.find("latency 3, busy 1 of 1 ports"), std::string::npos) << text;
}

TEST(Print, RefusesWhatTheLevelHasNot) {
  EXPECT_EQ(assembly(example(), Isa::avx2).fault, "step 0: no instruction of avx2");
  EXPECT_TRUE(assembly(example(), Isa::avx2).text().empty());
}

TEST(Print, RefusesMoreThanTheRegistersHold) {
  Plan p;
  p.inputs = 16;
  Step s{.op = Op::permute, .bytes = 32, .element = 4, .a = 0};
  int8_t last = p.add(s);
  for (int8_t v = 0; v < 16; ++v)
    last = p.add({.op = Op::either, .bytes = 32, .element = 4, .a = last, .b = v});
  EXPECT_EQ(assembly(p, Isa::avx2).fault, "out of registers");
  EXPECT_EQ(assembly(p, Isa::avx512).fault, "");
}

TEST(Print, PutsTheLevelsOwnNameWhereVexEnds) {
  Plan p;
  p.inputs = 16;
  int8_t last = p.add({.op = Op::either, .bytes = 32, .element = 4, .a = 0, .b = 1});
  for (int8_t v = 0; v < 16; ++v)
    last = p.add({.op = Op::either, .bytes = 32, .element = 4, .a = last, .b = v});
  EXPECT_EQ(assembly(p, Isa::avx512).code[0], "vpord ymm16, ymm0, ymm1");
}

} // namespace
} // namespace crosslane::lanes::planner
