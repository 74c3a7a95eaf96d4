// Comparisons, masks and selections of any number of lanes against loops over elements: 1 to 70 and up to 256, every
// size of element.
#include "lanes/compress.h"
#include "lanes/math.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <int N> bool bit(Mask<N> m, int lane) {
  if constexpr (N == 1)
    return m.bits;
  else
    return bool(m.bits >> lane & 1);
}
template <int N>::testing::AssertionResult is(Mask<N> got, const bool* want, const char* what) {
  for (int i = 0; i < N; ++i)
    if (bit(got, i) != want[i])
      return ::testing::AssertionFailure() << what << ": lane " << i << " of " << N;
  if constexpr (N > 1 && N < int(sizeof(got.bits)) * 8)
    if (got.bits >> N)
      return ::testing::AssertionFailure() << what << ": bits beyond lane " << N - 1;
  return ::testing::AssertionSuccess();
}

template <class T, int N> void check_lanes() {
  std::mt19937_64 random(N);
  for (int round = 0; round < 20; ++round) {
    T x[N], y[N], selected[N], stored[N];
    bool less[N], equal[N], both[N], either[N], one[N], not_less[N];
    for (int i = 0; i < N; ++i) {
      x[i] = T(int(random() % 5) - 2), y[i] = T(int(random() % 5) - 2);
      if constexpr (std::is_floating_point_v<T>)
        if (random() % 8 == 0)
          x[i] = std::numeric_limits<T>::quiet_NaN();
      less[i] = x[i] < y[i], equal[i] = x[i] == y[i], not_less[i] = !less[i];
      both[i] = less[i] && equal[i], either[i] = less[i] || equal[i], one[i] = less[i] != equal[i];
    }
    const auto a = load<T, N>(x), b = load<T, N>(y);
    const Mask<N> l = a < b, e = a == b;
    ASSERT_TRUE(is(l, less, "<"));
    ASSERT_TRUE(is(e, equal, "=="));
    ASSERT_TRUE(is(~l, not_less, "~"));
    ASSERT_TRUE(is(l & e, both, "&"));
    ASSERT_TRUE(is(l | e, either, "|"));
    ASSERT_TRUE(is(l ^ e, one, "^"));
    ASSERT_EQ(none(l), std::none_of(less, less + N, [](bool set) { return set; }));
    store(selected, select(l, a, b));
    std::memcpy(stored, y, sizeof y);
    store<T, N>(stored, l, a);
    const LaneMask<N> lanes(l);
    ASSERT_EQ(lanes.count(), std::count(less, less + N, true));
    for (int i = 0; i < N; ++i) {
      const T want = less[i] ? x[i] : y[i];
      ASSERT_TRUE(!std::memcmp(&selected[i], &want, sizeof want)) << "select: lane " << i << " of " << N;
      ASSERT_TRUE(!std::memcmp(&stored[i], &want, sizeof want)) << "store: lane " << i << " of " << N;
      ASSERT_EQ(lanes.word[i / 64] >> i % 64 & 1, less[i]);
    }
  }
}
template <int N> void check_elements() {
  check_lanes<uint8_t, N>(), check_lanes<int16_t, N>(), check_lanes<float, N>();
  if constexpr (N <= 64)
    check_lanes<int64_t, N>(), check_lanes<double, N>();
}

TEST(Mask, OfFewLanes) {
  check_elements<1>(), check_elements<2>(), check_elements<3>(), check_elements<4>(), check_elements<5>();
  check_elements<6>(), check_elements<7>();
}
TEST(Mask, OfARegister) {
  check_elements<8>(), check_elements<9>(), check_elements<12>(), check_elements<16>(), check_elements<31>();
  check_elements<32>(), check_elements<48>(), check_elements<64>();
}
TEST(Mask, OfManyLanes) { check_elements<65>(), check_elements<100>(), check_elements<128>(), check_elements<256>(); }

// Bytes have shifts by one count of their own: every byte by every count, also where some of them are selected then.
template <class T, int N> void check_byte_shifts() {
  for (int count = 0; count < 8; ++count)
    for (int first = 0; first < 256; first += N) {
      T x[N], left[N], right[N], halved[N];
      for (int i = 0; i < N; ++i)
        x[i] = T(first + i);
      const auto v = load<T, N>(x);
      store(left, v << count), store(right, v >> count);
      store(halved, select(v > T(85), v >> 1, v));
      for (int i = 0; i < N; ++i) {
        ASSERT_EQ(left[i], T(x[i] << count)) << +x[i] << " << " << count;
        ASSERT_EQ(right[i], T(x[i] >> count)) << +x[i] << " >> " << count;
        ASSERT_EQ(halved[i], x[i] > T(85) ? T(x[i] >> 1) : x[i]);
      }
    }
}
TEST(Mask, OfBytesThatAreShifted) {
  check_byte_shifts<uint8_t, 8>(), check_byte_shifts<uint8_t, 16>(), check_byte_shifts<uint8_t, 64>();
  check_byte_shifts<uint8_t, 128>(), check_byte_shifts<int8_t, 8>(), check_byte_shifts<int8_t, 32>();
  check_byte_shifts<int8_t, 64>(), check_byte_shifts<int8_t, 128>();
}

TEST(Mask, OfAnyBitsIgnoresThoseBeyondTheLanes) {
  EXPECT_EQ(Mask<4>(0xf5).bits, 5);
  EXPECT_EQ((~Mask<4>(0xf5)).bits, 10);
  EXPECT_EQ(Mask<12>(0xffff).bits, 0xfff);
  EXPECT_TRUE(none(Mask<2>(0xfc)));
  const auto v = iota<uint32_t, 4>(1);
  const auto [front, count] = compress(v, v > 2u);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(front.v[0], 3u);
  EXPECT_EQ(front.v[1], 4u);
}

} // namespace
} // namespace crosslane::lanes
