// Source files by the names that line tables have for them.
#include "profile/sources.h"
#include <gtest/gtest.h>

namespace crosslane::profile {
namespace {

TEST(ProfileSources, Languages) {
  EXPECT_EQ(language_of("/src/x.hip"), "hip");
  EXPECT_EQ(language_of("x.cl"), "opencl");
  EXPECT_EQ(language_of("a.b/x.s"), "assembly");
  EXPECT_EQ(language_of("x.f90"), "fortran");
  EXPECT_EQ(language_of("x.cpp"), "c++");
  EXPECT_EQ(language_of("x.c"), "c");
  EXPECT_EQ(language_of("hip.d/x"), "");
}

} // namespace
} // namespace crosslane::profile
