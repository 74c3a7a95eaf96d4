// Names of kernels. The symbols are g++'s, the readable names c++filt's.
#include "findings/names.h"
#include <gtest/gtest.h>

namespace crosslane::findings {
namespace {

// template <class C, class I, class O> void rp::detail::scan_kernel(C, I, O*), with arguments of templates in
// arguments.
constexpr const char* scan = "_ZN2rp6detail11scan_kernelINS0_3cfgINS2_IfLi1EEELi8EEEPKNS2_IdLi2EEENS_3BigEEEvT_T0_PT1_";

TEST(ReadableName, IsWhatTheSourceSays) {
  EXPECT_EQ(readable_name("_Z5scaleILi4EEvPf"), "void scale<4>(float*)");
  EXPECT_EQ(readable_name("_Z5scaleILi4EEvPf.kd"), "void scale<4>(float*)");
  EXPECT_EQ(readable_name("vadd"), "vadd");
  EXPECT_EQ(readable_name("__amd_rocclr_fillBufferAligned.kd"), "__amd_rocclr_fillBufferAligned");
  EXPECT_EQ(readable_name("_Z9broken"), "_Z9broken");
  EXPECT_EQ(readable_name(""), "");
}

TEST(ReadableName, OfOpenMpRegions) {
  EXPECT_EQ(readable_name("__omp_offloading_fd00_1a2b3c_main_l12"), "main, line 12 (omp target)");
  EXPECT_EQ(readable_name("__omp_offloading_801_8e0d_main_l7_2.kd"), "main, line 7, region 2 (omp target)");
  EXPECT_EQ(readable_name("__omp_offloading_801_8e0d__Z4loopPfi_l30"), "loop, line 30 (omp target)");
  EXPECT_EQ(readable_name("main._omp_fn.0"), "main, region 0 (omp target)");
  EXPECT_EQ(readable_name("_Z4loopPfi._omp_fn.1"), "loop, region 1 (omp target)");
  EXPECT_EQ(readable_name("__omp_offloading_strange"), "__omp_offloading_strange");
  EXPECT_EQ(readable_name("__omp_offloading_801_8e0d_main_lx"), "__omp_offloading_801_8e0d_main_lx");
}

TEST(FunctionParts, AreWhatTheNameIsMadeOf) {
  const auto parts = function_parts("_ZN2ns1AIiE5scaleILi4ELm2EEEvPfi");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->name, "ns::A<int>::scale<4, 2ul>");
  EXPECT_EQ(parts->of, "ns::A<int>::scale");
  EXPECT_EQ(parts->parameters, "(float*, int)");
  const auto hidden = function_parts("_ZN12_GLOBAL__N_11kEPFvfE"); // takes a pointer to a function
  ASSERT_TRUE(hidden);
  EXPECT_EQ(hidden->name, "(anonymous namespace)::k");
  EXPECT_EQ(hidden->parameters, "(void (*)(float))");
  for (const char* none : {"vadd", "", "_Z9broken", "_ZTI3Box", "__omp_offloading_801_8e0d__Z4loopPfi_l30"})
    EXPECT_FALSE(function_parts(none)) << none;
}

TEST(ShortNames, TellSymbolsApart) {
  const std::string long_one =
      "_ZN2rp6detail11scan_kernelINS0_3cfgINS2_IfLi1EEELi8EEEPKNS2_IdLi2EEENS_3BigEEEvT_T0_PT1_";
  const std::string other = "_ZN2rp6detail11scan_kernelINS0_3cfgINS2_IfLi1EEELi9EEEPKNS2_IdLi2EEENS_3BigEEEvT_T0_PT1_";
  const std::vector<std::string> names = short_names(
      std::vector<std::string>{"vadd", long_one, "_Z5scaleILi4EEvPf", other, long_one, "_Z3setPi", "_Z3setPf", ""});
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "vadd",
                "rp::detail::scan_kernel<rp::detail::cfg<rp::detail::cfg<float, 1>, 8>, rp::detail::cfg<double, 2> "
                "const*, rp::Big>",
                "scale<4>",
                "rp::detail::scan_kernel<rp::detail::cfg<rp::detail::cfg<float, 1>, 9>, rp::detail::cfg<double, 2> "
                "const*, rp::Big>",
                names[1], "set(int*)", "set(float*)", ""}));
}

TEST(ShortName, DropsResultAndParameters) {
  EXPECT_EQ(short_name("_Z5scaleILi4EEvPf"), "scale<4>");
  EXPECT_EQ(short_name("_Z4vaddPKfS0_Pfi.kd"), "vadd");
  EXPECT_EQ(short_name("vadd.kd"), "vadd");
  EXPECT_EQ(short_name("__omp_offloading_801_8e0d__Z4loopPfi_l30"), "loop, line 30 (omp target)");
}

TEST(ShortName, ShrinksTheInnerArgumentsOfTemplatesFirst) {
  EXPECT_EQ(short_name(scan, 200),
            "rp::detail::scan_kernel<rp::detail::cfg<rp::detail::cfg<float, 1>, 8>, rp::detail::cfg<double, 2> const*, "
            "rp::Big>");
  EXPECT_EQ(short_name(scan, 100),
            "rp::detail::scan_kernel<rp::detail::cfg<...>, rp::detail::cfg<...> const*, rp::Big>");
  EXPECT_EQ(short_name(scan), "rp::detail::scan_kernel<...>");
  EXPECT_EQ(short_name(scan, 19), "...scan_kernel<...>");
  EXPECT_EQ(short_name(std::string(70, 'a') + "_end", 10), "...aaa_end");
}

TEST(ShortName, KeepsTheBracketsOfOperators) {
  EXPECT_EQ(short_name("_ZlsIN2rp3BigEEbT_1V", 15), "operator<<<...>");
  EXPECT_EQ(short_name("_ZlsIN2rp6detail3cfgIiLi3EEEEbT_1V", 40), "operator<<<rp::detail::cfg<int, 3>>");
}

} // namespace
} // namespace crosslane::findings
