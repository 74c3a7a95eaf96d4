// Reductions of one vector against loops: every operation, integers of every size with sign and without, every length;
// extremes at every lane; floats with the machine's minimum.
#include "lanes/reduce.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, class Op> T plain(const T* x, int n) {
  T r = x[0];
  for (int i = 1; i < n; ++i)
    if constexpr (std::is_same_v<Op, Sum>)
      r = T(uint64_t(r) + uint64_t(x[i]));
    else if constexpr (std::is_base_of_v<Min, Op>)
      r = x[i] < r ? x[i] : r;
    else
      r = r < x[i] ? x[i] : r;
  return r;
}

template <class T, int N, class Op> void check(const T* x) {
  ASSERT_EQ(reduce(load<T, N>(x), Op{}), (plain<T, Op>(x, N))) << N << " x " << sizeof(T) << " bytes";
}
template <class T, int N> void check_length() {
  std::mt19937_64 random(N);
  using L = std::numeric_limits<T>;
  T x[N];
  const auto all = [&] {
    ASSERT_NO_FATAL_FAILURE((check<T, N, Sum>(x)));
    ASSERT_NO_FATAL_FAILURE((check<T, N, Min>(x)));
    ASSERT_NO_FATAL_FAILURE((check<T, N, Max>(x)));
    ASSERT_NO_FATAL_FAILURE((check<T, N, FastMin>(x)));
    ASSERT_NO_FATAL_FAILURE((check<T, N, FastMax>(x)));
  };
  for (int round = 0; round < 200; ++round) {
    for (T& e : x)
      e = round % 2 ? T(random()) : T(int(random() % 7) - 3);
    ASSERT_NO_FATAL_FAILURE(all());
  }
  for (T extreme : {L::min(), L::max(), T(0), T(-1)})
    for (T other : {L::min(), L::max(), T(1)})
      for (int at = 0; at < N; ++at) {
        for (int i = 0; i < N; ++i)
          x[i] = i == at ? extreme : other;
        ASSERT_NO_FATAL_FAILURE(all());
      }
}
template <class T> void check_element() {
  constexpr int whole = 64 / sizeof(T);
  check_length<T, 1>(), check_length<T, 2>(), check_length<T, whole / 4>(), check_length<T, whole / 2>();
  check_length<T, whole>(), check_length<T, 2 * whole>();
}
TEST(ReduceRegister, OfBytes) { check_element<uint8_t>(), check_element<int8_t>(); }
TEST(ReduceRegister, OfWords) { check_element<uint16_t>(), check_element<int16_t>(); }
TEST(ReduceRegister, OfDwords) { check_element<uint32_t>(), check_element<int32_t>(); }
TEST(ReduceRegister, OfQwords) { check_element<uint64_t>(), check_element<int64_t>(); }

template <class T, int N> void check_floats() {
  std::mt19937_64 random(N);
  T x[N];
  for (int round = 0; round < 300; ++round) {
    for (T& e : x)
      e = round % 3 == 0 ? -std::numeric_limits<T>::infinity() : T(int(random() % 2001) - 1000);
    x[random() % N] = T(int(random() % 2001) - 1000);
    ASSERT_NO_FATAL_FAILURE((check<T, N, FastMin>(x)));
    ASSERT_NO_FATAL_FAILURE((check<T, N, FastMax>(x)));
    // With a NaN: one of the elements.
    x[random() % N] = std::numeric_limits<T>::quiet_NaN();
    const T least = reduce(load<T, N>(x), FastMin{});
    ASSERT_TRUE(std::any_of(x, x + N, [&](T e) { return e == least || (std::isnan(e) && std::isnan(least)); }));
  }
}
TEST(ReduceRegister, FastMinimaOfFloats) {
  check_floats<float, 2>(), check_floats<float, 8>(), check_floats<float, 16>(), check_floats<float, 64>();
  check_floats<double, 2>(), check_floats<double, 4>(), check_floats<double, 8>(), check_floats<double, 32>();
}
TEST(ReduceRegister, FastMinimumTakesTheSecondOfTwoThatAreNotOrdered) {
  const Vec<float, 4> nan(NAN), one(1.0f);
  EXPECT_EQ(FastMin{}(nan, one).v[0], 1);
  EXPECT_TRUE(std::isnan(FastMin{}(one, nan).v[0]));
  EXPECT_EQ(FastMax{}(nan, one).v[3], 1);
  EXPECT_TRUE(std::isnan(FastMax{}(one, nan).v[3]));
  EXPECT_TRUE(std::signbit(FastMin{}(Vec<float, 4>(0.0f), Vec<float, 4>(-0.0f)).v[1]));
  EXPECT_FALSE(std::signbit(FastMin{}(Vec<float, 4>(-0.0f), Vec<float, 4>(0.0f)).v[1]));
}

} // namespace
} // namespace crosslane::lanes
