// Multishift against its definition bit by bit: all 64 starts in every byte with dirty upper bits, random data, all
// widths.
#include "lanes/multishift.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

uint8_t field(uint64_t element, unsigned start) {
  unsigned bits = 0;
  for (unsigned k = 0; k < 8; ++k)
    bits |= unsigned(element >> (start + k) % 64 & 1) << k;
  return uint8_t(bits);
}

template <int Q> void check(const uint64_t* in, const uint8_t* starts, Vec<uint8_t, 8 * Q> got, const char* what) {
  uint8_t g[8 * Q];
  store(g, got);
  for (int i = 0; i < 8 * Q; ++i)
    ASSERT_EQ(int(field(in[i / 8], starts[i] % 64)), int(g[i]))
        << what << " of " << Q << " elements: byte " << i << " from bit " << int(starts[i]);
}

template <int Q> void check_width() {
  std::mt19937_64 random(Q);
  uint64_t in[Q];
  uint8_t starts[8 * Q];
  for (int round = 0; round < 256 + 100; ++round) {
    for (auto& x : in)
      x = random();
    for (int i = 0; i < 8 * Q; ++i)
      starts[i] = uint8_t(round < 256 ? round + 11 * i : random());
    const auto v = load<uint64_t, Q>(in);
    const auto s = load<uint8_t, 8 * Q>(starts);
    check<Q>(in, starts, multishift(v, s), "multishift");
#ifdef __AVX2__
    if constexpr (8 * Q <= register_bytes)
      check<Q>(in, starts, multishift_by_shuffle(v, s), "by shuffle");
#endif
    check<Q>(in, starts, multishift_by_loop(v, s), "by loop");
  }
}

template <int Q, class F> void check_static(const char* what, F f) {
  std::mt19937_64 random(Q);
  for (int round = 0; round < 20; ++round) {
    uint64_t in[Q];
    uint8_t starts[8 * Q];
    for (auto& x : in)
      x = random();
    for (int i = 0; i < 8 * Q; ++i)
      starts[i] = uint8_t(f(i) & 63);
    check<Q>(in, starts, multishift(load<uint64_t, Q>(in), f), what);
  }
}
template <int Q> void check_statics() {
  check_static<Q>("6-bit fields", [](auto i) { return i % 8 * 6; });
  check_static<Q>("the same bit", [](auto i) { return 61; });
  check_static<Q>("nothing", [](auto i) { return i % 8 * 8; });
  check_static<Q>("rotation", [](auto i) { return i * 8 + 13; });
  check_static<Q>("rotation that wraps", [](auto i) { return i * 8 - 3; });
  check_static<Q>("bytes reversed", [](auto i) { return 56 - i % 8 * 8; });
  check_static<Q>("another in every element", [](auto i) { return i * 7 + 1; });
}

TEST(Multishift, EqualsItsDefinition) {
  check_width<2>(), check_width<4>(), check_width<8>(), check_width<16>(), check_width<32>();
}
TEST(Multishift, TakesStartsKnownAtCompileTime) {
  check_statics<2>(), check_statics<4>(), check_statics<8>(), check_statics<16>();
}

} // namespace
} // namespace crosslane::lanes
