// Patterns as a shell has them; what they match by fnmatch(3).
#include "isa/pattern.h"
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace crosslane::isa {
namespace {

TEST(Pattern, MatchesWhatFnmatchDoes) {
  std::mt19937 random(1);
  int matched = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string pattern, name;
    for (unsigned n = random() % 8; n-- > 0;)
      pattern += "ab_*?*"[random() % 6];
    for (unsigned n = random() % 10; n-- > 0;)
      name += "ab_"[random() % 3];
    const bool expected = fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    matched += expected;
    ASSERT_EQ(matches(pattern, name), expected) << pattern << " " << name;
  }
  EXPECT_GT(matched, 10'000);
}

TEST(Pattern, ManyStarsTakeNoTime) {
  const std::string stars(1000, '*'), letters(1000, 'a');
  EXPECT_FALSE(matches(stars + "x", letters));
  EXPECT_TRUE(matches(stars, letters));
  std::string alternating;
  for (int i = 0; i < 500; ++i)
    alternating += "*a";
  EXPECT_FALSE(matches(alternating + "x", letters));
  EXPECT_TRUE(matches(alternating, letters));
}

} // namespace
} // namespace crosslane::isa
