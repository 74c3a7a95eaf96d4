// Gathers and scatters against loops over elements, between pages that fault: indexes of every size, negative ones,
// equal ones, masks; tables of every size. Single lanes and parts, put in and taken out, at every place.
#include "lanes/gather.h"
#include "lanes/insert.h"
#include "tests/lanes/guard.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, int N> bool same(const T* want, Vec<T, N> got) {
  T g[N];
  store(g, got);
  return !std::memcmp(want, g, sizeof g);
}

constexpr int room = 96; // elements, of which the middle one is p

template <class T, class I, int N> void check_places() {
  std::mt19937_64 random(N);
  const Guarded memory(room * sizeof(T));
  for (int round = 0; round < 200; ++round) {
    // The named elements may be the first and the last before a page that faults.
    const bool at_end = round % 2, negative = std::is_signed_v<I> && round % 4 < 2;
    T* const first = reinterpret_cast<T*>(at_end ? memory.back(room * sizeof(T)) : memory.front());
    T* const p = negative ? first + room / 2 : first;
    T data[room], want[N], masked[N], values[N], after[room], after_mask[room];
    I index[N];
    for (T& x : data)
      x = T(random() % 100);
    std::memcpy(first, data, sizeof data);
    uint64_t bits = random();
    for (int i = 0; i < N; ++i) {
      index[i] = I(int(random() % room) - int(p - first));
      if (random() % 8 == 0)
        index[i] = I(at_end ? room - 1 - (p - first) : -(p - first));
      values[i] = T(100 + i);
      want[i] = p[index[i]];
      masked[i] = bits >> i & 1 ? want[i] : values[i];
    }
    const auto at = load<I, N>(index);
    const auto v = load<T, N>(values);
    ASSERT_TRUE(same(want, gather(p, at))) << N << " x " << sizeof(T) << " bytes";
    ASSERT_TRUE(same(want, gather_scalar(p, at))) << N << " x " << sizeof(T) << " bytes, scalar";
    ASSERT_TRUE(same(want, gather_instruction(p, at))) << N << " x " << sizeof(T) << " bytes, by the instruction";
    I far[N]; // where the mask is clear nothing is read or written: these would fault
    for (int i = 0; i < N; ++i)
      far[i] = bits >> i & 1 ? index[i] : sizeof(I) >= 4 ? I(1 << 20) : index[i];
    const Mask<N> mask{typename Mask<N>::bits_t(N == 1 ? bits & 1 : bits)};
    ASSERT_TRUE(same(masked, gather(p, mask, load<I, N>(far), v))) << N << " x " << sizeof(T) << " bytes, masked";

    std::memcpy(after, data, sizeof data), std::memcpy(after_mask, data, sizeof data);
    for (int i = 0; i < N; ++i) {
      after[p - first + index[i]] = values[i];
      if (bits >> i & 1)
        after_mask[p - first + index[i]] = values[i];
    }
    const auto scattered = [&](const T* expected, auto f) {
      std::memcpy(first, data, sizeof data);
      f();
      return !std::memcmp(first, expected, sizeof data);
    };
    ASSERT_TRUE(scattered(after, [&] { scatter(p, at, v); })) << N << " x " << sizeof(T) << " bytes";
    ASSERT_TRUE(scattered(after, [&] { scatter_scalar(p, at, v); })) << N << " x " << sizeof(T) << " bytes";
    ASSERT_TRUE(scattered(after, [&] { scatter_instruction(p, at, v); })) << N << " x " << sizeof(T) << " bytes";
    ASSERT_TRUE(scattered(after_mask, [&] { scatter(p, mask, load<I, N>(far), v); }))
        << N << " x " << sizeof(T) << " bytes, masked";
  }
}
template <class T, class I> void check_lengths() {
  check_places<T, I, 1>(), check_places<T, I, 2>(), check_places<T, I, 4>(), check_places<T, I, 16>();
  if constexpr (sizeof(T) >= 4 && sizeof(I) == sizeof(T))
    check_places<T, I, 8>(), check_places<T, I, 32>();
}

