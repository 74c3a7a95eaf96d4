// Byte and field moves inside of lanes, 16 at a time and one, against loops over bytes and 64-bit arithmetic.
#include "lanes/bytes.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::lanes {
namespace {

// A byte of the eight at `pair`, as the table in lanes/bytes.h lists them.
uint8_t by_table(uint64_t pair, uint8_t selector) {
  const auto byte = [&](int i) { return uint8_t(pair >> 8 * i); };
  switch (selector) {
  case 8: return byte(1) >> 7 ? 0xff : 0;
  case 9: return byte(3) >> 7 ? 0xff : 0;
  case 10: return byte(5) >> 7 ? 0xff : 0;
  case 11: return byte(7) >> 7 ? 0xff : 0;
  case 12: return 0;
  default: return selector < 8 ? byte(selector) : 0xff;
  }
}

template <class F> void for_rows(F f) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    uint32_t a[16], b[16], s[16];
    for (int i = 0; i < 16; ++i)
      a[i] = random(), b[i] = random(), s[i] = random();
    f(round, a, b, s);
  }
}
Vec<uint32_t, 16> row(const uint32_t* p) { return load<uint32_t, 16>(p); }

TEST(Bytes, SelectsBytes) {
  for_rows([](int round, uint32_t* a, uint32_t* b, uint32_t* s) {
    const uint32_t mask = round % 3 == 0 ? 0x07070707 : round % 3 == 1 ? 0x0f0f0f0f : ~0u;
    for (int i = 0; i < 16; ++i)
      s[i] = round < 16 ? uint32_t(round * 16 + i) * 0x01010101u : s[i] & mask;
    uint32_t got[16];
    store(got, select_bytes(row(a), row(b), row(s)));
    for (int i = 0; i < 16; ++i) {
      uint32_t expected = 0;
      for (int k = 0; k < 4; ++k)
        expected |= uint32_t(by_table(uint64_t(a[i]) << 32 | b[i], uint8_t(s[i] >> 8 * k))) << 8 * k;
      ASSERT_EQ(got[i], expected) << std::hex << s[i];
      ASSERT_EQ((select_bytes<1>(a[i], b[i], s[i]).v), expected) << std::hex << s[i];
    }
  });
}

TEST(Bytes, ExtractsAndInsertsFields) {
  for_rows([](int round, uint32_t* a, uint32_t* b, uint32_t*) {
    const bool half = round & 1;
    const int width = half ? 16 : 8, offset = half ? round / 2 % 2 * 16 : round / 2 % 4 * 8;
    const uint32_t left = uint32_t(32 - offset - width), right = uint32_t(32 - width), field = (1u << width) - 1;
    uint32_t plain[16], extended[16], inserted[16];
    using V = Vec<uint32_t, 16>;
    store(plain, extract_field<false>(row(a), V(left), V(right)));
    store(extended, extract_field<true>(row(a), V(left), V(right)));
    store(inserted, insert_field(row(b), row(a), V(field), V(uint32_t(offset))));
    for (int i = 0; i < 16; ++i) {
      uint8_t from[4], to[4];
      std::memcpy(from, a + i, 4), std::memcpy(to, b + i, 4);
      uint32_t picked = 0;
      std::memcpy(&picked, from + offset / 8, size_t(width / 8));
      ASSERT_EQ(plain[i], picked);
      ASSERT_EQ(int32_t(extended[i]), half ? int16_t(picked) : int8_t(picked));
      std::memcpy(to + offset / 8, from, size_t(width / 8));
      uint32_t expected;
      std::memcpy(&expected, to, 4);
      ASSERT_EQ(inserted[i], expected);
      ASSERT_EQ((extract_field<true, 1>(a[i], left, right).v), extended[i]);
      ASSERT_EQ((insert_field<1>(b[i], a[i], field, uint32_t(offset)).v), expected);
    }
  });
}

TEST(Bytes, SelectsHalves) {
  for_rows([](int round, uint32_t* a, uint32_t*, uint32_t*) {
    const int low = round & 1, high = round >> 1 & 1;
    uint32_t got[16];
    store(got, select_halves(row(a), low, high));
    for (int i = 0; i < 16; ++i) {
      uint16_t half[2];
      std::memcpy(half, a + i, 4);
      ASSERT_EQ(got[i], uint32_t(half[low]) | uint32_t(half[high]) << 16);
      ASSERT_EQ((select_halves<1>(a[i], low, high).v), got[i]);
    }
  });
}

} // namespace
} // namespace crosslane::lanes
