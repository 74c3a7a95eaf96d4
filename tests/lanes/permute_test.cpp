// Compile-time permutes against a loop over elements, of every element size and width.
#include "lanes/permute.h"
#include <gtest/gtest.h>

namespace crosslane::lanes {
namespace {

template <class T, int N> Vec<T, N> numbered(int first) {
  T all[N];
  for (int i = 0; i < N; ++i) all[i] = T(first + i);
  return load<T, N>(all);
}

// `from` answers as the lambda does; the expectation indexes an array.
template <class T, int N, int M, class F> void check(const char* what, F f) {
  T sources[2 * N], got[M];
  for (int i = 0; i < 2 * N; ++i) sources[i] = T(i + 1);
  store(got, permute<Vec<T, M>>(numbered<T, N>(1), numbered<T, N>(N + 1), f));
  for (int i = 0; i < M; ++i) {
    const int from = f(i);
    if (from == dont_care) continue;
    EXPECT_EQ(got[i], from == zero ? T(0) : sources[from]) << what << ": element " << i << " of " << M << " x " << sizeof(T) << " bytes";
  }
}

template <class T, int N> void check_width() {
  check<T, N, N>("identity", [](auto i) { return i; });
  check<T, N, N>("swap neighbours", [](auto i) { return i ^ 1; });
  check<T, N, N>("reverse", [](auto i) { return N - 1 - i; });
  check<T, N, N>("broadcast the last", [](auto i) { return N - 1; });
  check<T, N, N>("interleave", [](auto i) { return i % 2 ? i / 2 + N : i / 2; });
  check<T, N, N>("even of both", [](auto i) { return 2 * i; });
  check<T, N, N>("align by one", [](auto i) { return i + 1; });
  check<T, N, N>("zero every second", [](auto i) { return i % 2 ? zero : int(i); });
  check<T, N, N>("zero, either source, do not care", [](auto i) { return i % 4 == 0 ? zero : i % 4 == 1 ? dont_care : (i * 7 + 3) % (2 * N); });
  check<T, N, N / 2>("upper half", [](auto i) { return i + N / 2; });
  if constexpr (N * sizeof(T) < 256) check<T, N, 2 * N>("join", [](auto i) { return i; });
}

template <class T, int N = 16 / sizeof(T)> void check_element() {
  check_width<T, N>();
  if constexpr (N * sizeof(T) < 256 && N < 64) check_element<T, 2 * N>();
}

TEST(Permute, MovesBytes) { check_element<uint8_t>(); }
TEST(Permute, MovesWords) { check_element<uint16_t>(); }
TEST(Permute, MovesDwords) { check_element<uint32_t>(); }
TEST(Permute, MovesQwords) { check_element<uint64_t>(); }
TEST(Permute, MovesFloats) { check_element<float>(), check_element<double>(); }

TEST(Permute, TakesOneSourceAndPlainVectors) {
  using Four = uint32_t __attribute__((ext_vector_type(4)));
  const Four v = {10, 11, 12, 13};
  const Four reversed = permute(v, [](auto i) { return 3 - i; });
  EXPECT_EQ(reversed[0], 13u);
  EXPECT_EQ(reversed[3], 10u);
}

} // namespace
} // namespace crosslane::lanes
