// Permutes from memory, by every way, against indexing; from memory with pages that fault in front of what may be read
// and behind it.
#include "lanes/load_permuted.h"
#include "tests/lanes/guard.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

template <class T, int N, class F> void expect(Vec<T, N> got, const T* p, F f, const char* way) {
  T lanes[N];
  store(lanes, got);
  for (int i = 0; i < N; ++i) {
    if (const int from = f(i); from != dont_care) {
      ASSERT_EQ(lanes[i], from == zero ? T(0) : p[from])
          << way << ", " << N << " of " << sizeof(T) << " bytes, lane " << i << " is element " << from;
    }
  }
}

// `Readable`: 0, or what may be read behind the last element that is named.
template <class T, int N, int Readable, class F> void check(F f) {
  int last = -1;
  for (int i = 0; i < N; ++i)
    last = std::max(last, f(i));
  const size_t elements = size_t(std::max(last + 1, Readable));
  static std::mt19937_64 random(4);
  const Guarded memory(std::max<size_t>(elements * sizeof(T), 1));
  for (uint8_t* const start : {memory.front(), memory.back(elements * sizeof(T))}) {
    T* const p = reinterpret_cast<T*>(start);
    std::generate(p, p + elements, [] { return T(random() | 1); });
    expect<T, N>(load_permuted<T, N, Readable>(p, f), p, f, "best");
    expect<T, N>(load_permuted_by<Loading::repeat, T, N, Readable>(p, f), p, f, "repeat");
    expect<T, N>(load_permuted_by<Loading::run, T, N, Readable>(p, f), p, f, "run");
    expect<T, N>(load_permuted_by<Loading::halves, T, N, Readable>(p, f), p, f, "halves");
    expect<T, N>(load_permuted_by<Loading::window, T, N, Readable>(p, f), p, f, "window");
  }
}
template <class T, int N, class F> void check_both(F f) {
  check<T, N, 0>(f);
  check<T, N, 2 * N + 40>(f);
}

// What each way is for.
template <class T, int N> void check_ways() {
  check_both<T, N>([](int i) { return i + 5; });
  check<T, N, 0>([](int) { return 3; });
  check_both<T, N>([](int i) { return 1 + i % (16 / int(sizeof(T))); });
  check_both<T, N>([](int i) { return i < N / 2 ? i + 1 : i + 20; }); // two runs
  check_both<T, N>(
      [](int i) { return i == 0 ? zero : i - 1; }); // moved up: the load begins in front of what may be read
  check_both<T, N>([](int i) { return N - 1 - i; });
}
template <class T, int N> void check_more() {
  check_ways<T, N>();
  check<T, N, 0>([](int i) { return i; });
  check<T, N, 0>([](int i) { return 7 + i % 2; });
  check<T, N, 0>([](int i) { return i % 2 ? zero : 2; });
  check<T, N, 0>([](int i) { return (i + 3) % N; });
  check<T, N, 0>([](int i) { return i < 2 ? dont_care : i + 9; });
  check<T, N, 0>([](int i) { return 2 * i; }); // more than a register
  check<T, N, 0>([](int i) { return i % 4 == 3 ? zero : i / 4 * 3 + i % 4; });
  check<T, N, 0>([](int i) { return i % 3 == 0 ? i : i % 3 == 1 ? i + 8 : i + 17; }); // three runs
  check<T, N, 0>([](int i) { return i == N / 2 ? 0 : zero; });
  check<T, N, 0>([](int) { return zero; });
  check<T, N, 0>([](int) { return dont_care; });
}

TEST(LoadPermuted, Bytes) { check_ways<uint8_t, 16>(), check_ways<uint8_t, register_bytes>(); }
TEST(LoadPermuted, Words) { check_ways<int16_t, register_bytes / 2>(); }
TEST(LoadPermuted, Dwords) { check_ways<uint32_t, 4>(), check_more<uint32_t, register_bytes / 4>(); }
TEST(LoadPermuted, Qwords) { check_ways<uint64_t, register_bytes / 8>(); }
TEST(LoadPermuted, SeveralRegisters) { check_ways<uint32_t, register_bytes / 2>(); }
TEST(LoadPermuted, FewLanes) {
  check_both<uint32_t, 2>([](int i) { return 5 - i; });
  check_both<uint8_t, 2>([](int i) { return i + 3; });
  check_both<uint16_t, 1>([](int) { return 4; });
  check_both<float, 8>([](int i) { return 3 * i; });
  check_both<double, 4>([](int i) { return i + i / 2; });
  check_both<uint16_t, 8>([](int i) { return i * 100; }); // no window has all of it
}

// What is chosen: what memory does by itself is not done by permutes.
template <class T, int N, int Readable = 0, class F> constexpr Loading chosen(F) {
  return detail::best_loading(detail::AskedOfMemory<T, N, Readable, F>::template part<0, N>);
}
constexpr int dwords = register_bytes / 4;
static_assert(chosen<uint32_t, dwords>([](auto) { return 3; }) == Loading::repeat);
static_assert(chosen<uint32_t, dwords>([](auto i) { return i % 2; }) == Loading::repeat);
static_assert(chosen<uint32_t, dwords>([](auto i) { return i + 3; }) == Loading::run);
static_assert(chosen<uint32_t, dwords, 100>([](auto i) { return i < dwords / 2 ? i + 1 : i + 20; }) ==
              (dwords > 4 ? Loading::halves : Loading::window));
static_assert(chosen<uint32_t, dwords>([](auto i) { return dwords - 1 - i; }) == Loading::window);

} // namespace
} // namespace crosslane::lanes
