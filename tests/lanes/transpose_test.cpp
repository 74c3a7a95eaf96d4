// Transposes in registers and in memory against the loop that defines them, with pages that fault around the memory.
#include "lanes/transpose.h"
#include "tests/lanes/guard.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::lanes {
namespace {

struct Pair {
  uint64_t low, high;
  bool operator==(const Pair&) const = default;
};
std::mt19937_64 random_bits(5);
template <class T> void noise(T* p, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint64_t bits[2] = {random_bits(), random_bits()};
    std::memcpy(p + i, bits, sizeof(T));
  }
}

template <Order O, class T, size_t R, int C> void check_order() {
  T from[R * C], to[R * C];
  noise(from, R * C);
  std::array<Vec<T, C>, R> rows;
  for (size_t r = 0; r < R; ++r)
    rows[r] = load<T, C>(from + r * C);
  const auto columns = transpose<O>(rows);
  for (int c = 0; c < C; ++c)
    store(to + c * R, columns[c]);
  for (size_t r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c)
      ASSERT_EQ(std::memcmp(to + c * R + r, from + r * C + c, sizeof(T)), 0)
          << R << " x " << C << " of " << sizeof(T) << " bytes";
}
template <class T, size_t R, int C> void check_registers() {
  check_order<Order::small_to_big, T, R, C>(), check_order<Order::big_to_small, T, R, C>();
}

TEST(Transpose, SquaresInRegisters) {
  check_registers<uint8_t, 2, 2>(), check_registers<uint8_t, 8, 8>(), check_registers<uint8_t, 16, 16>();
  check_registers<uint16_t, 8, 8>(), check_registers<uint16_t, 16, 16>();
  check_registers<uint32_t, 4, 4>(), check_registers<float, 8, 8>(), check_registers<uint32_t, 16, 16>();
  check_registers<uint64_t, 2, 2>(), check_registers<uint64_t, 4, 4>(), check_registers<double, 8, 8>();
}
TEST(Transpose, RectanglesInRegisters) {
  check_registers<uint8_t, 4, 64>(), check_registers<uint8_t, 64, 4>(), check_registers<uint16_t, 8, 32>(),
      check_registers<uint16_t, 16, 8>();
  check_registers<uint32_t, 2, 16>(), check_registers<uint32_t, 4, 16>(), check_registers<uint32_t, 16, 4>(),
      check_registers<uint32_t, 4, 64>();
  check_registers<uint32_t, 64, 2>(), check_registers<uint64_t, 4, 8>();
}

template <class T, int R, int C> void check_dense() {
  T from[R * C], to[R * C];
  noise(from, R * C);
  store(to, transpose_dense<R, C>(load<T, R * C>(from)));
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < C; ++c)
      ASSERT_EQ(to[c * R + r], from[r * C + c]) << R << " x " << C << " of " << sizeof(T) << " bytes, dense";
}
TEST(Transpose, Dense) {
  check_dense<uint8_t, 4, 4>(), check_dense<uint8_t, 8, 8>(), check_dense<uint8_t, 8, 16>(),
      check_dense<uint8_t, 16, 16>(), check_dense<uint8_t, 8, 32>(), check_dense<uint8_t, 32, 8>();
  check_dense<uint16_t, 4, 8>(), check_dense<uint16_t, 8, 8>(), check_dense<uint16_t, 8, 16>(),
      check_dense<uint16_t, 16, 8>(), check_dense<uint16_t, 32, 4>(), check_dense<uint16_t, 16, 16>();
  check_dense<uint32_t, 4, 4>(), check_dense<uint32_t, 4, 8>(), check_dense<uint32_t, 8, 8>(),
      check_dense<uint32_t, 4, 16>(), check_dense<uint32_t, 16, 4>(), check_dense<uint32_t, 2, 32>();
  check_dense<uint64_t, 2, 4>(), check_dense<uint64_t, 4, 4>(), check_dense<uint64_t, 8, 4>(),
      check_dense<uint64_t, 4, 8>();
}

