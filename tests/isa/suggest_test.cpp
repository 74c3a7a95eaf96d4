// What mistyped names were meant to be.
#include "isa/suggest.h"
#include <gtest/gtest.h>

namespace crosslane::isa {
namespace {

constexpr std::string_view verbs[] = {"launch", "disasm", "asm", "isa", "permute", "run", "env"};

TEST(Suggest, TheNearestOne) {
  EXPECT_EQ(nearest("lunch", verbs), "launch");
  EXPECT_EQ(nearest("LAUNHC", verbs), "launch");
  EXPECT_EQ(nearest("dissasm", verbs), "disasm");
  EXPECT_EQ(nearest("launch", verbs), "launch");
  // The first of those that are as near.
  constexpr std::string_view cards[] = {"vega10", "vega12", "vega20"};
  EXPECT_EQ(nearest("vega1", cards), "vega10");
}

TEST(Suggest, NothingRatherThanAnything) {
  EXPECT_EQ(nearest("whatever", verbs), "");
  EXPECT_EQ(nearest("", verbs), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(nearest(std::string(100'000, 'a'), verbs), "");
}

TEST(Suggest, AsTheEndOfAMessage) {
  EXPECT_EQ(did_you_mean("lunch", verbs), "; did you mean launch?");
  EXPECT_EQ(did_you_mean("whatever", verbs), "");
  EXPECT_EQ(did_you_mean("whatever", verbs, "."), ".");
}

} // namespace
} // namespace crosslane::isa
