// Permutes of three sources against indexing.
#include "lanes/permute_three.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, int N, int M = N, class F> void check(F f) {
  static std::mt19937_64 random(6);
  T in[3 * N], out[M];
  for (T& x : in)
    x = T(random() | 1);
  store(out, permute<Vec<T, M>>(load<T, N>(in), load<T, N>(in + N), load<T, N>(in + 2 * N), f));
  for (int i = 0; i < M; ++i)
    if (const int from = f(i); from != dont_care) {
      ASSERT_EQ(out[i], from == zero ? T(0) : in[from])
          << M << " of " << N << " of " << sizeof(T) << " bytes, lane " << i << " is element " << from;
    }
}
template <class T, int N> void check_patterns() {
  check<T, N>([](int i) { return i % 3 * N + i / 3; });                     // interleaved
  check<T, N>([](int i) { return i % 3 * N + i; });                         // a blend of three
  check<T, N>([](int i) { return (i * 7 + 1) % (3 * N); });                 // from anywhere
  check<T, N>([](int i) { return i % 4 == 3 ? zero : i % 4 * N + i / 4; }); // three fields and a zero
  check<T, N>([](int i) { return i % 2 ? 2 * N + (N - 1 - i) : N + i; });   // nothing of the first
  check<T, N>([](int i) { return i % 2 ? i % 4 == 1 ? dont_care : 5 % N : 2 * N + i; });
  check<T, N>([](int i) { return i < N / 2 ? N - 1 - i : i % 2 ? N + i : 2 * N + i; }); // two that stay
  check<T, N>([](int) { return dont_care; });
}

TEST(PermuteThree, Bytes) { check_patterns<uint8_t, 16>(); }
TEST(PermuteThree, Words) { check_patterns<uint16_t, 16>(); }
TEST(PermuteThree, Dwords) { check_patterns<uint32_t, 8>(), check_patterns<uint32_t, 16>(); }
TEST(PermuteThree, Qwords) { check_patterns<uint64_t, 8>(); }
TEST(PermuteThree, OtherLengths) {
  check<uint32_t, 8, 4>([](int i) { return i * 6; });
  check<uint32_t, 8, 16>([](int i) { return i + 5; });
}

// Which source comes last.
template <class F> constexpr int last(F) { return detail::AskedOfThree<F, 4, 4>::last; }
static_assert(last([](auto i) { return i; }) == 2);                               // nothing of it
static_assert(last([](auto i) { return i == 0 ? 3 : i == 1 ? 5 : 8 + i; }) == 0); // the others stay
static_assert(last([](auto i) { return i == 0 ? 3 : i == 1 ? 5 : 11; }) == 1);    // it stays

} // namespace
} // namespace crosslane::lanes
