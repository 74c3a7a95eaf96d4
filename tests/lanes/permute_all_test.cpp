// Permutes with several results against indexing.
#include "lanes/permute_all.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, int Results, int Sources, int N, int M = N, class F> void check(F f) {
  static std::mt19937_64 random(6);
  std::array<T, size_t(Sources) * N> in;
  for (T& x : in)
    x = T(random() | 1);
  std::array<Vec<T, N>, Sources> sources;
  for (size_t s = 0; s < Sources; ++s)
    sources[s] = load<T, N>(in.data() + s * N);
  const auto compare = [&](const char* way, const std::array<Vec<T, M>, Results>& results) {
    for (int r = 0; r < Results; ++r) {
      T out[M];
      store(out, results[size_t(r)]);
      for (int i = 0; i < M; ++i)
        if (const int from = f(r, i); from != dont_care) {
          ASSERT_EQ(out[i], from == zero ? T(0) : in[size_t(from)])
              << way << ", " << Sources << " x " << N << " of " << sizeof(T) << " bytes, result " << r << ", lane " << i
              << " is element " << from;
        }
    }
  };
  compare("as chosen", permute_all<Results, Vec<T, M>>(sources, f));
  compare("steps", permute_all_by<Lowering::steps, Results, Vec<T, M>>(sources, f));
  compare("pinned", permute_all_by<Lowering::pinned, Results, Vec<T, M>>(sources, f));
}

template <class T, int N> void check_pairs() {
  check<T, 2, 2, N>([](int r, int i) { return i % 2 * N + i / 2 + r * N / 2; }); // zip
  check<T, 2, 2, N>([](int r, int i) { return 2 * i + r; });                     // unzip
  check<T, 2, 2, N>([](int r, int i) { return i % 2 * N + i / 2 * 2 + r; });     // 2 x 2
  check<T, 3, 2, N>([](int r, int i) { return i + r + 1; });                     // neighbours
  check<T, 2, 2, N>([](int r, int i) { return i % 3 == r ? int(zero) : (i * 5 + r) % (2 * N); });
  check<T, 2, 1, N>([](int r, int i) { return i % 2 ? int(zero) : i / 2 + r * N / 2; }); // widened
}
template <class T, int N> void check_fours() {
  check<T, 4, 4, N>([](int r, int i) { return 4 * i + r; });                     // four fields apart
  check<T, 4, 4, N>([](int r, int i) { return i % 4 * N + i / 4 + r * N / 4; }); // together
  check<T, 4, 4, N>([](int r, int i) { return i % 4 * N + i / 4 * 4 + r; });     // 4 x 4
  check<T, 3, 4, N>([](int r, int i) { return r == 1 && i % 4 == 3 ? int(dont_care) : i % 4 * N + i / 4 * 4 + r; });
}
template <class T, int N> void check_others() {
  check<T, 3, 3, N>([](int r, int i) { return 3 * i + r; });
  check<T, 3, 3, N>([](int r, int i) { return (r * N + i) % 3 * N + (r * N + i) / 3; });
  check<T, 4, 4, N>([](int r, int i) { return (i * 7 + r * r + 3 * i * i) % (4 * N); }); // from anywhere
  check<T, 1, 5, N>([](int, int i) { return (i * 11 + 3) % (5 * N); });
  check<T, 2, 3, N>([](int r, int i) { return r ? int(dont_care) : i % 2 ? int(zero) : 2 * N + i; });
  check<T, 2, 2, N, N / 2>([](int r, int i) { return 4 * i + r; });
  check<T, 2, 2, N, 2 * N>([](int r, int i) { return i % 2 * N + (r ? N - 1 - i / 2 : i / 2); });
}

TEST(PermuteAll, Bytes) { check_pairs<uint8_t, 16>(), check_pairs<uint8_t, 32>(), check_fours<uint8_t, 16>(); }
TEST(PermuteAll, ManyBytes) { check_pairs<uint8_t, 64>(), check_others<uint8_t, 32>(); }
TEST(PermuteAll, Words) { check_pairs<uint16_t, 8>(), check_pairs<uint16_t, 16>(), check_fours<uint16_t, 16>(); }
TEST(PermuteAll, ManyWords) { check_pairs<uint16_t, 32>(), check_others<uint16_t, 16>(); }
TEST(PermuteAll, Dwords) { check_pairs<uint32_t, 8>(), check_fours<uint32_t, 8>(), check_fours<uint32_t, 4>(); }
TEST(PermuteAll, ManyDwords) { check_pairs<uint32_t, 16>(), check_fours<uint32_t, 16>(), check_others<uint32_t, 8>(); }
TEST(PermuteAll, Qwords) { check_pairs<uint64_t, 4>(), check_fours<uint64_t, 4>(), check_others<uint64_t, 4>(); }
TEST(PermuteAll, ManyQwords) { check_pairs<uint64_t, 8>(), check_fours<uint64_t, 8>(); }
TEST(PermuteAll, EightByEight) {
  check<uint32_t, 8, 8, 8>([](int r, int i) { return i * 8 + r; });
  check<uint16_t, 8, 8, 8>([](int r, int i) { return i * 8 + r; });
  check<uint64_t, 8, 8, 8>([](int r, int i) { return i * 8 + r; });
}
TEST(PermuteAll, VectorsOfTheCompiler) {
  using V = float __attribute__((vector_size(32)));
  const V a = {0, 1, 2, 3, 4, 5, 6, 7}, b = a + 8.0f;
  const auto [low, high] = permute_all<2>(std::array{a, b}, [](auto r, auto i) { return i / 2 + r * 4 + i % 2 * 8; });
  EXPECT_EQ(low[1], 8);
  EXPECT_EQ(low[7], 11);
  EXPECT_EQ(high[0], 4);
  EXPECT_EQ(high[7], 15);
}

} // namespace
} // namespace crosslane::lanes
