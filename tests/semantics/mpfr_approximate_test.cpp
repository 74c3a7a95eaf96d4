// Approximate rows against MPFR with 160 bits: the worst error stays within the bound that semantics/fidelity.h states
// for round to nearest; a directed mode may add half a place.
#include "semantics/fidelity.h"
#include "tests/semantics/mpfr_number.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::test {
namespace {

using u64 = uint64_t;
constexpr int precision = 160;

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
int reciprocal(mpfr_ptr d, mpfr_srcptr x, mpfr_rnd_t r) { return mpfr_ui_div(d, 1, x, r); }
int sine(mpfr_ptr d, mpfr_srcptr x, mpfr_rnd_t r) { return mpfr_sinu(d, x, 1, r); } // of x turns
int cosine(mpfr_ptr d, mpfr_srcptr x, mpfr_rnd_t r) { return mpfr_cosu(d, x, 1, r); }

// What a row does with an infinite result.
enum class Infinity { stays, largest, zero };
struct Approximate {
  std::string row;
  Function function;
  FloatFormat format;
  bool flushes = false; // denormals of source and result
  bool turns = false;   // sources up to 256
  Infinity infinity = Infinity::stays;
};
const std::vector<Approximate> rows = {
    {"v_rcp_f32", reciprocal, single, true},
    {"v_rcp_iflag_f32", reciprocal, single, true},
    {"v_rcp_clamp_f32", reciprocal, single, true, false, Infinity::largest},
    {"v_rcp_legacy_f32", reciprocal, single, true, false, Infinity::zero},
    {"v_rcp_f64", reciprocal, twofold},
    {"v_rcp_clamp_f64", reciprocal, twofold, false, false, Infinity::largest},
    {"v_rcp_f16", reciprocal, half},
    {"v_sqrt_f32", mpfr_sqrt, single, true},
    {"v_sqrt_f64", mpfr_sqrt, twofold},
    {"v_sqrt_f16", mpfr_sqrt, half},
    {"v_rsq_f32", mpfr_rec_sqrt, single, true},
    {"v_rsq_clamp_f32", mpfr_rec_sqrt, single, true, false, Infinity::largest},
    {"v_rsq_legacy_f32", mpfr_rec_sqrt, single, true, false, Infinity::zero},
    {"v_rsq_f64", mpfr_rec_sqrt, twofold},
    {"v_rsq_clamp_f64", mpfr_rec_sqrt, twofold, false, false, Infinity::largest},
    {"v_rsq_f16", mpfr_rec_sqrt, half},
    {"v_exp_f32", mpfr_exp2, single, true},
    {"v_exp_legacy_f32", mpfr_exp2, single, true},
    {"v_exp_f16", mpfr_exp2, half},
    {"v_log_f32", mpfr_log2, single, true},
    {"v_log_legacy_f32", mpfr_log2, single, true},
    {"v_log_clamp_f32", mpfr_log2, single, true, false, Infinity::largest},
    {"v_log_f16", mpfr_log2, half},
    {"v_sin_f32", sine, single, false, true},
    {"v_cos_f32", cosine, single, false, true},
    {"v_sin_f16", sine, half, false, true},
    {"v_cos_f16", cosine, half, false, true},
};

std::vector<u64> sources(FloatFormat f) {
  std::vector<u64> list;
  if (f.mantissa == 10) {
    for (u64 x = 0; x < 0x10000; ++x)
      list.push_back(x);
    return list;
  }
  std::mt19937_64 random(17);
  const u64 mask = (1ull << f.mantissa) - 1;
  for (u64 e = 0; e < 2 * unsigned(f.bias()) + 1; e += f.mantissa == 52 ? 7 : 1)
    for (u64 sign : {u64(0), f.sign()})
      for (int i = 0; i < 24; ++i)
        list.push_back(sign | e << f.mantissa | (i == 0 ? 0 : i == 1 ? mask : i == 2 ? 1 : random() & mask));
  // Around one, where logarithms cancel, and around quarter turns.
  for (const double at : {1.0, 0.25, 0.5, 0.75, 2.0, 4.0, 100.25, 255.5})
    for (int64_t i = -40; i <= 40; ++i)
      list.push_back(bits_of(f,
                             [&] {
                               Number n(f.mantissa + 1);
                               mpfr_set_d(n, at, MPFR_RNDN);
                               return n;
                             }()) +
                     u64(i));
  return list;
}

// The error of a row's result; negative where the source is not the formula's (zeros, NaN, outside the domain).
double error(const Approximate& a, u64 x, u64 got, const ModeBits& mode) {
  const FloatFormat f = a.format;
  if (a.flushes)
    x = f.flush(x);
  if (f.nan(x) || f.inf(x) || f.zero(x))
    return -1;
  const Number source(f, x);
  Number exact(precision);
  if (a.turns && mpfr_cmpabs_ui(source, 256) > 0)
    return -1;
  a.function(exact, source, MPFR_RNDN);
  if (mpfr_nan_p(exact)) // of negative sources
    return f.nan(got) ? 0 : INFINITY;
  const u64 sign = mpfr_signbit(exact) ? f.sign() : 0;
  const u64 nearest = rounded(f, 0, [&](mpfr_ptr d, mpfr_rnd_t r) { return mpfr_set(d, exact, r); });
  if (f.inf(nearest) && a.infinity == Infinity::zero && f.zero(got))
    return got == sign ? 0 : INFINITY;
  // Overflow: to infinity, or to the largest number where the row or the mode says so.
  if (f.inf(nearest) || f.inf(got)) {
    const bool largest = (got & ~f.sign()) == f.infinity() - 1;
    if (a.infinity == Infinity::largest && f.inf(nearest))
      return largest ? 0 : INFINITY;
    if (f.inf(got) && f.inf(nearest))
      return 0;
    const bool directed = mode.round32 || mode.round64;
    return directed && (largest || (nearest & ~f.sign()) == f.infinity() - 1) ? 0 : INFINITY;
  }
  // Underflow of a row that flushes: a result at or below the least normal may have become zero.
  if (a.flushes && f.zero(got) && (f.magnitude(nearest) <= 1ull << f.mantissa))
    return 0;
  return error_in_ulp(f, got, exact);
}

const Asked asked(Outside::mpfr, rows);
TEST(MpfrApproximate, WithinTheStatedBound) {
  for (const Approximate& a : rows) {
    const RowEntry& r = row(a.row);
    const semantics::Fidelity fidelity = semantics::fidelity(a.row);
    EXPECT_FALSE(fidelity.exact) << a.row;
    const std::vector<u64> list = sources(a.format);
    for (uint8_t round = 0; round < 4; ++round) {
      const ModeBits mode{.round32 = round, .round64 = round};
      const double bound = fidelity.ulp + (round ? 0.5 : 0);
      double worst = 0;
      for (size_t i = 0; i < list.size(); i += round && a.format.mantissa == 10 ? 5 : 1) {
        const In in{list[i], 0, 0, 0, false, mode};
        const Out got = run_lane(r, in);
        const double e = error(a, list[i], got.value, mode);
        worst = std::max(worst, e);
        if (e > bound) {
          ADD_FAILURE() << explain(r, in, got, {}) << ": off by " << e << " ulp, the bound is " << bound;
          break;
        }
      }
      if (round == 0)
        RecordProperty(a.row, std::to_string(worst));
    }
  }
}

// Every vector row that fidelity.h lists is measured here, v_dot2 (exact by its assumed formula) aside.
TEST(MpfrApproximate, MeasuresEveryRowWithABound) {
  for (const semantics::FidelityRow& listed : semantics::approximate_rows) {
    bool found = listed.row.starts_with("v_dot2") || !listed.row.starts_with("v_");
    for (const Approximate& a : rows)
      found |= a.row == listed.row;
    EXPECT_TRUE(found) << listed.row;
  }
}

} // namespace
} // namespace crosslane::test
