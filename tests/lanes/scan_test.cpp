// Scans against loops: all element types, widths, groups and directions, integers and an operation that does not
// commute exactly, floats bit by bit in the documented order; all flags of 8 lanes and random ones beyond; arrays of
// all lengths.
#include "lanes/scan.h"
#include "tests/lanes/guarded.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

// x -> (x >> 16) x + (x & 0xffff) modulo 2^16, one after the other: associative, does not commute.
struct Affine {
  template <class T> static constexpr T identity() { return T(0x10000); }
  template <class T, int N> Vec<T, N> operator()(Vec<T, N> f, Vec<T, N> g) const {
    const Vec<T, N> fa = f >> T(16), fb = f & T(0xffff), ga = g >> T(16), gb = g & T(0xffff);
    return ((fa * ga) << T(16)) | ((fb * ga + gb) & T(0xffff));
  }
};

// The operations once more on scalars.
template <class T> T plain(Sum, T a, T b) { return T(a + b); }
template <> int32_t plain(Sum, int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); }
template <> int64_t plain(Sum, int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
template <class T> T plain(Min, T a, T b) { return std::min(a, b); }
template <class T> T plain(Max, T a, T b) { return std::max(a, b); }
template <class T> T plain(And, T a, T b) { return T(a & b); }
template <class T> T plain(Or, T a, T b) { return T(a | b); }
template <class T> T plain(Xor, T a, T b) { return T(a ^ b); }
template <class T> T plain(Affine, T f, T g) {
  return T((uint32_t((f >> 16) * (g >> 16)) & 0xffff) << 16 | (((f & 0xffff) * (g >> 16) + (g & 0xffff)) & 0xffff));
}

// Lane i of a scan from lane `begin` on, exclusive or not; backward from lane `end - 1` down.
template <class T, class Op> T serial(const T* v, int begin, int end, int i, bool inclusive, bool backward, Op op) {
  T all = Op::template identity<T>();
  if (!backward)
    for (int k = begin; k < i + inclusive; ++k)
      all = plain(op, all, v[k]);
  else
    for (int k = end - 1; k > i - inclusive; --k)
      all = plain(op, v[k], all);
  return all;
}

template <class T> void fill(T* v, int n, std::mt19937_64& random) {
  for (int i = 0; i < n; ++i)
    v[i] = std::is_floating_point_v<T> ? T(int(random() % 2001) - 1000) : T(random());
}

// Lengths are arguments, for the oracle to be compiled once for an element and an operation.
template <class T, class Op>
void compare(const T* v, const T* in, const T* ex, int lanes, int group, bool backward, Op op) {
  for (int i = 0; i < lanes; ++i) {
    const int begin = i / group * group, end = begin + group;
    ASSERT_EQ(in[i], serial(v, begin, end, i, true, backward, op))
        << "inclusive, lane " << i << " of " << lanes << ", groups of " << group;
    ASSERT_EQ(ex[i], serial(v, begin, end, i, false, backward, op))
        << "exclusive, lane " << i << " of " << lanes << ", groups of " << group;
  }
}
template <int Group, Scan D, class T, int N, class Op> void check_group(const T* v, Op op) {
  T in[N], ex[N];
  const auto x = load<T, N>(v);
  store(in, inclusive_scan<Group, D>(x, op)), store(ex, exclusive_scan<Group, D>(x, op));
  compare(v, in, ex, N, Group, D == Scan::backward, op);
}
template <class T, int N, class Op> void check(Op op) {
  std::mt19937_64 random(N);
  for (int round = 0; round < 20; ++round) {
    T v[N];
    fill(v, N, random);
    check_group<N, Scan::forward, T, N>(v, op), check_group<N, Scan::backward, T, N>(v, op);
  }
}
template <int Group, class T, int N, class Op> void check_groups(Op op) {
  std::mt19937_64 random(N);
  T v[N];
  fill(v, N, random);
  check_group<Group, Scan::forward, T, N>(v, op), check_group<Group, Scan::backward, T, N>(v, op);
  if constexpr (Group < N)
    check_groups<2 * Group, T, N>(op);
}

TEST(Scan, OfBytes) { check<int8_t, 32>(Max{}), check<uint8_t, 64>(Sum{}), check<uint8_t, 128>(Xor{}); }
TEST(Scan, OfWords) { check<int16_t, 8>(Min{}), check<uint16_t, 64>(Sum{}); }
TEST(Scan, OfDwords) {
  check<int32_t, 16>(Sum{}), check<int32_t, 16>(Min{}), check<uint32_t, 16>(Max{}), check<uint32_t, 16>(And{});
  check<uint32_t, 16>(Or{}), check<uint32_t, 64>(Affine{});
}
TEST(Scan, OfQwords) { check<int64_t, 2>(Sum{}), check<uint64_t, 8>(Sum{}), check<int64_t, 16>(Min{}); }
TEST(Scan, OfFloats) { check<float, 8>(Min{}), check<double, 8>(Max{}), check<double, 32>(Sum{}); }
TEST(Scan, InGroups) { check_groups<1, uint32_t, 16>(Affine{}), check_groups<4, uint8_t, 64>(Sum{}); }

// The documented order: scan the halves, then put the total of the first in front of the second.
template <class T> void in_halves(T* v, int n, bool backward) {
  if (n == 1)
    return;
  in_halves(v, n / 2, backward), in_halves(v + n / 2, n / 2, backward);
  for (int i = 0; i < n / 2; ++i) {
    if (backward)
      v[i] = v[i] + v[n / 2];
    else
      v[n / 2 + i] = v[n / 2 - 1] + v[n / 2 + i];
  }
}
template <class T, int N> void check_order() {
  std::mt19937_64 random(N);
  for (int round = 0; round < 50; ++round) {
    T v[N], got[N], want[N];
    for (auto& x : v)
      x = T(std::ldexp(double(int64_t(random())), int(random() % 40) - 80));
    for (bool backward : {false, true}) {
      const auto x = load<T, N>(v);
      store(got, backward ? inclusive_scan<0, Scan::backward>(x, Sum{}) : inclusive_scan(x, Sum{}));
      std::memcpy(want, v, sizeof v), in_halves(want, N, backward);
      ASSERT_EQ(0, std::memcmp(got, want, sizeof v));
    }
  }
}
TEST(Scan, AddsFloatsInTheDocumentedOrder) { check_order<double, 8>(), check_order<float, 64>(); }
TEST(Scan, PrefersNumbersToNaN) {
  const float in[4] = {5, __builtin_nanf(""), 7, 3}, want[4] = {5, 5, 5, 3};
  float out[4];
  store(out, inclusive_scan(load<float, 4>(in), Min{}));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], want[i]) << i;
}

