// What kernels have by ROCm's device libraries and HIP headers alone, or in two ways: functions of a workgroup,
// cooperative groups, printf(), assert(), and elementary functions against the host's.
#include "tests/cli/command.h"
#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace crosslane::cli::test {
namespace {

bool has_device_libraries() {
  return std::filesystem::exists("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ockl.bc") &&
         std::filesystem::exists("/usr/include/hip/hip_runtime.h");
}

// ROCm's, or libclc.
class DeviceLibraries : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { setenv("CROSSLANE_DEVICE_LIBS", GetParam(), 1); }
  void TearDown() override { unsetenv("CROSSLANE_DEVICE_LIBS"); }
};
INSTANTIATE_TEST_SUITE_P(Both, DeviceLibraries, testing::Values("", "none"),
                         [](const auto& info) { return *info.param ? "Libclc" : "Rocm"; });

class RocmLibraries : public testing::Test {
protected:
  void SetUp() override {
    if (!has_device_libraries())
      GTEST_SKIP() << "rocm-device-libs and libamdhip64-dev are not installed";
  }
};

TEST_F(RocmLibraries, CollectivesOfAWorkgroup) {
  const Folder folder;
  // Workgroups of 150 and, last, of 50; sums of floats in whatever order.
  for (const char* target : {"gfx803", "gfx900", "gfx906"}) {
    const Result result = crosslane({"launch", input("collectives.cl"), "--target", target, "--grid", "350", "--block",
                                     "150", "i32[350,8]", "f32[350]:iota:1:0.25", "f32[350]", "--out",
                                     "out=" + (folder / "o.npy"), "--out", "sums=" + (folder / "s.npy")});
    ASSERT_EQ(result.status, 0) << result.err;
    const Buffer out = read_npy(folder / "o.npy"), sums = read_npy(folder / "s.npy");
    const auto value = [](int i) { return i * 7919 % 101 - 50; };
    for (int i = 0; i < 350; ++i) {
      const int begin = i / 150 * 150, end = std::min(begin + 150, 350);
      int sum = 0, least = INT_MAX, most = INT_MIN, scan = 0, scan_most = INT_MIN, any = 0;
      double float_sum = 0;
      for (int k = begin; k < end; ++k) {
        sum += value(k), least = std::min(least, value(k)), most = std::max(most, value(k));
        any |= value(k) == 50;
        if (k <= i)
          scan += value(k), scan_most = std::max(scan_most, value(k)), float_sum += 1 + 0.25 * k;
      }
      const int expected[8] = {sum, least, most, scan, scan - value(i), scan_most, value(begin + 3), any * 2 + 1};
      for (int f = 0; f < 8; ++f)
        ASSERT_EQ(at<int>(out, static_cast<size_t>(i * 8 + f)), expected[f])
            << target << ": function " << f << " at " << i;
      ASSERT_NEAR(at<float>(sums, static_cast<size_t>(i)), float_sum, 1e-6 * float_sum) << target << " at " << i;
    }
  }
}

