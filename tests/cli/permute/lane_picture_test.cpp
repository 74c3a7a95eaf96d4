// Patterns in words and as rows.
#include "cli/permute/lane_expression.h"
#include "cli/permute/lane_picture.h"
#include <gtest/gtest.h>

namespace crosslane::cli {
namespace {

std::string words(std::string_view expression, int lanes = 64) {
  return describe_lanes(llvm::cantFail(evaluate_lanes(expression, lanes)));
}

TEST(LanePicture, Words) {
  EXPECT_EQ(words("i"), "every lane keeps its own value");
  EXPECT_EQ(words("i < 5 ? any : i"), "every lane keeps its own value");
  EXPECT_EQ(words("37"), "every lane reads lane 37");
  EXPECT_EQ(words("zero"), "every lane becomes zero");
  EXPECT_EQ(words("any"), "every lane becomes zero");
  EXPECT_EQ(words("i ^ 3"), "within groups of 4: 3 2 1 0");
  EXPECT_EQ(words("[1,zero,any,0]"), "within groups of 4: 1 zero any 0");
  EXPECT_EQ(words("i ^ 33"), "lane i reads lane i ^ 33");
  EXPECT_EQ(words("63 - i"), "reversed: lane i reads lane n - 1 - i");
  EXPECT_EQ(words("i + 3 & 63"), "rotated: lane i reads lane (i + 3) mod 64");
  EXPECT_EQ(words("i - 3 & 63"), "rotated: lane i reads lane (i - 3) mod 64");
  EXPECT_EQ(words("rev(i, 6)"), "the low 6 bits of the lane's number reversed");
  EXPECT_EQ(words("i % 8 * 8 + i / 8"), "transposed: 8 rows of 8 become 8 rows of 8");
  EXPECT_EQ(words("i % 4 * 16 + i / 4"), "transposed: 4 rows of 16 become 16 rows of 4");
  EXPECT_EQ(words("i * 5 + 2 & 63"), "lane i reads lane (i * 5 + 2) mod 64");
  EXPECT_EQ(words("i == 0 ? zero : i - 1"), "lane 0 becomes zero; lanes 1-63 read 0 up to 62");
  EXPECT_EQ(words("i < 32 ? i : i < 40 ? 5 : 63 - i"),
            "lanes 0-31 stay; lanes 32-39 read 5; lanes 40-63 read 23 down to 0");
}

TEST(LanePicture, Rows) {
  EXPECT_EQ(lane_rows(llvm::cantFail(evaluate_lanes("i == 1 ? zero : i == 2 ? any : i ^ 8 * (i > 3)", 16)), "  "),
            "   0-15:  .  z  ?  . 12 13 14 15  0  1  2  3  4  5  6  7\n");
  EXPECT_EQ(lane_rows({1, 0}, ""), "0-1: 1 0\n");
}

} // namespace
} // namespace crosslane::cli
