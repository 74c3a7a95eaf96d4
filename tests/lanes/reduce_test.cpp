// Reductions of groups, each of the ways, against the plain loop, between pages that fault.
#include "lanes/reduce.h"
#include "tests/lanes/guard.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

constexpr size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17, 31, 32, 33, 64, 65, 100, 200, 450};
constexpr size_t counts[] = {0, 1, 2, 7, 16, 17, 63, 64, 67};

// Written without the library: what the operation does to two elements.
template <class T> T wrapping_sum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return T(uint64_t(a) + uint64_t(b));
}

// Floats are small integers, whose sums are exact in any order.
template <class T, class Op, class Plain> void check(Op op, Plain plain) {
  std::mt19937_64 random(6);
  const Guarded from(450 * 67 * sizeof(T)), to(67 * sizeof(T));
  using Way = void (*)(const T*, T*, size_t, size_t, Op);
  const Way ways[] = {reduce_groups_each<T, Op>, reduce_groups_transposed<T, Op>, reduce_groups_integrated<T, Op>,
                      reduce_groups<T, Op>};
  for (const size_t size : sizes)
    for (const size_t groups : counts)
      for (size_t way = 0; way < 4; ++way) {
        const bool at_end = random() & 1;
        const auto place = [&](const Guarded& g, size_t n) {
          return reinterpret_cast<T*>(at_end ? g.back(n * sizeof(T)) : g.front());
        };
        T *const in = place(from, size * groups), *const out = place(to, groups);
        for (size_t i = 0; i < size * groups; ++i)
          in[i] = std::is_floating_point_v<T> ? T(int(random() % 2001) - 1000) : T(random());
        ways[way](in, out, groups, size, op);
        for (size_t g = 0; g < groups; ++g) {
          T expected = in[g * size];
          for (size_t i = 1; i < size; ++i)
            expected = plain(expected, in[g * size + i]);
          ASSERT_EQ(out[g], expected) << "way " << way << ", group " << g << " of " << groups << ", size " << size;
        }
      }
}

template <class T> T less(T a, T b) { return b < a ? b : a; }

TEST(Reduce, SumsOfIntegers) { check<uint8_t>(Sum{}, wrapping_sum<uint8_t>); }
TEST(Reduce, SumsOfFloats) { check<double>(Sum{}, wrapping_sum<double>); }
TEST(Reduce, Minima) { check<int16_t>(Min{}, less<int16_t>); }
struct Product {
  auto operator()(auto a, auto b) const { return mul(a, b); }
};
TEST(Reduce, AnythingThatCommutes) {
  check<uint32_t>(Product{}, [](uint32_t a, uint32_t b) { return a * b; });
}

TEST(Reduce, OneRegister) {
  std::mt19937_64 random(7);
  int32_t in[64];
  for (int32_t& x : in)
    x = int32_t(random());
  const auto v = load<int32_t, 64>(in);
  int32_t all = -1, any = 0, odd = 0;
  for (const int32_t x : in)
    all &= x, any |= x, odd ^= x;
  EXPECT_EQ(reduce(v, And{}), all);
  EXPECT_EQ(reduce(v, Or{}), any);
  EXPECT_EQ(reduce(v, Xor{}), odd);
  EXPECT_EQ(reduce(v, Min{}), *std::min_element(in, in + 64));
  EXPECT_EQ(reduce(v, Max{}), *std::max_element(in, in + 64));
  EXPECT_EQ(reduce(load<float, 1>(in), Sum{}), std::bit_cast<float>(in[0]));
  const float numbers[4] = {3, NAN, 1, 2};
  EXPECT_EQ(reduce(load<float, 4>(numbers), Min{}), 1);
  EXPECT_EQ(reduce(load<float, 4>(numbers), Max{}), 3);
}

// The header promises the plain loop's bits.
TEST(Reduce, TransposedAddsInOrder) {
  std::mt19937_64 random(8);
  std::vector<float> in(100 * 40), out(40);
  for (float& x : in)
    x = std::ldexp(float(random() % 1000), int(random() % 40));
  for (const size_t size : {3, 8, 17, 100}) {
    reduce_groups_transposed(in.data(), out.data(), 40, size, Sum{});
    for (size_t g = 0; g < 40; ++g) {
      float sum = in[g * size];
      for (size_t i = 1; i < size; ++i)
        sum += in[g * size + i];
      EXPECT_EQ(out[g], sum) << "size " << size;
    }
  }
}

} // namespace
} // namespace crosslane::lanes