TEST_F(RocmLibraries, CooperativeGroups) {
  const Folder folder;
  const Result result = crosslane({"launch", input("groups.hip"), "--kernel", "groups", "--grid", "512", "--block",
                                   "256", "i32[512]:iota:3", "i32[512,2]", "--out", "out=" + (folder / "o.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Buffer out = read_npy(folder / "o.npy");
  for (int i = 0; i < 512; ++i) {
    const auto sum = [i](int of) { return of * (3 + i / of * of) + of * (of - 1) / 2; };
    ASSERT_EQ(at<int>(out, static_cast<size_t>(2 * i)), sum(256)) << i;
    ASSERT_EQ(at<int>(out, static_cast<size_t>(2 * i + 1)), sum(16)) << i;
  }
}

TEST_F(RocmLibraries, TheWholeGridMeets) {
  const Folder folder;
  for (const char* groups : {"1", "5", "24"}) {
    const int items = std::atoi(groups) * 128;
    const Result result =
        crosslane({"launch", input("groups.hip"), "--kernel", "grid", "--groups", groups, "--block", "128", "--runs",
                   "2", "i32[1]", "i32[" + std::to_string(3 * items) + "]", "--out", "seen=" + (folder / "o.npy")});
    ASSERT_EQ(result.status, 0) << groups << ": " << result.err;
    const Buffer seen = read_npy(folder / "o.npy");
    for (int i = 0; i < 3 * items; ++i)
      ASSERT_EQ(at<int>(seen, static_cast<size_t>(i)), (i % 3 + 1) * items) << groups << ": " << i;
  }
}

TEST_P(DeviceLibraries, OpenClPrints) {
  Result result;
  for (const std::string level : {"-O0", "-O1", "-O3"}) {
    result = crosslane(
        {"launch", input("prints.cl"), "--kernel", "prints", "--grid", "64", "i32[64]:42", "--clang=" + level});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "   42|42   |00042|ff|3.142|1.234568e+04|z|   ab|four|-5|1,-2,3,-4|7,-8|%|a:b\n") << level;
  }
  // Before what the launch itself prints; once more in each run.
  result = crosslane({"launch", input("prints.cl"), "--kernel", "rows", "--target", "gfx803", "--grid", "120",
                      "--block", "60", "i32[120]:iota", "--runs", "2", "--threads", "1", "--print", "in:2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "item 0 has 0\nitem 50 has 50\nitem 100 has 100\nitem 0 has 0\nitem 50 has 50\nitem 100 has 100\n"
            "in = i32[120]\n  0 1 ...\n");
}

TEST_P(DeviceLibraries, MorePrintedThanThereIsRoom) {
  Result result = crosslane({"launch", input("prints.cl"), "--kernel", "many", "--grid", "64", "100"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 6400);
  EXPECT_EQ(result.err, "");
  result = crosslane({"launch", input("prints.cl"), "--kernel", "many", "--grid", "64", "10000"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_HAS(result.err, "prints more than the 4 MiB that a run has room for");
  EXPECT_GT(std::ranges::count(result.out, '\n'), 500'000);
}

TEST_P(DeviceLibraries, HipPrints) {
  const Result result =
      crosslane({"launch", input("prints.hip"), "--kernel", "prints", "--grid", "64", "i32[64]:iota:5"});
  EXPECT_EQ(result.status, 0) << result.err;
  // Records of one wavefront are in no particular order.
  for (const char* line : {"0: zero  2.50 5497558138880 a ff\n", "1: one  3.00 6597069766656 b ff\n",
                           "2: a name of more than eight characters  3.50 7696581394432 c ff\n"})
    EXPECT_HAS(result.out, line);
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 3);
}

TEST_P(DeviceLibraries, HipAsserts) {
  const std::vector<std::string> command = {"launch", input("prints.hip"), "--kernel", "asserts", "--grid",
                                            "64",     "i32[64]:iota"};
  const auto with_limit = [&](const char* limit) {
    auto words = command;
    words.emplace_back(limit);
    return crosslane(words);
  };
  Result result = with_limit("64");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  result = with_limit("63");
  EXPECT_NE(result.status, 0);
  EXPECT_HAS(
      result.out,
      "prints.hip:12: void asserts(const int *, int): Device-side assertion `in[threadIdx.x] < limit' failed.\n");
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 1);
  EXPECT_HAS(result.err, "fault: trap");
}

double steps(float a, double b) {
  return std::abs(a - b) / std::max(std::ldexp(1.0, -149), std::ldexp(1.0, std::ilogb(b) - 23));
}
double steps(double a, double b) { return std::abs(a - b) / std::ldexp(1.0, std::ilogb(b) - 52); }

// OpenCL C 2.0, section 7.4: how many units in the last place each may be off.
TEST_P(DeviceLibraries, ElementaryFunctions) {
  const Folder folder;
  const Result result = crosslane({"launch", input("elementary.cl"), "--grid", "200", "f32[200]:iota:0.125:0.0625",
                                   "f64[200]:iota:0.125:0.0625", "f32[200,12]", "f64[200,12]", "--out",
                                   "f=" + (folder / "f.npy"), "--out", "g=" + (folder / "g.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Buffer f = read_npy(folder / "f.npy"), g = read_npy(folder / "g.npy");
  // libclc's tgamma() keeps no bound.
  const double tgamma = std::string(GetParam()) == "none" ? 64 : 16;
  const double bounds[12] = {4, 4, 5, 3, 3, 16, 6, 2, tgamma, 16, 0, 4};
  for (size_t i = 0; i < 200; ++i) {
    const double x = 0.125 + 0.0625 * static_cast<double>(i);
    const auto expected = [x](double modulus) {
      return std::array<double, 12>{std::sin(x),    std::cos(x),       std::tan(x),           std::exp(x),
                                    std::log(x),    std::pow(x, 1.25), std::atan2(x, 2.0),    std::cbrt(x),
                                    std::tgamma(x), std::erf(x),       std::fmod(x, modulus), std::hypot(x, 3.0)};
    };
    const auto single = expected(0.7f), twofold = expected(0.7);
    for (size_t k = 0; k < 12; ++k) {
      EXPECT_LE(steps(at<float>(f, i * 12 + k), single[k]), bounds[k] + 1) << "float function " << k << " of " << x;
      // Half a unit is the host's own.
      EXPECT_LE(steps(at<double>(g, i * 12 + k), twofold[k]), bounds[k] + 1) << "double function " << k << " of " << x;
    }
  }
}

} // namespace
} // namespace crosslane::cli::test
