// The functions that OpenCL C and HIP have in a launch, ROCm's and crosslane's own, against what their definitions say,
// in plain C++.
#include "tests/cli/command.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace crosslane::cli::test {
namespace {

// With ROCm's device libraries, where they are installed, and without.
class Prelude : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override { setenv("CROSSLANE_DEVICE_LIBS", GetParam(), 1); }
  void TearDown() override { unsetenv("CROSSLANE_DEVICE_LIBS"); }
};
INSTANTIATE_TEST_SUITE_P(Libraries, Prelude, testing::Values("", "none"),
                         [](const auto& info) { return *info.param ? "Libclc" : "Rocm"; });

TEST_P(Prelude, WorkItemFunctionsInAnUnevenGrid) {
  const Folder folder;
  static constexpr uint64_t grid[3] = {70, 5, 3}, block[3] = {32, 2, 2}, offset[3] = {1000, 20, 5000000000};
  for (const char* target : {"gfx803", "gfx900"}) {
    const Result result =
        crosslane({"launch", input("work_items.cl"), "--target", target, "--grid", "70,5,3", "--block", "32,2,2",
                   "--offset", "1000,20,5000000000", "u64[25200]", "--out", "out=" + (folder / "o.npy")});
    ASSERT_EQ(result.status, 0) << result.err;
    const Buffer out = read_npy(folder / "o.npy");
    for (uint64_t z = 0, at_item = 0; z < grid[2]; ++z)
      for (uint64_t y = 0; y < grid[1]; ++y)
        for (uint64_t x = 0; x < grid[0]; ++x, ++at_item) {
          const uint64_t item[3] = {x, y, z};
          uint64_t local[3], size[3];
          for (int d = 0; d < 3; ++d) {
            local[d] = item[d] % block[d];
            size[d] = std::min(block[d], grid[d] - item[d] / block[d] * block[d]);
            const uint64_t expected[7] = {item[d] + offset[d],
                                          local[d],
                                          item[d] / block[d],
                                          grid[d],
                                          size[d],
                                          (grid[d] + block[d] - 1) / block[d],
                                          block[d]};
            for (size_t f = 0; f < 7; ++f)
              ASSERT_EQ(at<uint64_t>(out, at_item * 24 + static_cast<size_t>(d) * 7 + f), expected[f])
                  << "function " << f << " of dimension " << d << " at " << x << "," << y << "," << z;
          }
          ASSERT_EQ(at<uint64_t>(out, at_item * 24 + 21), 3u);
          ASSERT_EQ(at<uint64_t>(out, at_item * 24 + 22), at_item);
          ASSERT_EQ(at<uint64_t>(out, at_item * 24 + 23), (local[2] * size[1] + local[1]) * size[0] + local[0]);
        }
  }
}

