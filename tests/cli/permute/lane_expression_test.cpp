// Lane expressions: the same functions in C++, and every way to get one wrong.
#include "cli/permute/lane_expression.h"
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::cli {
namespace {

std::vector<int> lanes_of(std::string_view text, int n = 64) {
  auto from = evaluate_lanes(text, n);
  if (!from) {
    ADD_FAILURE() << text << ": " << llvm::toString(from.takeError());
    return {};
  }
  return *from;
}

std::string error_of(std::string_view text, int n = 64) {
  auto from = evaluate_lanes(text, n);
  return from ? "no error" : llvm::toString(from.takeError());
}

template <class F> void same(std::string_view text, F expected, int n = 64) {
  const auto from = lanes_of(text, n);
  ASSERT_EQ(from.size(), size_t(n)) << text;
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(from[size_t(i)], expected(i)) << text << ", lane " << i;
}

int reverse(int value, int bits) {
  std::string text;
  for (int b = 0; b < bits; ++b)
    text += value >> b & 1 ? '1' : '0';
  return int(std::strtol(text.c_str(), nullptr, 2)) | (value >> bits << bits);
}

TEST(LaneExpression, OperatorsAsInC) {
  same("i ^ 1", [](int i) { return i ^ 1; });
  same("i < 16 ? 15 - i : i", [](int i) { return i < 16 ? 15 - i : i; });
  same("i + 3 & n - 1", [](int i) { return (i + 3) & 63; });
  same("(i * 5 + 2) % 64", [](int i) { return (i * 5 + 2) % 64; });
  same("i | 1 ^ 3 & i", [](int i) { return i | (1 ^ (3 & i)); });
  same("i << 1 >> 2", [](int i) { return i << 1 >> 2; });
  same("i - i % 4 + ((i % 4) + 1) % 4", [](int i) { return i - i % 4 + (i + 1) % 4; });
  same("i == 3 || i > 8 && i <= 12", [](int i) { return int(i == 3 || (i > 8 && i <= 12)); });
  same("i != 3 == 1", [](int i) { return int((i != 3) == 1); });
  same("!i + !!i + (~i & 1)", [](int i) { return 1 + (~i & 1); });
  same("- -i", [](int i) { return i; });
  same("-(-7 / 2) + -7 % 2 + 1", [](int) { return 3 - 1 + 1; });
  same("i >= 32 ? i < 48 ? 1 : 2 : 3", [](int i) { return i >= 32 ? i < 48 ? 1 : 2 : 3; });
  same("i < 32 ? 1 : i < 48 ? 2 : 3", [](int i) { return i < 32 ? 1 : i < 48 ? 2 : 3; });
}

TEST(LaneExpression, NumbersNamesAndFunctions) {
  same("0x1F & 0b11 + i * 0", [](int) { return 3; });
  same("min(i + 1, n - 1)", [](int i) { return std::min(i + 1, 63); });
  same("max(i - 1, 0, 5)", [](int i) { return std::max({i - 1, 0, 5}); });
  same("abs(i - 32)", [](int i) { return std::abs(i - 32); });
  same("popcount(i)", [](int i) { return std::popcount(unsigned(i)); });
  same("rev(i, 6)", [](int i) { return reverse(i, 6); });
  same("rev(i, 3)", [](int i) { return reverse(i, 3); });
  same("n - 1 - i", [](int i) { return 15 - i; }, 16);
}

TEST(LaneExpression, ZeroAndAny) {
  same("i == 0 ? zero : i - 1", [](int i) { return i == 0 ? lane_zero : i - 1; });
  same("i < n / 2 ? any : zero", [](int i) { return i < 32 ? lane_any : lane_zero; });
  same("zero", [](int) { return lane_zero; });
}

TEST(LaneExpression, OnlyWhatIsNeededIsEvaluated) {
  same("i == 5 ? 0 : 60 / (i - 5) & 1", [](int i) { return i == 5 ? 0 : (60 / (i - 5)) & 1; });
  same("i != 5 && 60 / (i - 5) > 3", [](int i) { return int(i != 5 && 60 / (i - 5) > 3); });
  same("i == 5 || 60 / (i - 5) > 3", [](int i) { return int(i == 5 || 60 / (i - 5) > 3); });
}

TEST(LaneExpression, Lists) {
  const int quad[] = {1, 0, 3, 2};
  same("[1,0,3,2]", [&](int i) { return i / 4 * 4 + quad[i % 4]; });
  same(" [ 1 , zero, any, n - 1 ] ", [](int i) {
    const int k = i % 4;
    return k == 1 ? lane_zero : k == 2 ? lane_any : i / 4 * 4 + (k == 0 ? 1 : 3);
  });
  same("[7 - i, 7 - i, 7 - i, 7 - i, i, i, i, i]", [](int i) { return i % 8 < 4 ? i / 8 * 8 + 7 - i % 8 : i; });
}

TEST(LaneExpression, MistakesPointAtTheirPlace) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"i +", "expected a number, a name or '(', not the end\n  i +\n     ^"},
      {"", "expected a number, a name or '(', not the end\n  \n  ^"},
      {"i ^ ", "not the end\n  i ^ \n      ^"},
      {"i $ 1", "'$' is not expected here\n  i $ 1\n    ^"},
      {"i = 1", "'=' is not expected here; == compares\n  i = 1\n    ^"},
      {"(i + 1", "expected ')', not the end\n  (i + 1\n        ^"},
      {"i ? 1", "expected ':' of the '?', not the end\n  i ? 1\n       ^"},
      {"i 1", "'1' is not expected here\n  i 1\n    ^"},
      {"lane ^ 1", "there is no 'lane'; did you mean i?\n  lane ^ 1\n  ^"},
      {"1 + zerro", "there is no 'zerro'; did you mean zero?\n  1 + zerro\n      ^"},
      {"popcnt(i)", "did you mean popcount(x)?\n  popcnt(i)\n  ^"},
      {"min(i)", "min takes 2 or more arguments, not 1: min(a, b, ...)\n  min(i)\n  ^"},
      {"rev + i", "rev is a function: write rev(x, number of bits)\n  rev + i\n  ^"},
      {"abs(i / (i - 5))", "lane 5: divides by zero\n  abs(i / (i - 5))\n        ^"},
      {"1 + i % 0", "lane 0: takes a remainder by zero\n  1 + i % 0\n        ^"},
      {"i == 7 ? 99 : i",
       "lane 7: reads lane 99, but the lanes are 0 to 63; '& (n - 1)' wraps around, 'zero' and 'any' need no "
       "lane\n  i == 7 ? 99 : i\n           ^"},
      {"i - 1", "lane 0: reads lane -1, but"},
      {"zero + 1", "lane 0: 'zero' says what a whole lane becomes; it is no number to compute with\n  zero + 1\n  ^"},
      {"i << 64", "lane 0: shifts by 64; 0 to 63 are possible\n  i << 64\n    ^"},
      {"9223372036854775807 + i & 1",
       "lane 1: + leaves 64 bits\n  9223372036854775807 + i & 1\n                      ^"},
      {"(i - 2) << 63", "lane 0: << leaves 64 bits"},
      {"9223372036854775808", "this number does not fit into 64 bits\n  9223372036854775808\n  ^"},
      {"010", "'010': a number that begins with 0 would be octal in C; leave out the 0"},
      {"0x", "'0x' has no digits"},
      {"0b12", "'2' is no digit of a binary number\n  0b12\n     ^"},
      {"12a", "'a' is no digit of a decimal number\n  12a\n    ^"},
      {"[1,0,3]", "a list of 3 lanes does not divide 64 lanes\n  [1,0,3]\n  ^"},
      {"[1,0,3,4]", "lane 3: reads lane 4, but the lanes are 0 to 3"},
      {"[1,0", "expected ',' or ']', not the end\n  [1,0\n      ^"},
      {"i\n+ $", "expected a number, a name or '(', not '$'\n  i + $\n      ^"},
  };
  for (const auto& [text, message] : mistakes) {
    const std::string got = error_of(text);
    EXPECT_NE(got.find(message), std::string::npos) << text << ": got\n" << got << "\nexpected\n" << message;
  }
}

