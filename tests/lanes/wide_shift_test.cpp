// Shifts and rotates of whole vectors against bit strings: every count up to beyond the width, by each way; a selection
// of counts known at compile time (all that are special and their neighbours).
#include "lanes/wide_shift.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

// The oracle knows nothing at compile time: it costs its compilation once.
void expected(Wide w, int words, const uint64_t* x, int64_t count, uint64_t* out) {
  const int64_t bits = words * 64;
  const auto bit_of = [x](int64_t i) { return x[i / 64] >> i % 64 & 1; };
  std::memset(out, 0, size_t(words) * 8);
  for (int64_t i = 0; i < bits; ++i) {
    uint64_t bit = 0;
    switch (w) {
    case Wide::left: bit = i - count >= 0 ? bit_of(i - count) : 0; break;
    case Wide::right: bit = i + count < bits ? bit_of(i + count) : 0; break;
    case Wide::right_signed: bit = bit_of(std::min(i + count, bits - 1)); break;
    case Wide::rotate_left: bit = bit_of((i + bits - count % bits) % bits); break;
    case Wide::rotate_right: bit = bit_of((i + count % bits) % bits); break;
    }
    out[i / 64] |= bit << i % 64;
  }
}

void fill(uint64_t* x, int words, unsigned seed) {
  std::mt19937_64 random(seed);
  for (int q = 0; q < words; ++q)
    x[q] = random();
  x[words - 1] = x[words - 1] >> 1 | uint64_t(seed % 2) << 63; // either sign
}
template <int Q> struct Random {
  uint64_t x[Q];
  explicit Random(unsigned seed) { fill(x, Q, seed); }
};

::testing::AssertionResult compare(const uint64_t* want, const uint64_t* got, int words, const char* what, Wide w,
                                   uint64_t n) {
  if (!std::memcmp(want, got, size_t(words) * 8))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " of " << words * 64 << " bits, operation " << int(w) << ", by " << n;
}
template <int Q>
::testing::AssertionResult equal(const uint64_t* want, Vec<uint64_t, Q> got, const char* what, Wide w, uint64_t n) {
  uint64_t g[Q];
  store(g, got);
  return compare(want, g, Q, what, w, n);
}

template <Wide W, int Q> void check_counts() {
  uint64_t want[Q];
  for (unsigned n = 0; n <= Q * 64 + 130; ++n) {
    const Random<Q> r(n);
    const auto v = load<uint64_t, Q>(r.x);
    expected(W, Q, r.x, n, want);
    ASSERT_TRUE(equal<Q>(want, wide<W>(v, n), "shift", W, n));
    const unsigned small = detail::rotates(W) ? n % (Q * 64) : std::min<unsigned>(n, Q * 64);
    ASSERT_TRUE(equal<Q>(want, wide_by_memory<W>(v, small), "shift by memory", W, n));
#ifdef __AVX2__
    if constexpr (detail::wide_fits<W, Q>())
      ASSERT_TRUE(equal<Q>(want, wide_in_registers<W>(v, small), "shift in registers", W, n));
#endif
  }
  for (unsigned n : {0x7fffffffu, 0x80000000u, 0xffffffc1u, 0xffffffffu}) {
    const Random<Q> r(n);
    expected(W, Q, r.x, n, want);
    ASSERT_TRUE(equal<Q>(want, wide<W>(load<uint64_t, Q>(r.x), n), "shift", W, n));
  }
}

using Shift = void (*)(uint64_t* x); // in place
void check_constant(Wide w, int words, unsigned count, Shift shift) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    uint64_t x[32], want[32];
    fill(x, words, count * 4 + seed);
    expected(w, words, x, count, want);
    shift(x);
    ASSERT_TRUE(compare(want, x, words, "compile-time shift", w, count));
  }
}
template <Wide W, int Q, unsigned Count> void check_static() {
  check_constant(W, Q, Count, [](uint64_t* x) { store(x, wide<W, Count>(load<uint64_t, Q>(x))); });
}
template <Wide W, int Q> void check_statics() {
  constexpr unsigned bits = Q * 64;
  check_static<W, Q, 0>(), check_static<W, Q, 1>(), check_static<W, Q, 24>(), check_static<W, Q, 32>();
  check_static<W, Q, 42>(), check_static<W, Q, 64>(), check_static<W, Q, 72>(), check_static<W, Q, 96>();
  check_static<W, Q, bits - 61>(), check_static<W, Q, bits - 1>(), check_static<W, Q, bits>(),
      check_static<W, Q, bits + 9>();
}

template <int Q> void check_width() {
  check_counts<Wide::left, Q>(), check_counts<Wide::right, Q>(), check_counts<Wide::right_signed, Q>();
  check_counts<Wide::rotate_left, Q>(), check_counts<Wide::rotate_right, Q>();
}
template <int Q> void check_width_statics() {
  check_statics<Wide::left, Q>(), check_statics<Wide::right, Q>(), check_statics<Wide::right_signed, Q>();
  check_statics<Wide::rotate_left, Q>(), check_statics<Wide::rotate_right, Q>();
}

TEST(WideShift, TakesEveryCount) {
  check_width<2>(), check_width<4>(), check_width<8>(), check_width<16>(), check_width<32>();
}
TEST(WideShift, TakesCountsKnownAtCompileTime) {
  check_width_statics<2>(), check_width_statics<4>(), check_width_statics<8>();
}
TEST(WideShift, TakesCountsKnownAtCompileTimeOverRegisters) {
  check_statics<Wide::left, 16>(), check_statics<Wide::right_signed, 16>(), check_statics<Wide::rotate_right, 32>();
}

TEST(WideShift, HasNames) {
  const auto one = Vec<uint8_t, 16>::of(raw_t<uint8_t, 16>{0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80});
  EXPECT_EQ(wide_shift_left(one, 1).v[1], 3);
  EXPECT_EQ(wide_shift_left<1>(one).v[1], 3);
  EXPECT_EQ(wide_shift_right(one, 8).v[14], 0x80);
  EXPECT_EQ(wide_shift_right_signed<8>(one).v[15], 0xff);
  EXPECT_EQ(wide_rotate_left(one, 1).v[0], 1);
  EXPECT_EQ(wide_rotate_right<8>(one).v[15], 0x80);
}

} // namespace
} // namespace crosslane::lanes