TEST_P(Prelude, NativeFunctions) {
  const Folder folder;
  const Result result = crosslane({"launch", input("math.cl"), "--kernel", "native", "--grid", "100",
                                   "f32[100]:iota:0.25:0.1", "f32[100,12]", "--out", "out=" + (folder / "o.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Buffer out = read_npy(folder / "o.npy");
  for (size_t i = 0; i < 100; ++i) {
    const double x = static_cast<float>(0.25 + 0.1 * static_cast<double>(i));
    const double expected[12] = {std::sqrt(x),      1 / std::sqrt(x), 1 / x,         std::exp(x),
                                 std::log(x),       std::sin(x),      std::cos(x),   1.5 / x,
                                 std::pow(x, 1.25), std::exp2(x),     std::log10(x), std::tan(x)};
    for (size_t f = 0; f < 12; ++f) {
      // sin, cos and what divides by cos lose absolute accuracy with the size of x; all else is relative.
      const double tolerance = f == 11            ? 2e-4 * (1 + expected[f] * expected[f])
                               : f == 5 || f == 6 ? 4e-6
                                                  : 4e-6 * (1 + std::abs(expected[f]));
      EXPECT_NEAR(at<float>(out, i * 12 + f), expected[f], tolerance) << "function " << f << " of " << x;
    }
  }
}

TEST_P(Prelude, ResultsThroughGenericPointers) {
  const Folder folder;
  const Result result = crosslane({"launch", input("math.cl"), "--kernel", "pointers", "--grid", "64",
                                   "f32[64]:iota:-5:0.37", "f32[64,6]", "--out", "out=" + (folder / "o.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Buffer out = read_npy(folder / "o.npy");
  for (size_t i = 0; i < 64; ++i) {
    const auto x = static_cast<float>(-5 + 0.37 * static_cast<double>(i));
    float whole;
    int e;
    const float part = std::modf(x, &whole), mantissa = std::frexp(x, &e);
    EXPECT_EQ(at<float>(out, i * 6 + 0), part);
    EXPECT_EQ(at<float>(out, i * 6 + 1), whole);
    EXPECT_EQ(at<float>(out, i * 6 + 2), mantissa);
    EXPECT_EQ(at<float>(out, i * 6 + 3), static_cast<float>(e));
    EXPECT_NEAR(at<float>(out, i * 6 + 4), std::sin(x), 1e-6);
    EXPECT_NEAR(at<float>(out, i * 6 + 5), std::cos(x), 1e-6);
  }
}

TEST_P(Prelude, VectorLoadsHalvesAndAtomics) {
  Result result = crosslane({"launch", input("math.cl"), "--kernel", "loads", "--grid", "4", "i32[12]:iota", "i32[12]",
                             "f16[4]:1,2.5,-3,0.125", "--print", "out", "--print", "halves"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "out = i32[12]\n  1 2 3 4 5 6 7 8 9 10 11 12\nhalves = f16[4]\n  2 5 -6 0.25\n");
  result =
      crosslane({"launch", input("math.cl"), "--kernel", "atomics", "--grid", "1000", "i32[4]", "--print", "counters"});
  EXPECT_EQ(result.status, 0) << result.err;
  int xored = 0;
  for (int i = 0; i < 1000; ++i)
    xored ^= i;
  EXPECT_EQ(result.out, "counters = i32[4]\n  1000 999 " + std::to_string(xored) + " 2000\n");
}

TEST_P(Prelude, Subgroups) {
  const Folder folder;
  // Workgroups of 150 and, last, of 50: subgroups of 64, 64, 22 and of 50.
  const Result result = crosslane({"launch", input("subgroups.cl"), "--grid", "350", "--block", "150", "i32[350,8]",
                                   "--out", "out=" + (folder / "o.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Buffer out = read_npy(folder / "o.npy");
  const auto value = [](int i) { return i * 7919 % 101 - 50; };
  for (int i = 0; i < 350; ++i) {
    const int group = i / 150 * 150, local = i - group, begin = group + local / 64 * 64;
    const int end = std::min({begin + 64, group + 150, 350});
    int sum = 0, largest = -1000, before = 0, any = 0;
    for (int k = begin; k < end; ++k) {
      sum += value(k);
      any |= value(k) == 50;
      if (k <= i)
        largest = std::max(largest, value(k));
      if (k < i)
        before += value(k);
    }
    const int expected[8] = {local % 64, local / 64, end - begin, sum, largest, before, value(begin + 3), any * 2 + 1};
    for (int f = 0; f < 8; ++f)
      EXPECT_EQ(at<int>(out, static_cast<size_t>(i * 8 + f)), expected[f]) << "function " << f << " at " << i;
  }
}

TEST_P(Prelude, PointersOfAnyAddressSpace) {
  const Folder folder;
  for (const char* target : {"gfx803", "gfx900"}) {
    const Result result =
        crosslane({"launch", input("pointers.cl"), "--kernel", "pointers", "--target", target, "--grid", "8",
                   "f64[64]:iota:1:0.001220703125", "f32[128]", "u16[64]", "u8[32]:iota", "--out",
                   "out=" + (folder / "o.npy"), "--out", "halves=" + (folder / "h.npy")});
    ASSERT_EQ(result.status, 0) << result.err;
    const Buffer out = read_npy(folder / "o.npy"), halves = read_npy(folder / "h.npy");
    for (size_t i = 0; i < 8; ++i) {
      const auto above_one = [&](size_t k) { return static_cast<double>(8 * i + k) * 0.001220703125; }; // of element k
      for (size_t k = 0; k < 8; ++k)
        EXPECT_EQ(at<float>(out, 16 * i + k), above_one(k));
      // An f16 from 1 to 2 counts steps of 1/1024.
      for (size_t k = 0; k < 4; ++k)
        EXPECT_EQ(at<uint16_t>(halves, 8 * i + k), 0x3c00 + std::ceil(above_one(k) * 1024));
      for (size_t k = 0; k < 3; ++k)
        EXPECT_EQ(at<uint16_t>(halves, 8 * i + 4 + k), 0x3c00 + std::floor(above_one(k) * 1024));
      EXPECT_EQ(at<float>(out, 16 * i + 9), 1 + std::floor(above_one(2) * 1024) / 1024);
      EXPECT_EQ(at<float>(out, 16 * i + 8), 1);
      EXPECT_EQ(at<float>(out, 16 * i + 10), 9);
      EXPECT_EQ(at<float>(out, 16 * i + 11), 0); // all these bytes are odd
      EXPECT_EQ(at<float>(out, 16 * i + 12), 2 * static_cast<float>(i) + 3);
      EXPECT_EQ(at<float>(out, 16 * i + 13), i > 0); // all but -1 - (INT_MIN + 1)
      EXPECT_EQ(at<float>(out, 16 * i + 14), 1);
      EXPECT_EQ(at<float>(out, 16 * i + 15), 1);
    }
  }
}

TEST_P(Prelude, EveryVersionOfOpenClC) {
  for (const char* version : {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"}) {
    const Result result =
        crosslane({"launch", input("barrier.cl"), "--grid", "128", "--block", "64",
                   "--clang=-cl-std=" + std::string(version), "i32[128]", "i32[64]", "--print", "out:2"});
    EXPECT_EQ(result.status, 0) << version << ": " << result.err;
    EXPECT_HAS(result.out, "63 62") << version;
  }
}

TEST_P(Prelude, HipMath) {
  const Folder folder;
  const Result result = crosslane({"launch", input("device.hip"), "--kernel", "math", "--grid", "64",
                                   "f64[64]:iota:0.1:0.3", "f64[64,4]", "--out", "out=" + (folder / "o.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  const Buffer out = read_npy(folder / "o.npy");
  for (size_t i = 0; i < 64; ++i) {
    const double x = 0.1 + 0.3 * static_cast<double>(i);
    EXPECT_NEAR(at<double>(out, 4 * i), std::sin(x), 1e-14);
    EXPECT_NEAR(at<double>(out, 4 * i + 1), std::pow(x, 1.5), 1e-5 * std::pow(x, 1.5));
    EXPECT_NEAR(at<double>(out, 4 * i + 2), std::exp(x) + x, 1e-13 * std::exp(x) + 1e-14);
    EXPECT_NEAR(at<double>(out, 4 * i + 3), 1 / std::sqrt(x) + std::max(1.0, x), 1e-5);
  }
}

TEST_P(Prelude, HipAtomicsThatWrap) {
  const Result result = crosslane({"launch", input("device.hip"), "--kernel", "wraps", "--grid", "64", "rings=u32[2]",
                                   "seen=u32[64]", "--print", "rings", "--print", "seen:4"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "rings = u32[2]\n  4 0\nseen = u32[64]\n  0 701 602 503 ...\n");
}

// Of lane i: 0x1000 + 17 * i as its value; as its address a permutation of the lanes, with bits that do not count.
constexpr int lane_value(int i) { return 0x1000 + 17 * i; }
constexpr int lane_target(int i) { return (i * 5 + 3) % 64; }
constexpr int lane_address(int i) { return lane_target(i) * 4 + i % 4 + (i % 3) * 256; }
constexpr float lane_number(int i) { return static_cast<float>(i - 20) * 0.5f; }

// A launch of the kernel in cross_lane.hip with these, and its `rows` of 64 results.
Buffer cross_lane_rows(const Folder& folder, const std::string& kernel, int rows, const char* target) {
  std::string values = "value=i32[64]:", addresses = "address=i32[64]:", numbers = "number=f32[64]:";
  for (int i = 0; i < 64; ++i) {
    const std::string comma = i ? "," : "";
    values += comma + std::to_string(lane_value(i));
    addresses += comma + std::to_string(lane_address(i));
    numbers += comma + std::to_string(lane_number(i));
  }
  std::vector<std::string> words = {"launch",
                                    input("cross_lane.hip"),
                                    "--kernel",
                                    kernel,
                                    "--target",
                                    target,
                                    "--grid",
                                    "64",
                                    "--block",
                                    "64",
                                    values,
                                    addresses,
                                    "out=i32[" + std::to_string(rows) + ",64]",
                                    "--out",
                                    "out=" + (folder / "o.npy")};
  if (kernel == "as_printed")
    words.push_back(numbers);
  const Result result = crosslane(words);
  EXPECT_EQ(result.status, 0) << result.err;
  return read_npy(folder / "o.npy");
}

// The lane that reads lane_target(i) in the forward direction.
int pusher_to(int lane) {
  for (int i = 0; i < 64; ++i)
    if (lane_target(i) == lane)
      return i;
  return -1;
}

// "Cross-Lane Operations" gives the formulas: QDMode of 0x80F6 is offset[7:0] = 0xf6, lanes 2, 1, 3, 3 of each four;
// BitMode of 0x401F has and_mask 0x1f and xor_mask 0x10.
TEST_P(Prelude, HipCrossLaneNames) {
  static constexpr int quad[4] = {2, 1, 3, 3};
  for (const char* target : {"gfx803", "gfx906"}) {
    const Folder folder;
    const Buffer out = cross_lane_rows(folder, "by_names", 11, target);
    for (int i = 0; i < 64; ++i) {
      const auto row = [&](int r) { return at<int>(out, static_cast<size_t>(r * 64 + i)); };
      const auto bits = [](int lane) { return std::bit_cast<int>(static_cast<float>(lane_value(lane)) + 0.5f); };
      EXPECT_EQ(row(0), lane_value(lane_target(i))) << i;
      EXPECT_EQ(row(1), lane_value(pusher_to(i))) << i;
      EXPECT_EQ(row(2), lane_value(i / 4 * 4 + quad[i % 4])) << i;
      EXPECT_EQ(row(3), i % 16 ? lane_value(i - 1) : 0) << i;
      EXPECT_EQ(row(4), row(0)) << i;
      EXPECT_EQ(row(5), row(1)) << i;
      EXPECT_EQ(row(6), lane_value(i ^ 16)) << i;
      EXPECT_EQ(row(7), lane_value(i / 16 * 16 + 15 - i % 16)) << i;
      EXPECT_EQ(row(8), bits(lane_target(i))) << i;
      EXPECT_EQ(row(9), bits(pusher_to(i))) << i;
      EXPECT_EQ(row(10), bits(i ^ 16)) << i;
    }
  }
}

TEST_P(Prelude, CrossLaneInstructionsAsPrinted) {
  static constexpr int quad[4] = {2, 1, 3, 3};
  const Folder folder;
  const Buffer out = cross_lane_rows(folder, "as_printed", 6, "gfx803");
  for (int i = 0; i < 64; ++i) {
    const auto row = [&](int r) { return at<int>(out, static_cast<size_t>(r * 64 + i)); };
    EXPECT_EQ(row(0), lane_value(pusher_to(i))) << i;
    EXPECT_EQ(row(1), lane_value((lane_address(i) + 0x10) / 4 % 64)) << i;
    EXPECT_EQ(row(2), lane_value(i / 4 * 4 + quad[i % 4])) << i;
    // Lane 0 has nobody to read from and keeps what it had.
    const float before = lane_number(i - 1), own = 2 * lane_number(i);
    EXPECT_EQ(std::bit_cast<float>(row(3)), i ? std::abs(own) - before : -1000) << i;
    EXPECT_EQ(std::bit_cast<float>(row(4)), i ? own - std::abs(before) : -1000) << i;
    EXPECT_EQ(row(5), i);
  }
}

} // namespace
} // namespace crosslane::cli::test
