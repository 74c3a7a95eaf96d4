// Results against expectations.
#include "launch/buffers.h"
#include "launch/compare.h"
#include "tests/expected.h"
#include <algorithm>

namespace crosslane::launch {
namespace {

using test::value_of;

std::string difference(std::string_view got, std::string_view expected, double rtol = 0, double atol = 0) {
  auto result = compare("c", value_of(make_buffer(got, {}, "")), value_of(make_buffer(expected, {}, "")), rtol, atol);
  if (!result)
    return "error: " + llvm::toString(result.takeError());
  return result->different ? result->text : "same";
}

std::string agreement(std::string_view got, std::string_view expected, double rtol = 0, double atol = 0) {
  const auto result =
      value_of(compare("c", value_of(make_buffer(got, {}, "")), value_of(make_buffer(expected, {}, "")), rtol, atol));
  EXPECT_EQ(result.different, 0u);
  return result.text;
}

TEST(Compare, FirstDifferenceAndCount) {
  EXPECT_EQ(difference("f32[4]:1,2,3,4", "f32[4]:1,2,3,4"), "same");
  EXPECT_EQ(difference("f32[4]:1,2,3,4", "f32[4]:1,5,3,0"),
            "c: 2 of 4 elements differ; largest error 4 at c[3], relative 0.6 at c[1], 2.85e+45 ulp at c[3]\n"
            "  c[1]: got 2, expected 5\n  c[3]: got 4, expected 0");
  EXPECT_EQ(difference("i32[2,2]:iota", "i32[2,2]:0,1,3,3"),
            "c: 1 of 4 elements differ; largest error 1 at c[1,0], relative 0.333 at c[1,0]\n"
            "  c[1,0]: got 2, expected 3");
  const std::string many = difference("i32[100]:iota:1", "i32[100]");
  EXPECT_EQ(std::count(many.begin(), many.end(), '\n'), 9);
  EXPECT_TRUE(many.ends_with("\n  c[7]: got 8, expected 0\n  and 92 more")) << many;
}

TEST(Compare, SaysHowNearItIs) {
  EXPECT_EQ(agreement("f32[4]:1,2,3,4", "f32[4]:1,2,3,4"), "c: equal (4 elements)");
  EXPECT_EQ(agreement("f32[1]:nan", "f32[1]:nan"), "c: equal (1 element)");
  // 1 + 2^-23, the neighbour of 1.
  EXPECT_EQ(
      agreement("f32[2]:1,1.00000012", "f32[2]:1,1", 1e-6),
      "c: within the tolerance (2 elements); largest error 1.19e-07 at c[1], relative 1.19e-07 at c[1], 1 ulp at c[1]");
  EXPECT_EQ(agreement("f16[2]:2048,1", "f16[2]:2052,1", 0.01),
            "c: within the tolerance (2 elements); largest error 4 at c[0], relative 0.00195 at c[0], 2 ulp at c[0]");
  EXPECT_EQ(agreement("i32[3]:10,20,30", "i32[3]:11,20,28", 0, 2),
            "c: within the tolerance (3 elements); largest error 2 at c[2], relative 0.0909 at c[0]");
  // Denormal numbers are as far apart as the smallest normal ones.
  EXPECT_EQ(agreement("f32[1]:3e-45", "f32[1]:0", 0, 1),
            "c: within the tolerance (1 element); largest error 2.8e-45 at c[0], 2 ulp at c[0]");
  EXPECT_TRUE(difference("f32[2]:nan,1", "f32[2]:0,inf", 1e9, 1e9)
                  .starts_with("c: 2 of 2 elements differ; largest error inf at c[0], inf ulp at c[0]\n"));
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
} // namespace crosslane::launch
