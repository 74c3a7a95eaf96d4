// The division sequences that LLVM emits, run on the rows, give the host's correctly rounded quotient bit for bit.
#include "tests/semantics/check.h"
#include "tests/semantics/division_sequence.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::test {
namespace {

using u64 = uint64_t;

template <class F, class B> void compare(u64 (*divide)(const Machine&, u64, u64), u64 x, u64 y) {
  const F want = std::bit_cast<F>(B(x)) / std::bit_cast<F>(B(y));
  const u64 got = divide(Machine{}, x, y);
  if (std::isnan(want)) {
    ASSERT_TRUE(std::isnan(std::bit_cast<F>(B(got)))) << std::hex << x << " / " << y;
  } else {
    ASSERT_EQ(got, u64(std::bit_cast<B>(want))) << std::hex << "0x" << x << " / 0x" << y;
  }
}

const Tested tested{"v_div_scale_f32", "v_div_fmas_f32",  "v_div_fixup_f32", "v_div_scale_f64",
                    "v_div_fmas_f64",  "v_div_fixup_f64", "v_div_fixup_f16", "v_div_fixup_legacy_f16"};
TEST(Division, SingleEqualsHost) {
  for (u64 x : edges(isa::Type::F32))
    for (u64 y : edges(isa::Type::F32))
      compare<float, uint32_t>(divide_single, x, y);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000000; ++i)
    compare<float, uint32_t>(divide_single, uint32_t(random()), uint32_t(random()));
  // Quotients and operands around the denormals and the largest values.
  for (int i = 0; i < 1000000; ++i) {
    const u64 mantissas = random(), exponents = random();
    const u64 y = (exponents & 0xff) << 23 | (mantissas & 0x7fffff);
    const int e = int(exponents & 0xff) + (i & 1 ? -126 : 126) + int(exponents >> 8 & 15) - 8;
    if (e < 0 || e > 254)
      continue;
    compare<float, uint32_t>(divide_single, u64(e) << 23 | (mantissas >> 32 & 0x7fffff) | (mantissas >> 63) << 31, y);
  }
  // Few significant bits: quotients that are exact or ties in the denormals.
  for (int i = 0; i < 1000000; ++i) {
    const u64 r = random();
    const float q = std::ldexp(float(r & 0x3ff), -149 - int(r >> 10 & 3)),
                y = std::ldexp(float((r >> 16 & 0xfff) | 1), int(r >> 32 & 127) - 10);
    compare<float, uint32_t>(divide_single,
                             std::bit_cast<uint32_t>(std::ldexp(float((r >> 40 & 0xfff)), -149 + int(r >> 52 & 63))),
                             std::bit_cast<uint32_t>(y));
    compare<float, uint32_t>(divide_single, std::bit_cast<uint32_t>(q * y), std::bit_cast<uint32_t>(y));
  }
}

TEST(Division, DoubleEqualsHost) {
  for (u64 x : edges(isa::Type::F64))
    for (u64 y : edges(isa::Type::F64))
      compare<double, u64>(divide_double, x, y);
  std::mt19937_64 random(1);
  for (int i = 0; i < 700000; ++i)
    compare<double, u64>(divide_double, random(), random());
  for (int i = 0; i < 700000; ++i) {
    const u64 a = random(), b = random(), exponents = random();
    const u64 y = (exponents & 0x7ff) << 52 | (a & 0xfffffffffffff);
    const int e = int(exponents & 0x7ff) + (i & 1 ? -1022 : 1022) + int(exponents >> 11 & 63) - 32;
    if (e < 0 || e > 2046)
      continue;
    compare<double, u64>(divide_double, u64(e) << 52 | (b & 0xfffffffffffff) | (b >> 63) << 63, y);
  }
  for (int i = 0; i < 700000; ++i) {
    const u64 r = random();
    const double q = std::ldexp(double(r & 0x3ff), -1074 - int(r >> 10 & 3)),
                 y = std::ldexp(double((r >> 16 & 0xfff) | 1), int(r >> 32 & 1023) - 10);
    compare<double, u64>(divide_double, std::bit_cast<u64>(q * y), std::bit_cast<u64>(y));
    compare<double, u64>(divide_double, std::bit_cast<u64>(std::ldexp(double(r >> 44 & 0xfff), -1074 + int(r >> 56))),
                         std::bit_cast<u64>(y));
  }
}

