// Structures apart and together against the loop that defines them, with pages that fault on both sides of the memory.
#include "lanes/fields.h"
#include "tests/lanes/guard.h"
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

template <class T> std::vector<T> noise(size_t n) {
  static std::mt19937_64 random(4);
  std::vector<T> v(n);
  for (T& x : v)
    x = T(random());
  return v;
}

template <size_t K, class T, int N> void check_registers() {
  const auto memory = noise<T>(K * N);
  Guarded page(K * N * sizeof(T));
  for (uint8_t* p : {page.front(), page.back(K * N * sizeof(T))}) {
    std::memcpy(p, memory.data(), K * N * sizeof(T));
    const auto fields = load_fields<K, T, N>(p);
    for (size_t k = 0; k < K; ++k) {
      T got[N];
      store(got, fields[k]);
      for (int i = 0; i < N; ++i)
        ASSERT_EQ(got[i], memory[K * i + k]) << K << " fields of " << sizeof(T) << ", structure " << i << " of " << N;
    }
    std::memset(p, 0, K * N * sizeof(T));
    std::array<Vec<T, N>, K> loaded;
    for (size_t k = 0; k < K; ++k) {
      T field[N];
      for (int i = 0; i < N; ++i)
        field[i] = memory[K * i + k];
      loaded[k] = load<T, N>(field);
    }
    store_fields(p, loaded);
    ASSERT_EQ(std::memcmp(p, memory.data(), K * N * sizeof(T)), 0)
        << K << " fields of " << sizeof(T) << " together, " << N;
  }
}

template <size_t K, class T> void check_memory() {
  constexpr size_t most = 150;
  Guarded in(K * most * sizeof(T)), out(K * most * sizeof(T));
  std::vector<std::unique_ptr<Guarded>> apart;
  for (size_t k = 0; k < K; ++k)
    apart.push_back(std::make_unique<Guarded>(most * sizeof(T)));
  for (size_t n = 0; n <= most; ++n)
    for (const bool at_end : {false, true}) {
      const auto place = [&](const Guarded& g, size_t size) {
        return reinterpret_cast<T*>(at_end ? g.back(size) : g.front());
      };
      const auto memory = noise<T>(K * n);
      T* const structures = place(in, K * n * sizeof(T));
      std::copy(memory.begin(), memory.end(), structures);
      std::array<T*, K> fields;
      std::array<const T*, K> constant;
      for (size_t k = 0; k < K; ++k) {
        constant[k] = fields[k] = place(*apart[k], n * sizeof(T));
        std::fill(fields[k], fields[k] + n, T(0));
      }
      aos_to_soa<K, T>(structures, fields, n);
      for (size_t k = 0; k < K; ++k)
        for (size_t i = 0; i < n; ++i)
          ASSERT_EQ(fields[k][i], memory[K * i + k]) << K << " fields, structure " << i << " of " << n;
      T* const back = place(out, K * n * sizeof(T));
      std::fill(back, back + K * n, T(0));
      soa_to_aos<K, T>(constant, back, n);
      ASSERT_TRUE(std::equal(memory.begin(), memory.end(), back))
          << K << " fields of " << sizeof(T) << ", " << n << " structures";
    }
}

// In memory the functions on registers of 16 bytes and of the level's own size work.
template <class T> void check_element() {
  check_memory<2, T>(), check_memory<3, T>(), check_memory<4, T>(), check_memory<8, T>();
}

TEST(Fields, OfBytes) { check_element<uint8_t>(); }
TEST(Fields, OfWords) { check_element<uint16_t>(); }
TEST(Fields, OfDwords) { check_element<uint32_t>(); }
TEST(Fields, OfQwords) { check_element<uint64_t>(); }

TEST(Fields, OfSixteenLanes) {
  check_registers<2, uint32_t, 16>(), check_registers<3, uint32_t, 16>(), check_registers<4, uint32_t, 16>(),
      check_registers<8, uint32_t, 16>();
  check_registers<2, uint64_t, 16>(), check_registers<3, uint64_t, 16>(), check_registers<4, uint64_t, 16>();
}
TEST(Fields, OfUnusualNumber) {
  check_registers<1, uint32_t, 16>(), check_registers<5, uint32_t, 16>(), check_registers<6, uint32_t, 16>(),
      check_registers<7, uint32_t, 16>();
  check_memory<5, uint16_t>();
}

} // namespace
} // namespace crosslane::lanes
