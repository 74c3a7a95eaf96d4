// Bit matrices and byte shifts against loops over bits: every byte, every count, random matrices, bit permutations of
// every kind that has a way of its own.
#include "lanes/bit_matrix.h"
#include "lanes/byte_shift.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <class T, int N>::testing::AssertionResult same(const T* want, Vec<T, N> got) {
  T g[N];
  store(g, got);
  for (int i = 0; i < N; ++i)
    if (g[i] != want[i])
      return ::testing::AssertionFailure() << "element " << i << " of " << N << ": " << +g[i] << ", not " << +want[i];
  return ::testing::AssertionSuccess();
}

uint8_t product(const uint8_t* rows, uint8_t byte) {
  unsigned out = 0;
  for (int i = 0; i < 8; ++i) {
    unsigned sum = 0;
    for (int j = 0; j < 8; ++j)
      sum += (rows[i] >> j & 1) * (byte >> j & 1);
    out |= (sum % 2) << i;
  }
  return uint8_t(out);
}

template <int N> void check_affine() {
  std::mt19937_64 random(N);
  for (int round = 0; round < 300; ++round) {
    uint8_t v[N], rows[N], one[N], own[N];
    for (int i = 0; i < N; ++i)
      v[i] = uint8_t(round + i), rows[i] = uint8_t(random());
    for (int i = 0; i < N; ++i)
      one[i] = product(rows, v[i]), own[i] = product(rows + i / 8 * 8, v[i]);
    BitMatrix m;
    std::memcpy(m.row.data(), rows, 8);
    ASSERT_TRUE(same(one, affine(load<uint8_t, N>(v), m)));
    ASSERT_TRUE(same(own, affine(load<uint8_t, N>(v), load<uint64_t, N / 8>(rows))));
    ASSERT_EQ(one[0], m(v[0]));
  }
}
template <BitMatrix M, uint8_t Add, int N> void check_constant() {
  for (int round = 0; round < 256; ++round) {
    uint8_t v[N], want[N];
    for (int i = 0; i < N; ++i)
      v[i] = uint8_t(round + i), want[i] = uint8_t(product(M.row.data(), v[i]) ^ Add);
    ASSERT_TRUE(same(want, affine<M, Add>(load<uint8_t, N>(v))));
  }
}
TEST(BitMatrix, TimesBytes) { check_affine<16>(), check_affine<64>(); }
TEST(BitMatrix, KnownAtCompileTimeTimesBytes) {
  check_constant<BitMatrix{{1, 2, 4, 8, 16, 32, 64, 128}}, 0, 16>();
  check_constant<BitMatrix{{0xf1, 0xe3, 0xc7, 0x8f, 0x1f, 0x3e, 0x7c, 0xf8}}, 0x63, 64>(); // the S-box of AES
  check_constant<BitMatrix{{0x13, 0, 0xff, 0x80, 0x01, 0xa5, 0x5a, 0x77}}, 0xff, 32>();
}

template <int Q> void check_transpose() {
  std::mt19937_64 random(Q);
  for (int round = 0; round < 200; ++round) {
    uint64_t v[Q], want[Q] = {};
    for (auto& x : v)
      x = random();
    for (int q = 0; q < Q; ++q)
      for (int i = 0; i < 64; ++i)
        want[q] |= (v[q] >> (i % 8 * 8 + i / 8) & 1) << i;
    ASSERT_TRUE(same(want, transpose_bits(load<uint64_t, Q>(v))));
  }
}
TEST(BitMatrix, Transposes) { check_transpose<2>(), check_transpose<16>(); }

template <int Q, bool EveryWay = false, class F> void check_bits(const char* what, F f) {
  std::mt19937_64 random(Q);
  for (int round = 0; round < 64 + 20; ++round) {
    uint64_t v[Q], want[Q] = {};
    for (auto& x : v)
      x = round < 64 ? uint64_t(1) << round : random();
    for (int q = 0; q < Q; ++q)
      for (int i = 0; i < 64; ++i)
        if (f(i) >= 0)
          want[q] |= (v[q] >> f(i) & 1) << i;
    const auto x = load<uint64_t, Q>(v);
    ASSERT_TRUE(same(want, permute_bits(x, f))) << what;
    if constexpr (EveryWay) {
      ASSERT_TRUE(same(want, permute_bits_by_multishift(x, f))) << what;
      ASSERT_TRUE(same(want, permute_bits_by_test(x, f))) << what;
      ASSERT_TRUE(same(want, permute_bits_by_rotation(x, f))) << what;
    }
  }
}
TEST(BitMatrix, PermutesBitsOfElements) {
  check_bits<2>("identity", [](int i) { return i; });
  check_bits<16>("rotation", [](int i) { return (i + 19) % 64; });
  check_bits<4>("bytes reversed", [](int i) { return i ^ 56; });
  check_bits<2>("all reversed", [](int i) { return 63 - i; });
  check_bits<8>("transposed", [](int i) { return i % 8 * 8 + i / 8; });
  check_bits<2, true>("transposed and mixed", [](int i) { return (i % 8 ^ 3) * 8 + (i / 8 * 3) % 8; });
  check_bits<8>("interleaved", [](int i) { return i / 2 + i % 2 * 32; });
  check_bits<4, true>("random", [](int i) { return (i * 37 + i / 8 * 5) % 64; });
  check_bits<2, true>("zeros", [](int i) { return i % 3 == 0 ? zero : (i * 7 + 3) % 64; });
  check_bits<2>("one bit everywhere", [](int i) { return 41; });
}