// With denormals off, LLVM turns them on for the f32 refinement only; the quotient is the host's under FTZ and DAZ.
TEST(Division, SingleFlushed) {
  const Rows& r = single_rows();
  const ModeBits flush{.flush32 = true}, keep{};
  std::mt19937_64 random(3);
  for (int i = 0; i < 300000; ++i) {
    const u64 a = random();
    u64 x = a & 0xffffffff, y = a >> 32;
    if (i & 1)
      x = (x & 0x807fffff) | u64((std::max(int(y >> 23 & 0xff) - 126 + int(random() % 16) - 8, 0)) & 0xff) << 23;
    const auto run = [](const RowEntry& row, const ModeBits& mode, u64 p, u64 q = 0, u64 s = 0, bool vcc = false) {
      return run_lane(row, {p, q, s, 0, vcc, mode});
    };
    const u64 d = run(r.scale, flush, y, y, x).value, negative = d ^ r.sign;
    const Out n = run(r.scale, flush, x, y, x);
    const u64 rcp = run(r.rcp, flush, d).value;
    const u64 f0 = run(r.fma, keep, negative, rcp, r.one).value, f1 = run(r.fma, keep, f0, rcp, rcp).value;
    const u64 q = run(r.mul, keep, n.value, f1).value, f2 = run(r.fma, keep, negative, q, n.value).value;
    const u64 f3 = run(r.fma, keep, f2, f1, q).value, f4 = run(r.fma, keep, negative, f3, n.value).value;
    const u64 got = run(r.fixup, flush, run(r.fmas, flush, f4, f1, f3, n.flag).value, y, x).value;
    volatile float numerator = std::bit_cast<float>(uint32_t(x)), denominator = std::bit_cast<float>(uint32_t(y)),
                   want = 0;
    {
      const Environment environment(r.fma, flush);
      want = numerator / denominator;
    }
    if (std::isnan(want)) {
      ASSERT_TRUE(is_nan(isa::Type::F32, got)) << std::hex << x << " / " << y;
    } else {
      ASSERT_EQ(got, std::bit_cast<uint32_t>(float(want))) << std::hex << "0x" << x << " / 0x" << y;
    }
  }
}

// v_div_fixup by the manual's table; the quotient is what is left when no rule applies.
TEST(Division, FixupSpecials) {
  struct Case {
    u64 quotient, denominator, numerator, expected;
  };
  const Case cases[] = {
      {0x3f800000, 0x7f800001, 0x3f800000, 0x7fc00001},
      {0x3f800000, 0x7f800001, 0x7fa00002, 0x7fe00002},
      {0x3f800000, 0, 0, 0xffc00000},
      {0x3f800000, 0x7f800000, 0xff800000, 0xffc00000},
      {0x3f800000, 0x80000000, 0x3f800000, 0xff800000},
      {0x3f800000, 0x3f800000, 0xff800000, 0xff800000},
      {0x3f800000, 0xff800000, 0x3f800000, 0x80000000},
      {0x3f800000, 0x3f800000, 0x80000000, 0x80000000},
      {0x3f800000, 0x7f000000, 0x00800000, 0x00000000},
      {0xbf800000, 0x40000000, 0x40000000, 0x3f800000},
      {0x3f800000, 0xc0000000, 0x40000000, 0xbf800000},
  };
  for (const auto& c : cases)
    EXPECT_EQ(run_lane(row("v_div_fixup_f32"), {c.quotient, c.denominator, c.numerator, 0, false, {}}).value,
              c.expected)
        << std::hex << c.denominator << " " << c.numerator;
  // Far below the least denormal: rounding away from zero leaves it, toward zero does not.
  const u64 big = 0x7f000000, tiny = 0x00800000;
  EXPECT_EQ(run_lane(row("v_div_fixup_f32"), {0, big, tiny, 0, false, {.round32 = 1}}).value, 1u);
  EXPECT_EQ(run_lane(row("v_div_fixup_f32"), {0, big, tiny | 0x80000000, 0, false, {.round32 = 1}}).value, 0x80000000u);
  EXPECT_EQ(run_lane(row("v_div_fixup_f32"), {0, big, tiny | 0x80000000, 0, false, {.round32 = 2}}).value, 0x80000001u);
}

// f16 division is rcp, multiply in f32, round, fix up.
TEST(Division, HalfEqualsHost) {
  for (const char* name : {"v_div_fixup_f16", "v_div_fixup_legacy_f16"}) {
    const RowEntry& fixup = row(name);
    std::mt19937_64 random(1);
    for (int i = 0; i < 300000; ++i) {
      const u64 x = i < 65536 ? u64(i) : random() & 0xffff, y = random() & 0xffff;
      const float a = float(std::bit_cast<_Float16>(uint16_t(x))), b = float(std::bit_cast<_Float16>(uint16_t(y)));
      const _Float16 quotient = _Float16(a * (1.0f / b)), want = _Float16(a / b);
      const u64 got = Machine{}(fixup, std::bit_cast<uint16_t>(quotient), y, x).value;
      if (std::isnan(float(want))) {
        ASSERT_TRUE(is_nan(isa::Type::F16, got)) << std::hex << x << " " << y;
      } else {
        const int distance = int(got & 0x7fff) - int(std::bit_cast<uint16_t>(want) & 0x7fff);
        ASSERT_LE(std::abs(distance), 1) << std::hex << x << " / " << y << " = " << got; // a * (1 / b) rounds twice
        ASSERT_EQ(got >> 15, std::bit_cast<uint16_t>(want) >> 15) << std::hex << x << " / " << y;
      }
    }
  }
}

} // namespace
} // namespace crosslane::test
