// Elements at a fixed distance, by every way, against indexing; between pages that fault, and with neighbours that must
// stay.
#include "lanes/stride.h"
#include "tests/lanes/guard.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

// Calls f with the first element of a span of elements at either end of memory that may be touched.
template <class T, class F> void at_both_ends(size_t span, F f) {
  static std::mt19937_64 random(9);
  const Guarded memory(span * sizeof(T));
  for (uint8_t* const start : {memory.front(), memory.back(span * sizeof(T))}) {
    T* const p = reinterpret_cast<T*>(start);
    std::generate(p, p + span, [] { return T(random()); });
    f(p);
  }
}
template <class T, int N> void expect(Vec<T, N> got, const T* p, ptrdiff_t stride, const char* way) {
  T lanes[N];
  store(lanes, got);
  for (int i = 0; i < N; ++i)
    ASSERT_EQ(lanes[i], p[i * stride]) << way << " of " << sizeof(T) << " bytes, stride " << stride << ", lane " << i;
}
template <class T, int N, class F> void expect_stored(T* p, ptrdiff_t stride, F write, const char* way) {
  T values[N];
  for (int i = 0; i < N; ++i)
    values[i] = T(i * 37 + 11);
  const size_t span = size_t(N - 1) * size_t(stride) + 1;
  std::vector<T> expected(p, p + span);
  for (int i = 0; i < N; ++i)
    expected[size_t(i * stride)] = values[i];
  write(load<T, N>(values));
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), p))
      << way << " of " << sizeof(T) << " bytes, stride " << stride;
}

template <class T, int N, int Stride> void check_compiled() {
  at_both_ends<T>((N - 1) * Stride + 1, [](T* p) {
    expect<T, N>(load_strided_permute<T, N, Stride>(p), p, Stride, "permute");
    expect<T, N>(load_strided<T, N, Stride>(p), p, Stride, "best");
    expect_stored<T, N>(p, Stride, [&](auto v) { store_strided_permute<Stride>(p, v); }, "store by permute");
    expect_stored<T, N>(p, Stride, [&](auto v) { store_strided<Stride>(p, v); }, "best store");
  });
}
template <class T, int N> void check_run_time() {
  for (int stride = 1; stride <= 40; ++stride)
    at_both_ends<T>(size_t((N - 1) * stride + 1), [&](T* p) {
      expect<T, N>(load_strided_scalar<T, N>(p, stride), p, stride, "scalar");
      expect<T, N>(load_strided_gather<T, N>(p, stride), p, stride, "gather");
      expect<T, N>(load_strided<T, N>(p, stride), p, stride, "run time");
      T* const last = p + (N - 1) * stride;
      expect<T, N>(load_strided_gather<T, N>(last, -stride), last, -stride, "gather");
      expect<T, N>(load_strided<T, N>(last, -stride), last, -stride, "run time");
      expect_stored<T, N>(p, stride, [&](auto v) { store_strided_scatter(p, stride, v); }, "scatter");
      expect_stored<T, N>(p, stride, [&](auto v) { store_strided(p, stride, v); }, "run time store");
    });
}
template <class T, int... Strides> void check_native() {
  constexpr int N = register_bytes / sizeof(T);
  (check_compiled<T, N, Strides>(), ...);
  check_run_time<T, N>();
}

TEST(Stride, Bytes) { check_native<uint8_t, 2, 3, 12>(); }
TEST(Stride, Words) { check_native<uint16_t, 2, 5, 8>(); }
TEST(Stride, Dwords) { check_native<uint32_t, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>(); }
TEST(Stride, Qwords) { check_native<uint64_t, 2, 3, 4, 6, 7, 16>(); }
TEST(Stride, SixteenLanes) { check_compiled<uint64_t, 16, 3>(), check_run_time<uint64_t, 16>(); }
TEST(Stride, FourLanes) { check_compiled<uint32_t, 4, 2>(), check_compiled<float, 4, 3>(); }

TEST(Stride, Zero) {
  const uint32_t one = 7;
  const uint32_t seven[16] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  for (const auto v : {load_strided<uint32_t, 16>(&one, 0), load_strided_gather<uint32_t, 16>(&one, 0)})
    EXPECT_EQ(std::memcmp(&v.v, seven, 64), 0);
}
// Beyond what offsets of 32 bits hold, the instructions are not used.
TEST(Stride, FarApart) {
  constexpr ptrdiff_t stride = ptrdiff_t(1) << 26;
  constexpr size_t size = (15 * size_t(stride) + 1) * sizeof(uint32_t);
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    GTEST_SKIP() << "no address space";
  const auto p = static_cast<uint32_t*>(memory);
  uint32_t values[16];
  for (uint32_t i = 0; i < 16; ++i)
    values[i] = 100 + i;
  store_strided_scatter(p, stride, load<uint32_t, 16>(values));
  for (uint32_t i = 0; i < 16; ++i)
    EXPECT_EQ(p[i * stride], 100 + i);
  expect<uint32_t, 16>(load_strided_gather<uint32_t, 16>(p, stride), p, stride, "gather");
  munmap(memory, size);
}

} // namespace
} // namespace crosslane::lanes
