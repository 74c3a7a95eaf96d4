// Funnel shifts and rotates within elements, against integers of twice the width: every count and beyond, every size of
// element, lengths below, at and above a register; every pair of bytes by every count.
#include "lanes/bytes.h"
#include "lanes/funnel_shift.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

// Bit by bit: bit `from` of the number high:low.
template <class U> U shifted(U high, U low, uint64_t count, bool right) {
  constexpr int width = sizeof(U) * 8;
  const int n = int(count % width), first = right ? n : width - n;
  U out = 0;
  for (int b = 0; b < width; ++b) {
    const int from = first + b;
    const uint64_t bit = from < width ? uint64_t(low) >> from & 1 : uint64_t(high) >> (from - width) & 1;
    out = U(out | U(bit << b));
  }
  return out;
}

// What `got` should be: halves shifted by `count`, or where that is null by `constant`. Once for each T, as all that is
// shifted here would else be compiled for each length and constant.
template <class T>
[[gnu::noinline]] void check(int lanes, const T* got, const T* high, const T* low, const T* count, unsigned constant,
                             bool right, const char* what, uint64_t seed) {
  using U = unsigned_of<sizeof(T)>;
  for (int i = 0; i < lanes; ++i)
    ASSERT_EQ(got[i], T(shifted<U>(U(high[i]), U(low[i]), count ? uint64_t(count[i]) : constant, right)))
        << what << " by " << constant << ": lane " << i << " of " << lanes << " x " << sizeof(T) << " bytes, seed "
        << seed;
}

template <class T, int N> void check_once(const T* h, const T* l, const T* c, uint64_t seed) {
  T got[N];
  const auto high = load<T, N>(h), low = load<T, N>(l), count = load<T, N>(c);
  store(got, funnel_shift_left(high, low, count));
  check(N, got, h, l, c, 0, false, "left", seed);
  store(got, funnel_shift_right(high, low, count));
  check(N, got, h, l, c, 0, true, "right", seed);
  store(got, rotate_left(high, count));
  check(N, got, h, h, c, 0, false, "rotate left", seed);
  store(got, rotate_right(high, count));
  check(N, got, h, h, c, 0, true, "rotate right", seed);
}
template <class T, int N, unsigned... Count> void check_constants(const T* h, const T* l, uint64_t seed) {
  T got[N];
  const T* const none = nullptr;
  const auto high = load<T, N>(h), low = load<T, N>(l);
  const auto one = [&]<unsigned C>(std::integral_constant<unsigned, C>) {
    store(got, funnel_shift_left<C>(high, low));
    check(N, got, h, l, none, C, false, "left", seed);
    store(got, funnel_shift_right<C>(high, low));
    check(N, got, h, l, none, C, true, "right", seed);
    store(got, rotate_left<C>(high));
    check(N, got, h, h, none, C, false, "rotate left", seed);
    store(got, rotate_right<C>(high));
    check(N, got, h, h, none, C, true, "rotate right", seed);
  };
  (one(std::integral_constant<unsigned, Count>{}), ...);
}

template <class T, int N> void check_length() {
  std::mt19937_64 random(N);
  T h[N], l[N], c[N];
  for (uint64_t seed = 0; seed < 300; ++seed) {
    for (int i = 0; i < N; ++i) // every count, then any bits
      h[i] = T(random()), l[i] = T(random()), c[i] = seed < 200 ? T(seed + uint64_t(i)) : T(random());
    ASSERT_NO_FATAL_FAILURE((check_once<T, N>(h, l, c, seed)));
    if (seed % 16 == 0)
      ASSERT_NO_FATAL_FAILURE((check_constants<T, N, 0, 1, 3, 7, 8, 15, 16, 31, 33, 63>(h, l, seed)));
  }
}
template <class T> void check_element() {
  constexpr int whole = 64 / sizeof(T);
  check_length<T, 1>(), check_length<T, 2>(), check_length<T, whole / 4>(), check_length<T, whole / 2>();
  check_length<T, whole>(), check_length<T, 2 * whole>();
}

TEST(FunnelShift, OfBytes) { check_element<uint8_t>(); }
TEST(FunnelShift, OfWords) { check_element<int16_t>(); }
TEST(FunnelShift, OfDwords) { check_element<uint32_t>(); }
TEST(FunnelShift, OfQwords) { check_element<int64_t>(); }

TEST(FunnelShift, OfEveryPairOfBytesByEveryCount) {
  uint8_t h[64], l[64], c[64];
  for (int n = 0; n < 8; ++n)
    for (int pair = 0; pair < 65536; pair += 64) {
      for (int i = 0; i < 64; ++i)
        h[i] = uint8_t((pair + i) >> 8), l[i] = uint8_t(pair + i), c[i] = uint8_t(n);
      ASSERT_NO_FATAL_FAILURE((check_once<uint8_t, 64>(h, l, c, uint64_t(pair))));
    }
}

} // namespace
} // namespace crosslane::lanes
