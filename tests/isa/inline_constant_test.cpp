// Inline constants against LLVM's assembler: which values of which operand types need no literal.
#include "isa/inline_constant.h"
#include "isa/instruction.h"
#include "tests/isa/llvm_assembler.h"
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace crosslane::tests {
namespace {

// An instruction whose source field 0 is of the type, in bits 8:0 of its first word (7:0 if scalar).
struct Case {
  isa::Type type;
  const char* text;
  unsigned mask;
  uint64_t width;
};
constexpr Case cases[] = {
    {isa::Type::F16, "v_sqrt_f16_e32 v0, {:#x}", 0x1ff, 16},
    {isa::Type::U16, "v_cvt_f16_u16_e32 v0, {:#x}", 0x1ff, 16},
    {isa::Type::F32, "v_sqrt_f32_e32 v0, {:#x}", 0x1ff, 32},
    {isa::Type::I32, "v_cvt_f32_i32_e32 v0, {:#x}", 0x1ff, 32},
    {isa::Type::B32, "s_mov_b32 s0, {:#x}", 0xff, 32},
    {isa::Type::B64, "s_mov_b64 s[0:1], {:#x}", 0xff, 64},
    {isa::Type::F64, "v_sqrt_f64_e32 v[0:1], {:#x}", 0x1ff, 64},
};

TEST(InlineConstant, AsLlvmAssembles) {
  std::vector<uint64_t> values = {0x12345678, 65, 0xffff, 0x8000, 0x80000000, 0x7fffffff};
  for (const int width : {16, 32, 64})
    for (unsigned c = 128; c <= 248; ++c)
      if (isa::is_inline_constant(static_cast<uint16_t>(c))) {
        values.push_back(isa::inline_value(static_cast<uint16_t>(c), width));
        values.push_back(values.back() + 1);
      }
  for (const char* target : {"gfx701", "gfx803", "gfx900"}) {
    LlvmAssembler assembler(target);
    const isa::Generation generation = isa::info(*isa::parse_target(target)).generation;
    for (const Case& c : cases) {
      if (generation == isa::Generation::gfx7 && c.width == 16)
        continue;
      std::vector<std::string> lines;
      std::vector<uint64_t> asked;
      for (const uint64_t v : values)
        if (c.width == 64 || v >> c.width == 0) {
          lines.push_back(fmt::format(fmt::runtime(c.text), v));
          asked.push_back(v);
        }
      const std::vector<LlvmAssembler::Line> theirs = assembler.assemble(lines);
      for (size_t i = 0; i < lines.size(); ++i) {
        std::optional<unsigned> expected; // no code where LLVM takes a literal or finds that none fits
        uint32_t word = 0;
        if (!theirs[i].bytes.empty()) {
          std::memcpy(&word, theirs[i].bytes.data(), sizeof word);
          if ((word & c.mask) != isa::code::literal)
            expected = word & c.mask;
        }
        // A literal of 32 bits is the high half of a double.
        const bool high = c.type == isa::Type::F64 && asked[i] >> 32 == 0 && asked[i] > 64;
        const uint64_t value = high ? asked[i] << 32 : asked[i];
        const std::optional<uint16_t> ours = isa::inline_constant(value, c.type, generation);
        EXPECT_EQ(ours ? std::optional<unsigned>(*ours) : std::nullopt, expected) << target << ": " << lines[i];
        if (ours) {
          EXPECT_EQ(isa::inline_value(*ours, int(c.width)), value) << lines[i];
        }
      }
    }
  }
}

TEST(InlineConstant, ConstantsAsSourcesOfTypes) {
  isa::Instruction in;
  in.literal = 0x80000001;
  using isa::Type;
  const auto value = [&](unsigned source, Type t) {
    return isa::constant_source(in, static_cast<uint16_t>(source), t);
  };
  EXPECT_EQ(value(192, Type::B32), 64u);
  EXPECT_EQ(value(193, Type::B32), 0xffffffffu);
  EXPECT_EQ(value(193, Type::B64), ~uint64_t(0));
  EXPECT_EQ(value(193, Type::I16), 0xffffffffu);
  EXPECT_EQ(value(242, Type::F16), 0x3c00u);
  EXPECT_EQ(value(242, Type::F32), 0x3f800000u);
  EXPECT_EQ(value(242, Type::PkF32), 0x3f800000u);
  EXPECT_EQ(value(242, Type::F64), 0x3ff0000000000000u);
  EXPECT_EQ(value(isa::code::literal, Type::B32), 0x80000001u);
  EXPECT_EQ(value(isa::code::literal, Type::B64), 0x80000001u);
  EXPECT_EQ(value(isa::code::literal, Type::I64), 0xffffffff80000001u);
  EXPECT_EQ(value(isa::code::literal, Type::F64), 0x8000000100000000u);
  for (const unsigned other : {0u, unsigned(isa::code::exec), unsigned(isa::code::shared_base), 300u})
    EXPECT_EQ(value(other, Type::B32), std::nullopt) << other;
}

} // namespace
} // namespace crosslane::tests
