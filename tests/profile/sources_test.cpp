// Source files by the names that line tables have for them.
#include "profile/sources.h"
#include <gtest/gtest.h>

namespace crosslane::profile {
namespace {

TEST(ProfileSources, HeadersOfTheToolchain) {
  for (const char* path :
       {"/usr/include/hip/amd_detail/amd_hip_atomic.h", "/usr/lib/llvm-19/lib/clang/19/include/__clang_hip_math.h",
        "/opt/rocm-6.2.0/include/hip/hip_runtime.h", "/src/llvm/lib/clang/19/include/x.h",
        "/usr/local/../include/x.h"})
    EXPECT_TRUE(is_toolchain(path)) << path;
  for (const char* path : {"/src/include/x.h", "x.hip", "/usr/src/a.hip", "/usr/local/src/a.hip", "/opt/own/x.h"})
    EXPECT_FALSE(is_toolchain(path)) << path;
}

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
