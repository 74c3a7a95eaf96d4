// Compress and expand against loops over arrays: every mask of up to 16 lanes, the edges and random ones beyond; every
// way that a level has, by its name; the memory forms between pages that fault.
#include "lanes/compress.h"
#include "tests/lanes/guarded.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

template <int N> using Bits = std::array<bool, N>;

template <int N> LaneMask<N> mask_of(const Bits<N>& b) {
  if constexpr (N <= 64) {
    uint64_t bits = N < 64 ? ~uint64_t(0) << N : 0; // bits above the lanes are ignored
    for (int i = 0; i < N; ++i)
      bits |= uint64_t(b[i]) << i;
    return bits;
  } else {
    std::array<uint64_t, N / 64> words{};
    for (int i = 0; i < N; ++i)
      words[i / 64] |= uint64_t(b[i]) << i % 64;
    return words;
  }
}

template <int N> std::vector<Bits<N>> masks() {
  std::vector<Bits<N>> all;
  if constexpr (N <= 16) {
    for (uint32_t m = 0; m < (1u << N); ++m) {
      Bits<N> b;
      for (int i = 0; i < N; ++i)
        b[i] = m >> i & 1;
      all.push_back(b);
    }
    return all;
  }
  std::mt19937_64 random(N);
  Bits<N> none{}, every;
  every.fill(true);
  all = {none, every};
  for (int i = 0; i < N; ++i) {
    Bits<N> one{}, hole = every, low{}, high{};
    one[i] = true, hole[i] = false;
    for (int j = 0; j < N; ++j)
      low[j] = j < i, high[j] = j >= i;
    all.insert(all.end(), {one, hole, low, high});
  }
  for (int k = 0; k < 600; ++k) {
    const unsigned density = random() % 8;
    Bits<N> b;
    for (int i = 0; i < N; ++i)
      b[i] = random() % 8 <= density;
    all.push_back(b);
  }
  return all;
}

template <class T, int N> struct Expected {
  T compressed[N] = {}, compressed_over[N], expanded[N] = {}, expanded_over[N];
  int count = 0;
};
template <class T, int N> Expected<T, N> expect(const T* v, const T* rest, const Bits<N>& b) {
  Expected<T, N> e;
  for (int i = 0; i < N; ++i)
    e.compressed_over[i] = e.expanded_over[i] = rest[i];
  for (int i = 0; i < N; ++i) {
    if (!b[i])
      continue;
    e.compressed[e.count] = e.compressed_over[e.count] = v[i];
    e.expanded[i] = e.expanded_over[i] = v[e.count];
    ++e.count;
  }
  return e;
}
template <class T, int N> bool same(const T* want, Vec<T, N> got) {
  T g[N];
  store(g, got);
  return !std::memcmp(want, g, sizeof g);
}

template <Way W, class T, int N> void check_way(const char* name) {
  if constexpr (sizeof(T) * N <= 64 && has_compress<W, T, N>()) {
    T v[N], rest[N] = {};
    for (int i = 0; i < N; ++i)
      v[i] = T(i + 1);
    for (const auto& b : masks<N>()) {
      const auto e = expect<T, N>(v, rest, b);
      const uint64_t m = mask_of<N>(b).word[0];
      ASSERT_TRUE(same(e.compressed, compress_by<W>(load<T, N>(v), m)))
          << name << " compress " << N << " mask " << std::hex << m;
      ASSERT_TRUE(same(e.expanded, expand_by<W>(load<T, N>(v), m)))
          << name << " expand " << N << " mask " << std::hex << m;
    }
  }
}

