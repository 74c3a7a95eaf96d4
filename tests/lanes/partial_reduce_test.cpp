// Partial reductions and dot products against loops in 64-bit integers: random elements, all pairs of bytes, the
// extremes that wrap or saturate.
#include "lanes/partial_reduce.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T> T any(std::mt19937_64& random) {
  switch (random() % 8) {
  case 0: return std::numeric_limits<T>::min();
  case 1: return std::numeric_limits<T>::max();
  default: return T(random());
  }
}
template <class R, class F>::testing::AssertionResult is(int lanes, const R* got, F want, const char* what) {
  for (int i = 0; i < lanes; ++i)
    if (got[i] != R(want(i)))
      return ::testing::AssertionFailure()
             << what << ": lane " << i << " of " << lanes << " is " << int64_t(got[i]) << ", not " << int64_t(want(i));
  return ::testing::AssertionSuccess();
}
int64_t saturate(int64_t x, int64_t least, int64_t greatest) { return std::clamp(x, least, greatest); }
constexpr int64_t least32 = std::numeric_limits<int32_t>::min(), greatest32 = std::numeric_limits<int32_t>::max();

template <class V> auto stored(V v) {
  std::array<typename V::element, V::lanes> out;
  store(out.data(), v);
  return out;
}
template <class T> int64_t sum(const T* x, int first, int count) {
  int64_t s = 0;
  for (int i = 0; i < count; ++i)
    s += int64_t(x[first * count + i]);
  return s;
}

template <int N> void check_bytes(const uint8_t* a, const int8_t* b, const int32_t* c) {
  const auto u = load<uint8_t, N>(a), w = load<uint8_t, N>(b);
  const auto s = load<int8_t, N>(b);
  const auto into = load<int32_t, N / 4>(c);
  const auto* b8 = reinterpret_cast<const uint8_t*>(b);
  ASSERT_TRUE(is(
      N / 8, stored(sum_absolute_differences(u, w)).data(),
      [&](int i) {
        int64_t d = 0;
        for (int k = 8 * i; k < 8 * i + 8; ++k)
          d += std::abs(int(a[k]) - int(b8[k]));
        return d;
      },
      "sum_absolute_differences"));
  ASSERT_TRUE(is(N / 8, stored(sum_eights(u)).data(), [&](int i) { return sum(a, i, 8); }, "sum_eights u8"));
  ASSERT_TRUE(is(N / 8, stored(sum_eights(s)).data(), [&](int i) { return sum(b, i, 8); }, "sum_eights i8"));
  ASSERT_TRUE(is(N / 4, stored(sum_fours(u)).data(), [&](int i) { return sum(a, i, 4); }, "sum_fours u8"));
  ASSERT_TRUE(is(N / 4, stored(sum_fours(s)).data(), [&](int i) { return sum(b, i, 4); }, "sum_fours i8"));
  ASSERT_TRUE(is(N / 2, stored(sum_pairs(u)).data(), [&](int i) { return sum(a, i, 2); }, "sum_pairs u8"));
  ASSERT_TRUE(is(N / 2, stored(sum_pairs(s)).data(), [&](int i) { return sum(b, i, 2); }, "sum_pairs i8"));
  const auto products = [&](int i, int count) {
    int64_t d = 0;
    for (int k = count * i; k < count * i + count; ++k)
      d += int64_t(a[k]) * b[k];
    return d;
  };
  ASSERT_TRUE(is(
      N / 2, stored(dot_pairs_saturating(u, s)).data(), [&](int i) { return saturate(products(i, 2), -32768, 32767); },
      "dot_pairs_saturating"));
  ASSERT_TRUE(is(
      N / 4, stored(dot_add(into, u, s)).data(), [&](int i) { return int32_t(c[i] + products(i, 4)); },
      "dot_add of bytes"));
  ASSERT_TRUE(is(
      N / 4, stored(dot_add_saturating(into, u, s)).data(),
      [&](int i) { return saturate(c[i] + products(i, 4), least32, greatest32); }, "saturating, of bytes"));
}
template <int N> void check_words(const int16_t* a, const int16_t* b, const int32_t* c) {
  const auto x = load<int16_t, N>(a), y = load<int16_t, N>(b);
  const auto u = load<uint16_t, N>(b);
  const auto* b16 = reinterpret_cast<const uint16_t*>(b);
  const auto into = load<int32_t, N / 2>(c);
  const auto products = [&](int i) { return int64_t(a[2 * i]) * b[2 * i] + int64_t(a[2 * i + 1]) * b[2 * i + 1]; };
  ASSERT_TRUE(is(N / 2, stored(dot_pairs(x, y)).data(), [&](int i) { return int32_t(products(i)); }, "dot_pairs"));
  ASSERT_TRUE(is(N / 2, stored(sum_pairs(x)).data(), [&](int i) { return sum(a, i, 2); }, "sum_pairs i16"));
  ASSERT_TRUE(is(N / 2, stored(sum_pairs(u)).data(), [&](int i) { return sum(b16, i, 2); }, "sum_pairs u16"));
  ASSERT_TRUE(is(N / 4, stored(sum_fours(x)).data(), [&](int i) { return sum(a, i, 4); }, "sum_fours i16"));
  ASSERT_TRUE(is(N / 4, stored(sum_fours(u)).data(), [&](int i) { return sum(b16, i, 4); }, "sum_fours u16"));
  ASSERT_TRUE(is(N / 4, stored(sum_pairs(into)).data(), [&](int i) { return sum(c, i, 2); }, "sum_pairs i32"));
  ASSERT_TRUE(is(
      N / 2, stored(dot_add(into, x, y)).data(), [&](int i) { return int32_t(c[i] + products(i)); },
      "dot_add of words"));
  ASSERT_TRUE(is(
      N / 2, stored(dot_add_saturating(into, x, y)).data(),
      [&](int i) { return saturate(c[i] + products(i), least32, greatest32); }, "saturating, of words"));
}

