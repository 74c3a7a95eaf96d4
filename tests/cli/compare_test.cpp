// Results against expectations.
#include "cli/buffers.h"
#include "cli/compare.h"
#include "tests/cli/expected.h"

namespace crosslane::cli {
namespace {

using test::value_of;

std::string difference(std::string_view got, std::string_view expected, double rtol = 0, double atol = 0) {
  auto result = compare("c", value_of(make_buffer(got, {}, "")), value_of(make_buffer(expected, {}, "")), rtol, atol);
  if (!result)
    return "error: " + llvm::toString(result.takeError());
  return *result ? (*result)->text : "same";
}

TEST(Compare, FirstDifferenceAndCount) {
  EXPECT_EQ(difference("f32[4]:1,2,3,4", "f32[4]:1,2,3,4"), "same");
  EXPECT_EQ(difference("f32[4]:1,2,3,4", "f32[4]:1,5,3,0"), "c[1]: got 2, expected 5 (2 of 4 elements differ)");
  EXPECT_EQ(difference("i32[2,2]:iota", "i32[2,2]:0,1,3,3"), "c[1,0]: got 2, expected 3 (1 of 4 elements differ)");
}

TEST(Compare, Tolerances) {
  EXPECT_EQ(difference("f32[1]:100.5", "f32[1]:100", 0.01), "same");
  EXPECT_NE(difference("f32[1]:100.5", "f32[1]:100", 0.004), "same");
  EXPECT_EQ(difference("f32[1]:0.5", "f32[1]:0", 0, 0.5), "same");
  EXPECT_EQ(difference("i32[1]:11", "i32[1]:10", 0, 1), "same");
}

TEST(Compare, SpecialValues) {
  EXPECT_EQ(difference("f32[1]:nan", "f32[1]:nan"), "same");
  EXPECT_NE(difference("f32[1]:nan", "f32[1]:0", 1e9, 1e9), "same");
  EXPECT_NE(difference("f32[1]:inf", "f32[1]:1e38", 10, 10), "same");
  EXPECT_EQ(difference("f32[1]:inf", "f32[1]:inf"), "same");
  EXPECT_NE(difference("f32[1]:inf", "f32[1]:-inf", 1, 1), "same");
  EXPECT_EQ(difference("f32[1]:-0.0", "f32[1]:0"), "same");
}

TEST(Compare, SixtyFourBitsKeepAllBits) {
  EXPECT_NE(difference("i64[1]:9007199254740993", "i64[1]:9007199254740992"), "same");
  EXPECT_NE(difference("i64[1]:-1", "u64[1]:18446744073709551615"), "same");
  EXPECT_EQ(difference("u64[1]:18446744073709551615", "u64[1]:18446744073709551615"), "same");
}

TEST(Compare, ShapesMayDifferSizesMayNot) {
  EXPECT_EQ(difference("f32[4]:iota", "f64[2,2]:iota"), "same");
  EXPECT_EQ(difference("f32[4]", "f32[5]"), "error: 'c' is f32[4], but f32[5] is expected");
  EXPECT_EQ(difference("f32[4]", "i32[4]"), "error: 'c' is f32[4], but i32[4] is expected");
}

} // namespace
} // namespace crosslane::cli