template <class T, int N> void check_vector(Guarded& memory) {
  T v[N], rest[N];
  for (int i = 0; i < N; ++i)
    v[i] = T(i * 5 + 1), rest[i] = T(i * 3 + 101);
  const auto x = load<T, N>(v), r = load<T, N>(rest);
  int number = 0;
  for (const auto& b : masks<N>()) {
    const auto e = expect<T, N>(v, rest, b);
    const auto m = mask_of<N>(b);
    const auto c = compress(x, m), c_over = compress(x, m, r), x0 = expand(x, m), x_over = expand(x, m, r);
    ASSERT_TRUE(same(e.compressed, c.values)) << N << " mask " << std::hex << m.word[0];
    ASSERT_TRUE(same(e.compressed_over, c_over.values)) << N << " mask " << std::hex << m.word[0];
    ASSERT_TRUE(same(e.expanded, x0.values)) << N << " mask " << std::hex << m.word[0];
    ASSERT_TRUE(same(e.expanded_over, x_over.values)) << N << " mask " << std::hex << m.word[0];
    ASSERT_EQ(e.count, c.count);
    ASSERT_EQ(e.count, c_over.count);
    ASSERT_EQ(e.count, x0.count);
    ASSERT_EQ(e.count, x_over.count);

    // Memory: at the very end of a page, at its start (what lies behind must stay as it is), and unaligned within.
    if (N <= 16 && number++ % 7 != 0)
      continue;
    T* const end = memory.last<T>(e.count);
    ASSERT_EQ(e.count, compress_store(end, x, m));
    ASSERT_EQ(0, std::memcmp(end, e.compressed, e.count * sizeof(T)));
    std::memcpy(end, v, e.count * sizeof(T));
    const auto from_end = expand_load<N>(end, m);
    ASSERT_TRUE(same(e.expanded, from_end.values)) << "load " << N << " mask " << std::hex << m.word[0];
    ASSERT_EQ(e.count, from_end.count);
    T* const start = memory.first<T>();
    std::memcpy(start, rest, sizeof rest);
    ASSERT_EQ(e.count, compress_store(start, x, m));
    ASSERT_EQ(0, std::memcmp(start, e.compressed, e.count * sizeof(T)));
    ASSERT_EQ(0, std::memcmp(start + e.count, rest + e.count, (N - e.count) * sizeof(T)));
    T* const whole = memory.last<T>(N);
    ASSERT_EQ(e.count, compress_store_over(whole, x, m));
    ASSERT_EQ(0, std::memcmp(whole, e.compressed, e.count * sizeof(T)));
    uint8_t* const odd = memory.first<uint8_t>() + 1;
    compress_store(reinterpret_cast<T*>(odd), x, m);
    ASSERT_EQ(0, std::memcmp(odd, e.compressed, e.count * sizeof(T)));
  }
}

template <class T> void check_element() {
  Guarded memory;
  [&]<int... Bytes>(std::integer_sequence<int, Bytes...>) {
    (check_vector<T, Bytes / int(sizeof(T))>(memory), ...);
  }(std::integer_sequence<int, 16, 32, 64, 128, 256>{});
  [&]<int... Bytes>(std::integer_sequence<int, Bytes...>) {
    (check_way<Way::native, T, Bytes / int(sizeof(T))>("native"), ...);
    (check_way<Way::widening, T, Bytes / int(sizeof(T))>("widening"), ...);
    (check_way<Way::table, T, Bytes / int(sizeof(T))>("table"), ...);
    (check_way<Way::pext, T, Bytes / int(sizeof(T))>("pext"), ...);
  }(std::integer_sequence<int, 16, 32, 64>{});
  check_way<Way::loop, T, 16 / int(sizeof(T))>("loop");
}

TEST(Compress, MovesBytes) { check_element<uint8_t>(); }
TEST(Compress, MovesWords) { check_element<int16_t>(); }
TEST(Compress, MovesDwords) { check_element<uint32_t>(); }
TEST(Compress, MovesQwords) { check_element<int64_t>(); }
TEST(Compress, MovesFloats) {
  Guarded memory;
  check_vector<float, 16>(memory), check_vector<double, 4>(memory);
}

TEST(Compress, TakesAMaskFromAComparison) {
  const auto v = iota<uint32_t, 16>();
  const auto [values, count] = compress(v, v > Vec<uint32_t, 16>(12u));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(values.v[0], 13u);
  EXPECT_EQ(values.v[2], 15u);
  EXPECT_EQ(values.v[3], 0u);
}

} // namespace
} // namespace crosslane::lanes