// Whatever is typed, there is an answer or an error with a caret; lanes are lanes.
TEST(LaneExpression, RandomTokens) {
  const char* const tokens[] = {"i",
                                "n",
                                "zero",
                                "any",
                                "min(",
                                "max(",
                                "abs(",
                                "popcount(",
                                "rev(",
                                "(",
                                ")",
                                "[",
                                "]",
                                ",",
                                "?",
                                ":",
                                "+",
                                "-",
                                "*",
                                "/",
                                "%",
                                "<<",
                                ">>",
                                "<",
                                "<=",
                                "==",
                                "!=",
                                "&",
                                "&&",
                                "|",
                                "||",
                                "^",
                                "~",
                                "!",
                                "0",
                                "1",
                                "63",
                                "0x1f",
                                "0b11",
                                " ",
                                "x",
                                "\xff",
                                "9223372036854775807"};
  std::mt19937 random(3);
  int answers = 0;
  for (int k = 0; k < 200000; ++k) {
    std::string text;
    for (unsigned length = random() % 12; text.size() < 60 && length > 0; --length)
      text += tokens[random() % std::size(tokens)];
    auto from = evaluate_lanes(text, 16);
    if (!from) {
      const std::string message = llvm::toString(from.takeError());
      ASSERT_TRUE(message.ends_with("^")) << text << ": " << message;
      continue;
    }
    ++answers;
    for (const int lane : *from)
      ASSERT_TRUE(lane >= lane_any && lane < 16) << text;
  }
  EXPECT_GT(answers, 100);
}

TEST(LaneExpression, DepthAndLengthHaveLimits) {
  EXPECT_NE(error_of(std::string(5000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(5000, '-')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(20000, '1')).find("too long"), std::string::npos);
  std::string sum = "i";
  for (int k = 0; k < 4000; ++k)
    sum += "+0";
  same(sum, [](int i) { return i; });
}

} // namespace
} // namespace crosslane::cli