// Room for any shape here: rows and columns are `gap` elements further apart than they are long.
template <class T> void check_memory(size_t most, size_t step) {
  const Guarded from((most + 3) * most * sizeof(T)), to((most + 3) * most * sizeof(T));
  for (size_t rows = 1; rows <= most; rows += step)
    for (size_t columns = 1; columns <= most; columns += step)
      for (const size_t gap : {0, 3}) {
        const size_t from_stride = columns + gap, to_stride = rows + gap;
        const size_t from_size = (rows - 1) * from_stride + columns, to_size = (columns - 1) * to_stride + rows;
        const bool at_end = random_bits() & 1;
        T* const a = reinterpret_cast<T*>(at_end ? from.back(from_size * sizeof(T)) : from.front());
        T* const b = reinterpret_cast<T*>(at_end ? to.back(to_size * sizeof(T)) : to.front());
        noise(a, from_size), noise(b, to_size);
        std::vector<T> expected(b, b + to_size);
        for (size_t r = 0; r < rows; ++r)
          for (size_t c = 0; c < columns; ++c)
            expected[c * to_stride + r] = a[r * from_stride + c];
        transpose(a, ptrdiff_t(from_stride), b, ptrdiff_t(to_stride), rows, columns);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), b))
            << rows << " x " << columns << " of " << sizeof(T) << " bytes, gap " << gap;
      }
}
// Rows that fall into few sets of the caches.
template <class T> void check_far_apart() {
  constexpr size_t stride = 512 / sizeof(T), most = std::min<size_t>(stride, 70);
  const Guarded from(most * 512), to(most * 512);
  for (const size_t rows : {size_t(1), size_t(15), size_t(16), size_t(17), size_t(32), most})
    for (size_t columns = 1; columns <= std::min(most, stride); columns += columns < 20 ? 1 : 9)
      if (rows <= most) {
        const size_t from_size = (rows - 1) * stride + columns, to_size = (columns - 1) * stride + rows;
        T* const a = reinterpret_cast<T*>(from.back(from_size * sizeof(T)));
        T* const b = reinterpret_cast<T*>(columns % 2 ? to.back(to_size * sizeof(T)) : to.front());
        noise(a, from_size), noise(b, to_size);
        std::vector<T> expected(b, b + to_size);
        for (size_t r = 0; r < rows; ++r)
          for (size_t c = 0; c < columns; ++c)
            expected[c * stride + r] = a[r * stride + c];
        transpose(a, ptrdiff_t(stride), b, ptrdiff_t(stride), rows, columns);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), b))
            << rows << " x " << columns << " of " << sizeof(T) << " bytes, 512 bytes apart";
      }
}
template <class T> void check_in_place() {
  const Guarded memory(72 * 72 * sizeof(T));
  for (size_t n = 0; n <= 70; ++n) {
    const size_t stride = n + n % 3, size = n ? (n - 1) * stride + n : 0;
    T* const p = reinterpret_cast<T*>(n % 2 ? memory.back(size * sizeof(T)) : memory.front());
    noise(p, size);
    std::vector<T> expected(p, p + size);
    for (size_t r = 0; r < n; ++r)
      for (size_t c = 0; c < n; ++c)
        expected[c * stride + r] = p[r * stride + c];
    transpose_in_place(p, ptrdiff_t(stride), n);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), p)) << n << " of " << sizeof(T) << " bytes";
  }
}
template <class T> void check_all() {
  check_memory<T>(20, 1), check_memory<T>(100, 9), check_memory<T>(300, 293), check_far_apart<T>();
  check_in_place<T>();
}

TEST(Transpose, BytesInMemory) { check_all<uint8_t>(); }
TEST(Transpose, WordsInMemory) { check_all<uint16_t>(); }
TEST(Transpose, DwordsInMemory) { check_all<uint32_t>(); }
TEST(Transpose, QwordsInMemory) { check_all<uint64_t>(); }
TEST(Transpose, PairsInMemory) { check_all<Pair>(); }

TEST(Transpose, StridesMayBeNegative) {
  const float from[6] = {1, 2, 3, 4, 5, 6};
  float to[6];
  transpose(from + 3, -3, to, 2, 2, 3); // the rows from the last to the first
  const float expected[6] = {4, 1, 5, 2, 6, 3};
  EXPECT_TRUE(std::equal(to, to + 6, expected));
}

} // namespace
} // namespace crosslane::lanes
