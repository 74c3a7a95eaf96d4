// Shifts and rotates of whole vectors against bit strings: every count up to beyond the width, by each way; a selection
// of counts known at compile time (all that are special and their neighbours).
#include "lanes/wide_shift.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

template <int Q> bool bit_of(const uint64_t* x, unsigned i) { return x[i / 64] >> i % 64 & 1; }

template <Wide W, int Q> void expected(const uint64_t* x, uint64_t count, uint64_t* out) {
  constexpr int64_t bits = Q * 64;
  std::memset(out, 0, Q * 8);
  for (int64_t i = 0; i < bits; ++i) {
    bool bit = false;
    const int64_t c = int64_t(count);
    if (W == Wide::left)
      bit = i - c >= 0 && bit_of<Q>(x, unsigned(i - c));
    if (W == Wide::right)
      bit = i + c < bits && bit_of<Q>(x, unsigned(i + c));
    if (W == Wide::right_signed)
      bit = bit_of<Q>(x, unsigned(std::min(i + c, bits - 1)));
    if (W == Wide::rotate_left)
      bit = bit_of<Q>(x, unsigned((i + bits * bits - c % bits) % bits));
    if (W == Wide::rotate_right)
      bit = bit_of<Q>(x, unsigned((i + c % bits) % bits));
    out[i / 64] |= uint64_t(bit) << i % 64;
  }
}

template <int Q> struct Random {
  uint64_t x[Q];
  explicit Random(unsigned seed) {
    std::mt19937_64 random(seed);
    for (auto& q : x)
      q = random();
    if (seed % 2)
      x[Q - 1] |= uint64_t(1) << 63;
    else
      x[Q - 1] &= ~(uint64_t(1) << 63);
  }
};

template <int Q>
::testing::AssertionResult equal(const uint64_t* want, Vec<uint64_t, Q> got, const char* what, Wide w, uint64_t n) {
  uint64_t g[Q];
  store(g, got);
  if (!std::memcmp(want, g, sizeof g))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " of " << Q * 64 << " bits, operation " << int(w) << ", by " << n;
}

template <Wide W, int Q> void check_counts() {
  uint64_t want[Q];
  for (unsigned n = 0; n <= Q * 64 + 130; ++n) {
    const Random<Q> r(n);
    const auto v = load<uint64_t, Q>(r.x);
    expected<W, Q>(r.x, n, want);
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
    expected<W, Q>(r.x, n, want);
    ASSERT_TRUE(equal<Q>(want, wide<W>(load<uint64_t, Q>(r.x), n), "shift", W, n));
  }
}

template <Wide W, int Q, unsigned Count> void check_static() {
  for (unsigned seed = 0; seed < 4; ++seed) {
    uint64_t want[Q];
    const Random<Q> r(Count * 4 + seed);
    expected<W, Q>(r.x, Count, want);
    ASSERT_TRUE(equal<Q>(want, wide<W, Count>(load<uint64_t, Q>(r.x)), "compile-time shift", W, Count));
  }
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
