// Reading whole files: how their names are shown. Messages and limits are asked of the verbs' own tests.
#include "files/read.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace crosslane::files {
namespace {

TEST(Read, PathsAreShownFromHere) {
  EXPECT_EQ(from_here(std::filesystem::current_path().string() + "/a/b.cl:3"), "a/b.cl:3");
  EXPECT_EQ(from_here("/elsewhere/b.cl:3"), "/elsewhere/b.cl:3");
}

} // namespace
} // namespace crosslane::files
