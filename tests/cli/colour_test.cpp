// When text is coloured. Standard output of a test is no terminal; tests/cli/check_help.py has one.
#include "cli/colour.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <unistd.h>

namespace crosslane::cli {
namespace {

class Colour : public testing::Test {
protected:
  int pipe_[2];
  void SetUp() override {
    ASSERT_EQ(pipe(pipe_), 0);
    unsetenv("NO_COLOR"), unsetenv("CLICOLOR_FORCE");
  }
  void TearDown() override {
    choose_colour("auto");
    close(pipe_[0]), close(pipe_[1]);
    unsetenv("NO_COLOR"), unsetenv("CLICOLOR_FORCE");
  }
  bool coloured() const { return is_coloured(pipe_[1]); }
};

TEST_F(Colour, GoesIntoNoPipeUnlessItIsAskedFor) {
  EXPECT_FALSE(coloured());
  choose_colour("always");
  EXPECT_TRUE(coloured());
  EXPECT_STREQ(palette(pipe_[1]).heading, "\x1b[1m");
  choose_colour("never");
  EXPECT_FALSE(coloured());
  EXPECT_STREQ(palette(pipe_[1]).error, "");
}

TEST_F(Colour, HeedsTheEnvironmentUnlessTheCommandLineSaysOtherwise) {
  setenv("CLICOLOR_FORCE", "0", 1);
  EXPECT_FALSE(coloured());
  setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(coloured());
  setenv("NO_COLOR", "", 1); // no-color.org: "when present and not an empty string"
  EXPECT_TRUE(coloured());
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(coloured());
  choose_colour("always");
  EXPECT_TRUE(coloured());
}

TEST_F(Colour, OfHeadingsIsThatOfLinesAtTheMargin) {
  const Palette palette{.heading = "<", .end = ">"};
  EXPECT_EQ(with_headings("; comment\n\nkernel k\n  a row\nbranches", palette),
            "; comment\n\n<kernel k>\n  a row\n<branches>");
  EXPECT_EQ(with_headings("a\n b\n", {}), "a\n b\n");
}

} // namespace
} // namespace crosslane::cli