TEST(PartialReduce, OfRandomElements) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    uint8_t a8[128];
    int8_t b8[128];
    int16_t a16[64], b16[64];
    int32_t c[32];
    for (int i = 0; i < 128; ++i)
      a8[i] = any<uint8_t>(random), b8[i] = any<int8_t>(random);
    for (int i = 0; i < 64; ++i)
      a16[i] = any<int16_t>(random), b16[i] = any<int16_t>(random);
    for (int32_t& x : c)
      x = any<int32_t>(random);
    ASSERT_NO_FATAL_FAILURE((check_bytes<16>(a8, b8, c)));
    ASSERT_NO_FATAL_FAILURE((check_bytes<32>(a8, b8, c)));
    ASSERT_NO_FATAL_FAILURE((check_bytes<64>(a8, b8, c)));
    ASSERT_NO_FATAL_FAILURE((check_bytes<128>(a8, b8, c)));
    ASSERT_NO_FATAL_FAILURE((check_words<8>(a16, b16, c)));
    ASSERT_NO_FATAL_FAILURE((check_words<16>(a16, b16, c)));
    ASSERT_NO_FATAL_FAILURE((check_words<32>(a16, b16, c)));
    ASSERT_NO_FATAL_FAILURE((check_words<64>(a16, b16, c)));
  }
}
TEST(PartialReduce, OfEveryPairOfBytes) {
  for (int pair = 0; pair < 65536; pair += 16) {
    uint8_t a[64];
    int8_t b[64];
    const int32_t c[16] = {int32_t(least32), int32_t(greatest32), 1, -1};
    for (int i = 0; i < 64; ++i)
      a[i] = uint8_t((pair + i) >> 8), b[i] = int8_t(pair + i);
    ASSERT_NO_FATAL_FAILURE((check_bytes<64>(a, b, c)));
  }
}
TEST(PartialReduce, MinimumPosition) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 5000; ++round) {
    uint16_t x[8];
    for (uint16_t& e : x)
      e = round % 2 ? uint16_t(random() % 4 + 0xfffc) : uint16_t(random());
    const auto found = minimum_position(load<uint16_t, 8>(x));
    const auto* least = std::min_element(x, x + 8);
    ASSERT_EQ(found.value, *least);
    ASSERT_EQ(found.lane, least - x);
  }
}

} // namespace
} // namespace crosslane::lanes