template <int N, class F> void check_bytes(F f) {
  for (int round = 0; round < 256; ++round) {
    uint8_t v[N], want[N] = {};
    for (int i = 0; i < N; ++i) {
      v[i] = uint8_t(round + i);
      for (int k = 0; k < 8; ++k)
        if (f(k) >= 0)
          want[i] |= uint8_t((v[i] >> f(k) & 1) << k);
    }
    ASSERT_TRUE(same(want, permute_bits(load<uint8_t, N>(v), f)));
  }
}
TEST(BitMatrix, PermutesBitsOfBytes) {
  check_bytes<64>([](int i) { return 7 - i; });
  check_bytes<32>([](int i) { return i < 3 ? zero : (i * 3) % 8; });
  const auto v = Vec<uint8_t, 16>(uint8_t(0x13));
  EXPECT_EQ(reverse_bits_in_bytes(v).v[5], 0xc8);
}

// What each shift does to one byte, by C's rules on wider integers.
uint8_t left(uint8_t x, unsigned n) { return n < 8 ? uint8_t(unsigned(x) << n) : 0; }
uint8_t right(uint8_t x, unsigned n) { return n < 8 ? uint8_t(x >> n) : 0; }
uint8_t right_signed(uint8_t x, unsigned n) { return uint8_t(int(int8_t(x)) >> (n < 31 ? n : 31)); }
uint8_t rotated(uint8_t x, unsigned n) {
  for (n %= 8; n > 0; --n)
    x = uint8_t(x * 2 + x / 128);
  return x;
}
template <int N> void check_shifts() {
  for (unsigned n = 0; n < 256; ++n) {
    for (int first = 0; first < 256; first += N < 256 ? N : 1) {
      uint8_t v[N], count[N], want[4][N];
      for (int i = 0; i < N; ++i) {
        v[i] = uint8_t(first + i), count[i] = uint8_t(n + (i % 5) * (n % 3));
        want[0][i] = left(v[i], count[i]), want[1][i] = right(v[i], count[i]);
        want[2][i] = right_signed(v[i], count[i]), want[3][i] = rotated(v[i], count[i]);
      }
      const auto x = load<uint8_t, N>(v), c = load<uint8_t, N>(count);
      ASSERT_TRUE(same(want[0], shift_left8(x, c))) << "left, counts around " << n;
      ASSERT_TRUE(same(want[1], shift_right8(x, c))) << "right, counts around " << n;
      ASSERT_TRUE(same(want[2], shift_right_signed8(x, c))) << "right signed, counts around " << n;
      ASSERT_TRUE(same(want[3], rotate_left8(x, c))) << "rotate, counts around " << n;
    }
  }
}
template <unsigned C> void check_constant_shift() {
  for (int first = 0; first < 256; first += 64) {
    uint8_t v[64], want[4][64];
    for (int i = 0; i < 64; ++i) {
      v[i] = uint8_t(first + i);
      want[0][i] = left(v[i], C), want[1][i] = right(v[i], C), want[2][i] = right_signed(v[i], C),
      want[3][i] = rotated(v[i], C);
    }
    const auto x = load<uint8_t, 64>(v);
    ASSERT_TRUE(same(want[0], shift_left8<C>(x))) << "left by " << C;
    ASSERT_TRUE(same(want[1], shift_right8<C>(x))) << "right by " << C;
    ASSERT_TRUE(same(want[2], shift_right_signed8<C>(x))) << "right signed by " << C;
    ASSERT_TRUE(same(want[3], rotate_left8<C>(x))) << "rotate by " << C;
  }
}
TEST(ByteShift, TakesAVectorOfCounts) { check_shifts<64>(); }
TEST(ByteShift, TakesConstants) {
  [&]<int... C>(std::integer_sequence<int, C...>) {
    (check_constant_shift<C>(), ...);
  }(std::make_integer_sequence<int, 10>{});
}

} // namespace
} // namespace crosslane::lanes
