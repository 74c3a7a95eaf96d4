// Lookups against indexing an array: dirty and clean, every way that the level has, all indexes around the table's
// size, random ones of all bits.
#include "lanes/table.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, int N> bool same(const T* want, Vec<T, N> got) {
  T g[N];
  store(g, got);
  return !std::memcmp(want, g, sizeof g);
}

template <class T, int E, int N> void check() {
  using U = unsigned_of<sizeof(T)>;
  std::mt19937_64 random(E);
  T t[E];
  for (int i = 0; i < E; ++i)
    t[i] = T(random() % 100000) + T(1);
  const auto table = load<T, E>(t);
  for (int round = 0; round < 5 * E / N + 200; ++round) {
    U index[N];
    T dirty[N], clean[N];
    for (int i = 0; i < N; ++i) {
      index[i] = round < 5 * E / N + 1 ? U(round * N + i) : U(random() >> random() % 64);
      dirty[i] = t[index[i] % E];
      clean[i] = uint64_t(index[i]) < uint64_t(E) ? t[index[i]] : T(0);
    }
    const auto at = load<U, N>(index);
    const auto where = [&] {
      return ::testing::Message() << E << " x " << sizeof(T) << " bytes, " << N << " indexes, round " << round;
    };
    ASSERT_TRUE(same(dirty, lookup_dirty(table, at))) << "dirty " << where();
    ASSERT_TRUE(same(clean, lookup_clean(table, at))) << "clean " << where();
    const auto by = [&]<Lookup By>(std::integral_constant<Lookup, By>) {
      if constexpr (has_lookup<By, T>())
        ASSERT_TRUE(same(dirty, lookup_by<By>(table, at))) << "way " << int(By) << ", " << where();
    };
    by(std::integral_constant<Lookup, Lookup::permute>{}), by(std::integral_constant<Lookup, Lookup::shuffle>{});
    by(std::integral_constant<Lookup, Lookup::gather>{}), by(std::integral_constant<Lookup, Lookup::memory>{});
  }
}

TEST(Table, OfBytes) {
  check<uint8_t, 2, 16>(), check<uint8_t, 16, 64>(), check<uint8_t, 64, 64>(), check<int8_t, 128, 32>(),
      check<uint8_t, 256, 128>();
}
TEST(Table, OfWords) {
  check<uint16_t, 4, 16>(), check<uint16_t, 32, 32>(), check<int16_t, 64, 64>(), check<uint16_t, 128, 8>();
}
TEST(Table, OfDwords) {
  check<uint32_t, 2, 4>(), check<float, 8, 16>(), check<uint32_t, 16, 16>(), check<int32_t, 32, 8>(),
      check<uint32_t, 64, 64>(), check<float, 64, 16>();
}
TEST(Table, OfQwords) {
  check<uint64_t, 4, 8>(), check<double, 8, 2>(), check<uint64_t, 16, 8>(), check<int64_t, 64, 8>(),
      check<double, 32, 16>();
}

} // namespace
} // namespace crosslane::lanes
