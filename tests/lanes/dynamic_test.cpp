// Permutes by indexes at run time against indexing arrays: every size of element, every length, indexes of all bits;
// the shortest vectors by every index vector that there is.
#include "lanes/dynamic.h"
#include "lanes/permute.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, int N> bool same(const T* want, Vec<T, N> got) {
  T g[N];
  store(g, got);
  return !std::memcmp(want, g, sizeof g);
}

template <class T, int N, class U> void check_once(const T* x, const T* y, const U* index) {
  constexpr int in_lane = std::min<int>(N, 16 / sizeof(T));
  T one[N], two[N], lanes[N];
  for (int i = 0; i < N; ++i) {
    const int j = int(uint64_t(index[i]) % (2 * N));
    one[i] = x[j % N], two[i] = j < N ? x[j] : y[j - N], lanes[i] = x[i / in_lane * in_lane + j % in_lane];
  }
  const auto a = load<T, N>(x), b = load<T, N>(y);
  const auto at = load<U, N>(index);
  ASSERT_TRUE(same(one, permute(a, at))) << N << " x " << sizeof(T) << " bytes, one source";
  if constexpr (2 * N * sizeof(T) <= 512 && N <= 128)
    ASSERT_TRUE(same(two, permute(a, b, at))) << N << " x " << sizeof(T) << " bytes, two sources";
  ASSERT_TRUE(same(lanes, permute_in_lanes(a, at))) << N << " x " << sizeof(T) << " bytes, in lanes";
}

template <class T, class U, int N> void check_length() {
  std::mt19937_64 random(N);
  T x[N], y[N];
  U index[N];
  for (int i = 0; i < N; ++i)
    x[i] = T(i + 1), y[i] = T(N + i + 1);
  // All elements to all lanes, then indexes of any bits.
  for (int round = 0; round < 2 * N + 200; ++round) {
    for (int i = 0; i < N; ++i)
      index[i] = round < 2 * N ? U(round + i) : U(random() >> random() % 64);
    ASSERT_NO_FATAL_FAILURE((check_once<T, N>(x, y, index)));
  }
  if constexpr (N <= 4) // every index vector
    for (int all = 0; all < (N == 1 ? 2 : N == 2 ? 16 : 4096); ++all) {
      for (int i = 0; i < N; ++i)
        index[i] = U(all / (i == 0 ? 1 : i == 1 ? 2 * N : i == 2 ? 4 * N * N : 8 * N * N * N) % (2 * N));
      ASSERT_NO_FATAL_FAILURE((check_once<T, N>(x, y, index)));
    }
}
template <class T, class U> void check_element() {
  check_length<T, U, 1>(), check_length<T, U, 2>(), check_length<T, U, 4>(), check_length<T, U, 8>();
  check_length<T, U, 16>(), check_length<T, U, 32>();
  if constexpr (sizeof(T) <= 4)
    check_length<T, U, 64>();
  if constexpr (sizeof(T) <= 2)
    check_length<T, U, 128>();
  if constexpr (sizeof(T) == 1)
    check_length<T, U, 256>();
}

TEST(Dynamic, Bytes) { check_element<uint8_t, uint8_t>(); }
TEST(Dynamic, Words) { check_element<int16_t, uint16_t>(); }
TEST(Dynamic, Dwords) { check_element<float, int32_t>(); }
TEST(Dynamic, Qwords) { check_element<double, uint64_t>(); }

TEST(Dynamic, StandsBesidePermutesByALambda) {
  const auto v = iota<uint32_t, 16>();
  const auto turned = permute(v, iota<uint32_t, 16>(5));
  EXPECT_EQ(turned.v[0], 5u);
  EXPECT_EQ(turned.v[15], 4u);
  EXPECT_EQ(permute(v, [](auto i) { return i ^ 1; }).v[0], 1u);
  EXPECT_EQ(permute(v, turned, Vec<uint32_t, 16>(16u)).v[3], 5u);
}

} // namespace
} // namespace crosslane::lanes