TEST(Gather, OfBytesAndWords) {
  check_lengths<uint8_t, int8_t>(), check_lengths<uint8_t, uint32_t>(), check_lengths<int16_t, int16_t>();
}
TEST(Gather, OfDwords) {
  check_lengths<uint32_t, int32_t>(), check_lengths<float, uint32_t>(), check_lengths<uint32_t, int64_t>();
}
TEST(Gather, OfQwords) {
  check_lengths<double, int64_t>(), check_lengths<uint64_t, uint64_t>(), check_lengths<uint64_t, int16_t>();
}

// What is behind the table faults.
template <class T, int Size> void check_table() {
  using U = unsigned_of<sizeof(T)>;
  constexpr int N = 64 / sizeof(T);
  std::mt19937_64 random(Size);
  const Guarded memory(Size * sizeof(T));
  for (int round = 0; round < 50; ++round) {
    T* const p = reinterpret_cast<T*>(round % 2 ? memory.back(Size * sizeof(T)) : memory.front());
    T want[N];
    U index[N];
    for (int i = 0; i < Size; ++i)
      p[i] = T(random() % 100);
    for (int i = 0; i < N; ++i)
      index[i] = U(round < Size / N + 1 ? (round * N + i) % Size : random() % Size), want[i] = p[index[i]];
    ASSERT_TRUE(same(want, gather_from<Size>(p, load<U, N>(index)))) << Size << " x " << sizeof(T) << " bytes";
  }
}
template <class T> void check_tables() {
  check_table<T, 1>(), check_table<T, 2>(), check_table<T, 3>(), check_table<T, 4>(), check_table<T, 7>();
  check_table<T, 8>(), check_table<T, 10>(), check_table<T, 16>(), check_table<T, 17>(), check_table<T, 30>();
  check_table<T, 32>(), check_table<T, 50>(), check_table<T, 64>(), check_table<T, 100>(), check_table<T, 128>();
  check_table<T, 200>(), check_table<T, 256>();
}
TEST(Gather, FromTablesOfBytes) { check_tables<uint8_t>(); }
TEST(Gather, FromTablesOfWords) { check_tables<uint16_t>(); }
TEST(Gather, FromTablesOfDwords) { check_tables<float>(); }
TEST(Gather, FromTablesOfQwords) { check_tables<uint64_t>(); }

template <class T, int N> void check_insert() {
  T x[N], taken[N], put[N][N], pairs[N][N];
  for (int i = 0; i < N; ++i)
    x[i] = T(i + 1);
  const auto v = load<T, N>(x);
  const auto two = load<T, 2>(std::array{T(77), T(88)}.data());
  unrolled<N>([&](auto k) {
    taken[k] = extract<k>(v);
    store(put[k], insert<k>(v, T(99)));
    if constexpr (2 * k < N - 1)
      store(pairs[k], insert_part<k>(v, two));
  });
  for (int k = 0; k < N; ++k) {
    T want[N];
    std::memcpy(want, x, sizeof x);
    want[k] = T(99);
    ASSERT_EQ(taken[k], x[k]);
    ASSERT_EQ(extract(v, unsigned(k)), x[k]);
    ASSERT_EQ(extract(v, unsigned(k + N)), x[k]);
    ASSERT_TRUE(!std::memcmp(want, put[k], sizeof want)) << k << " of " << N;
    ASSERT_TRUE(same(want, insert(v, unsigned(k), T(99)))) << k << " of " << N;
    ASSERT_TRUE(same(want, insert(v, unsigned(k + N), T(99)))) << k << " of " << N;
    if (2 * k < N - 1) {
      std::memcpy(want, x, sizeof x);
      want[2 * k] = T(77), want[2 * k + 1] = T(88);
      ASSERT_TRUE(!std::memcmp(want, pairs[k], sizeof want)) << k << " of " << N;
    }
  }
  ASSERT_TRUE(same(x, insert_part<0>(Vec<T, N>(T(0)), v)));
}
template <class T> void check_inserts() {
  constexpr int whole = 64 / sizeof(T);
  check_insert<T, 1>(), check_insert<T, 2>(), check_insert<T, whole / 4>(), check_insert<T, whole / 2>();
  check_insert<T, whole>();
}
TEST(Insert, PutsAndTakesLanes) {
  check_inserts<uint8_t>(), check_inserts<int16_t>(), check_inserts<float>(), check_inserts<uint64_t>();
}

} // namespace
} // namespace crosslane::lanes
