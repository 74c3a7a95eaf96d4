// Compile-time permutes against a loop over elements, of every element size and width.
#include "lanes/permute.h"
#include <gtest/gtest.h>

namespace crosslane::lanes {
namespace {

template <class T, int N> Vec<T, N> numbered(int first) {
  T all[N];
  for (int i = 0; i < N; ++i)
    all[i] = T(first + i);
  return load<T, N>(all);
}

// By the lowering that permute() takes, and by the plan's own instructions. `f` answers as the lambda does; the
// expectation indexes an array.
template <class T, int N, int M, class F> void check(const char* what, F f) {
  T sources[2 * N], got[M], planned[M];
  for (int i = 0; i < 2 * N; ++i)
    sources[i] = T(i + 1);
  const auto a = numbered<T, N>(1), b = numbered<T, N>(N + 1);
  store(got, permute<Vec<T, M>>(a, b, f));
  store(planned, permute_by<Lowering::pinned, Vec<T, M>>(a, b, f));
  for (int i = 0; i < M; ++i) {
    const int from = f(i);
    if (from == dont_care)
      continue;
    EXPECT_EQ(got[i], from == zero ? T(0) : sources[from])
        << what << ": element " << i << " of " << M << " x " << sizeof(T) << " bytes";
    EXPECT_EQ(planned[i], got[i]) << what << ", planned: element " << i << " of " << M << " x " << sizeof(T)
                                  << " bytes";
  }
}

// The plans themselves are tried in far greater number in plan_test.cpp; here, that the compiler gets them right.
template <class T, int N> void check_width() {
  check<T, N, N>("swap neighbours", [](auto i) { return i ^ 1; });
  check<T, N, N>("interleave", [](auto i) { return i % 2 ? i / 2 + N : i / 2; });
  check<T, N, N>("align by one", [](auto i) { return i + 1; });
  check<T, N, N>("zero, either source, do not care", [](auto i) {
    return i % 4 == 0 ? zero : i % 4 == 1 ? dont_care : (i * 7 + 3) % (2 * N);
  });
  check<T, N, N>("reverse", [](auto i) { return N - 1 - i; });
  check<T, N, N>("scattered of two", [](auto i) { return (i * 7 + 3) % (2 * N); });
  check<T, N, N>("moved by a third, with zeros", [](auto i) { return i < N / 3 ? zero : i - N / 3; });
  check<T, N, N>("moved down, with zeros", [](auto i) { return i + 1 < N ? i + 1 : zero; });
  check<T, N, N / 2>("upper half", [](auto i) { return i + N / 2; });
}

TEST(Permute, MovesBytes) { check_width<uint8_t, 16>(), check_width<uint8_t, 32>(), check_width<uint8_t, 64>(); }
TEST(Permute, MovesWords) { check_width<uint16_t, 8>(), check_width<uint16_t, 32>(), check_width<uint16_t, 64>(); }
TEST(Permute, MovesDwords) { check_width<uint32_t, 4>(), check_width<uint32_t, 16>(), check_width<uint32_t, 64>(); }
TEST(Permute, MovesQwords) { check_width<uint64_t, 2>(), check_width<uint64_t, 8>(), check_width<uint64_t, 16>(); }
TEST(Permute, MovesFloats) { check_width<float, 16>(), check_width<double, 8>(); }
TEST(Permute, Joins) {
  check<uint16_t, 16, 32>("join", [](auto i) { return i; }), check<uint32_t, 2, 4>("join", [](auto i) { return i; });
}

TEST(Permute, TakesOneSourceAndPlainVectors) {
  using Four = uint32_t __attribute__((ext_vector_type(4)));
  const Four v = {10, 11, 12, 13};
  const Four reversed = permute(v, [](auto i) { return 3 - i; });
  EXPECT_EQ(reversed[0], 13u);
  EXPECT_EQ(reversed[3], 10u);
}

} // namespace
} // namespace crosslane::lanes
