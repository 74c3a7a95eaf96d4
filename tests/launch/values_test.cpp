// Words to elements and back.
#include "launch/values.h"
#include "tests/expected.h"
#include <bit>
#include <cstring>

namespace crosslane::launch {
namespace {

using test::error_of;

uint64_t bits(Type type, const char* text) {
  uint64_t result = 0;
  EXPECT_EQ(error_of(store(type, text, reinterpret_cast<uint8_t*>(&result))), "") << text;
  return result;
}
std::string error(Type type, const char* text) {
  uint8_t bytes[8];
  return error_of(store(type, text, bytes));
}
std::string text(Type type, uint64_t value) { return format(type, reinterpret_cast<const uint8_t*>(&value)); }

TEST(Values, IntegersOfEveryBase) {
  EXPECT_EQ(bits(Type::i32, "5"), 5u);
  EXPECT_EQ(bits(Type::i32, "-1"), 0xffffffffu);
  EXPECT_EQ(bits(Type::i32, "0xffffffff"), 0xffffffffu);
  EXPECT_EQ(bits(Type::u8, "0b101"), 5u);
  EXPECT_EQ(bits(Type::i64, "-9223372036854775808"), 0x8000000000000000u);
  EXPECT_EQ(bits(Type::u64, "18446744073709551615"), ~uint64_t(0));
  EXPECT_EQ(bits(Type::b1, "true"), 1u);
  EXPECT_EQ(bits(Type::i8, "-128"), 0x80u);
}

TEST(Values, FloatsRoundOnce) {
  EXPECT_EQ(bits(Type::f32, "1.5"), 0x3fc00000u);
  EXPECT_EQ(bits(Type::f32, "-inf"), 0xff800000u);
  EXPECT_EQ(bits(Type::f64, "0x1p-3"), 0x3fc0000000000000u);
  EXPECT_EQ(bits(Type::f16, "1"), 0x3c00u);
  EXPECT_EQ(bits(Type::f16, "65504"), 0x7bffu);
  // Halfway between two floats but for its last digits: rounding through f64 would lose them and go down to even.
  EXPECT_EQ(bits(Type::f32, "1.00000005960464477539062501"), 0x3f800001u);
}

TEST(Values, WhatDoesNotFitIsAnError) {
  EXPECT_HAS(error(Type::i8, "128"), "does not fit into type i8");
  EXPECT_HAS(error(Type::u32, "-1"), "does not fit into type u32");
  EXPECT_HAS(error(Type::u64, "18446744073709551616"), "not an integer");
  EXPECT_HAS(error(Type::i32, "1.5"), "'1.5' is not an integer");
  EXPECT_HAS(error(Type::i32, ""), "not an integer");
  EXPECT_HAS(error(Type::f32, "abc"), "'abc' is not a number");
  EXPECT_HAS(error(Type::f32, "1x"), "not a number");
  EXPECT_HAS(error(Type::f32, ""), "not a number");
}

TEST(Values, FormatReadsBack) {
  EXPECT_EQ(text(Type::i32, 0xffffffff), "-1");
  EXPECT_EQ(text(Type::u64, ~uint64_t(0)), "18446744073709551615");
  EXPECT_EQ(text(Type::f32, 0x3dcccccd), "0.1");
  EXPECT_EQ(text(Type::f16, 0x3555), "0.33325");
  EXPECT_EQ(text(Type::b1, 1), "true");
}

TEST(Values, TypeNames) {
  EXPECT_EQ(parse_type("f32"), Type::f32);
  EXPECT_EQ(parse_type("unsigned long"), Type::u64);
  EXPECT_EQ(parse_type("size_t"), Type::u64);
  EXPECT_EQ(parse_type("half"), Type::f16);
  EXPECT_EQ(parse_type("struct S"), std::nullopt);
}

TEST(Values, Shapes) {
  EXPECT_EQ(test::value_of(parse_shape("2,3,4")), (std::vector<uint64_t>{2, 3, 4}));
  EXPECT_HAS(error_of(parse_shape("2,,3")), "'' is not a size");
  EXPECT_HAS(error_of(parse_shape("-1")), "'-1' is not a size");
  EXPECT_HAS(error_of(parse_shape("4294967296,4294967296")), "2^40");
}

} // namespace
} // namespace crosslane::launch