TEST(Scan, KeepsMinusZero) {
  float x[40], y[40];
  for (float& f : x)
    f = -0.0f;
  EXPECT_TRUE(std::signbit(inclusive_scan(load<float, 16>(x), Sum{}).v[15]));
  inclusive_scan(x, y, 40, Sum{});
  EXPECT_TRUE(std::signbit(y[3]) && std::signbit(y[39]));
}

template <class T, class Op>
void compare_segments(const T* v, const T* in, const T* ex, int lanes, uint64_t flags, bool backward, Op op) {
  const auto flag = [&](int i) { return flags >> i & 1; };
  for (int i = 0; i < lanes; ++i) {
    int begin = i, end = i + 1;
    while (begin > 0 && !flag(begin))
      --begin;
    while (end < lanes && !flag(end - 1))
      ++end;
    ASSERT_EQ(in[i], serial(v, begin, end, i, true, backward, op))
        << "lane " << i << " of " << lanes << ", flags " << std::hex << flags;
    ASSERT_EQ(ex[i], serial(v, begin, end, i, false, backward, op))
        << "lane " << i << " of " << lanes << ", flags " << std::hex << flags;
  }
}
template <class T, int N, class Op> void check_segments(Op op) {
  std::mt19937_64 random(N);
  for (int round = 0; round < 400; ++round) {
    T v[N], in[N], ex[N];
    fill(v, N, random);
    uint64_t flags =
        N == 8 && round < 256 ? uint64_t(round) : random() & random() & (round % 3 ? ~0ull : random() & random());
    if (round == 300)
      flags = 0;
    if (round == 301)
      flags = ~0ull;
    const auto x = load<T, N>(v);
    store(in, segmented_inclusive_scan(x, flags, op)), store(ex, segmented_exclusive_scan(x, flags, op));
    compare_segments(v, in, ex, N, flags, false, op);
    store(in, segmented_inclusive_scan<Scan::backward>(x, flags, op)),
        store(ex, segmented_exclusive_scan<Scan::backward>(x, flags, op));
    compare_segments(v, in, ex, N, flags, true, op);
  }
}
TEST(Scan, InSegments) {
  check_segments<uint64_t, 8>(Sum{}), check_segments<uint32_t, 32>(Affine{}), check_segments<uint8_t, 64>(Max{});
}

template <Scan D, class T, class Op> void check_arrays(Op op) {
  std::mt19937_64 random(1);
  Guarded memory;
  for (int n = 0; n < 150; ++n) {
    std::vector<T> v(n + 1), ex(n + 1);
    for (auto& x : v)
      x = T(random());
    T* const in = memory.last<T>(n); // in place
    if (n)
      std::memcpy(in, v.data(), n * sizeof(T));
    const T total = exclusive_scan<D>(in, ex.data(), n, op);
    ASSERT_EQ(total, inclusive_scan<D>(in, in, n, op));
    ASSERT_EQ(total, D == Scan::forward ? serial(v.data(), 0, n, n, false, false, op)
                                        : serial(v.data(), 0, n, -1, false, true, op));
    for (int i = 0; i < n; ++i) {
      ASSERT_EQ(in[i], serial(v.data(), 0, n, i, true, D == Scan::backward, op)) << i << " of " << n;
      ASSERT_EQ(ex[i], serial(v.data(), 0, n, i, false, D == Scan::backward, op)) << i << " of " << n;
    }
  }
}
TEST(Scan, OfArrays) {
  check_arrays<Scan::forward, uint32_t>(Affine{}), check_arrays<Scan::backward, uint32_t>(Affine{});
  check_arrays<Scan::backward, int64_t>(Min{}), check_arrays<Scan::forward, uint64_t>(Sum{});
  check_arrays<Scan::forward, uint16_t>(Xor{}), check_arrays<Scan::backward, uint8_t>(Sum{});
  check_arrays<Scan::forward, int8_t>(Max{});
}

} // namespace
} // namespace crosslane::lanes
