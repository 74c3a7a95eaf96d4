// The list of approximate rows itself, and the bound that no formula of one source covers: v_dot2_f32_f16's. The others
// are measured in transcendental_test.cpp and mpfr_approximate_test.cpp, samplers' in
// tests/engine/image_sample_test.cpp.
#include "semantics/fidelity.h"
#include "tests/semantics/check.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace crosslane::test {
namespace {

TEST(Fidelity, EveryApproximateRowStatesBoundAndReason) {
  std::set<std::string_view> names;
  for (const semantics::FidelityRow& r : semantics::approximate_rows) {
    EXPECT_TRUE(names.insert(r.row).second) << r.row << " twice";
    EXPECT_FALSE(r.fidelity.exact) << r.row;
    EXPECT_FALSE(r.fidelity.why.empty()) << r.row;
    EXPECT_FALSE(semantics::bound(r.fidelity).empty()) << r.row;
    EXPECT_TRUE(r.row.starts_with("s_mem") || r.row.starts_with("image_") || row(std::string(r.row)).implemented)
        << r.row;
  }
}

// Whatever computes a reciprocal, a root, an exponential, a logarithm, sine or cosine is on the list.
TEST(Fidelity, NoTranscendentalRowPassesForExact) {
  int found = 0;
  for (const RowEntry& r : baseline_rows())
    for (const std::string_view prefix : {"v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_", "v_log_", "v_sin_", "v_cos_"})
      if (std::string_view(r.name).starts_with(prefix) && r.implemented) {
        EXPECT_FALSE(semantics::fidelity(r.name).exact) << r.name;
        ++found;
      }
  EXPECT_GE(found, 20);
}

TEST(Fidelity, BoundAsText) {
  EXPECT_EQ(semantics::bound(semantics::fidelity("v_rcp_f32")), "0.5 ulp");
  EXPECT_EQ(semantics::bound(semantics::fidelity("v_exp_f32")), "0.502 ulp");
  EXPECT_EQ(semantics::bound(semantics::fidelity("v_dot2_f32_f16")), "1 ulp of the largest partial sum");
  EXPECT_EQ(semantics::bound(semantics::fidelity("s_memtime")), "counts up at 1 GHz");
  EXPECT_EQ(semantics::bound(semantics::fidelity("image_sample_lz")), "1/512 of a texel");
  EXPECT_TRUE(semantics::fidelity("image_load").exact);
  EXPECT_TRUE(semantics::fidelity("v_add_f32").exact);
}

// Halves are multiples of 2^-24 below 2^16, so that the sum of two products is an integer of 2^-48 below 2^33; with an
// addend of like size a long double holds all of it to far below an ulp of the result.
TEST(Fidelity, Dot2) {
  std::mt19937_64 random(23);
  const auto half_value = [](uint64_t bits) { return (long double)std::bit_cast<_Float16>(uint16_t(bits)); };
  const auto ulp_of = [](long double x) {
    int e = 0;
    std::frexp(x, &e);
    return std::ldexp(1.0L, std::max(e - 24, -149));
  };
  for (const char* name : {"v_dot2_f32_f16", "v_dot2c_f32_f16"}) {
    const RowEntry& r = row(name);
    const double bound = semantics::fidelity(name).ulp;
    long double worst = 0;
    for (int i = 0; i < 200000; ++i) {
      const uint64_t a = random() & 0xfbfffbff, b = random() & 0xfbfffbff; // finite
      const long double products = half_value(a) * half_value(b) + half_value(a >> 16) * half_value(b >> 16);
      // Addends of the size of the products, half of them such that the sum cancels.
      const float c = float(products * ((i & 1 ? -1 : 1) * (1 + (long double)(int64_t(random()) >> 40) * 0x1p-26L)));
      const uint64_t bits = std::bit_cast<uint32_t>(c);
      const Out got = run_lane(r, r.reads_old ? In{a, b, 0, bits, false, {}} : In{a, b, bits, 0, false, {}});
      const long double exact = products + c;
      const long double error = std::fabs((long double)std::bit_cast<float>(uint32_t(got.value)) - exact);
      const long double unit = ulp_of(std::max(std::fabs(products), std::fabs(exact)));
      ASSERT_LE(error / unit, bound) << r.name << std::hex << " 0x" << a << " 0x" << b << " 0x" << bits;
      worst = std::max(worst, error / unit);
    }
    EXPECT_GT(worst, 0.4) << "the bound is not tight, or nothing was measured";
  }
}

} // namespace
} // namespace crosslane::test
