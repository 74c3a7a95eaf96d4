// Approximate rows against long double libm (64-bit significands): the worst error stays within semantics/fidelity.h,
// and special values are the manual's, bit for bit.
#include "semantics/fidelity.h"
#include "tests/semantics/check.h"
#include "tests/semantics/exact.h"
#include <bit>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

namespace crosslane::test {
namespace {

using u64 = uint64_t;
using Real = long double;

Real value(FloatFormat f, u64 bits) {
  if (f.inf(bits))
    return f.negative(bits) ? -INFINITY : INFINITY;
  const int field = int(f.magnitude(bits) >> f.mantissa);
  const Real m = Real(bits & ((1ull << f.mantissa) - 1)) + (field ? std::ldexp(1.0L, f.mantissa) : 0.0L);
  const Real v = std::ldexp(m, (field ? field : 1) - f.bias() - f.mantissa);
  return f.negative(bits) ? -v : v;
}
Real ulp(FloatFormat f, Real exact) {
  int e = 0;
  std::frexp(exact, &e);
  return std::ldexp(1.0L, std::max(e - 1, 1 - f.bias()) - f.mantissa);
}

constexpr Real two_pi = 6.283185307179586476925286766559005768L;
Real turn(Real x) { return x - std::nearbyint(x); }
Real sine(Real x) { // of x revolutions, |x| <= 256, folded so that libm sees at most an eighth of a turn
  const Real r = turn(x);
  const Real a = std::fabs(r) > 0.25L ? std::copysign(0.5L - std::fabs(r), r) : r;
  return std::fabs(a) > 0.125L ? std::copysign(std::cos((0.25L - std::fabs(a)) * two_pi), a) : std::sin(a * two_pi);
}
Real cosine(Real x) {
  const Real a = 0.25L - std::fabs(turn(x));
  return std::fabs(a) > 0.125L ? std::copysign(std::cos((0.25L - std::fabs(a)) * two_pi), a) : std::sin(a * two_pi);
}

struct Function {
  const char* name;
  Real (*exact)(Real);
  bool (*domain)(Real);
  bool flushes; // f32 denormals, in and out
};
bool any(Real) { return true; }
bool positive(Real x) { return x > 0; }
bool within_256(Real x) { return std::fabs(x) <= 256; }
const Function functions[] = {
    {"v_rcp", [](Real x) { return 1 / x; }, any, true},
    {"v_sqrt", [](Real x) { return std::sqrt(x); }, positive, true},
    {"v_rsq", [](Real x) { return 1 / std::sqrt(x); }, positive, true},
    {"v_exp", [](Real x) { return std::exp2(x); }, any, true},
    {"v_log", [](Real x) { return std::log2(x); }, positive, true},
    {"v_sin", sine, within_256, false},
    {"v_cos", cosine, within_256, false},
};

// The error of one result in ulp; -1 where the input is outside the function's domain.
Real error(FloatFormat f, const Function& g, u64 x, u64 got) {
  const bool flush = g.flushes && f.mantissa == 23;
  if (f.nan(x) || f.inf(x) || f.zero(x) || (flush && f.denormal(x)) || !g.domain(value(f, x)))
    return -1;
  const Real exact = g.exact(value(f, x));
  const Real least = std::ldexp(1.0L, 1 - f.bias()), largest = value(f, f.infinity() - 1);
  if (flush && std::fabs(exact) < least * (1 + 0x1p-24L) && f.zero(got))
    return std::fabs(exact) < least ? 0 : 0.5L;
  if (f.inf(got))
    return std::fabs(exact) >= largest + ulp(f, largest) / 2 * (1 - 0x1p-9L) ? 0 : INFINITY;
  return std::fabs(value(f, got) - exact) / ulp(f, exact);
}

Real worst_error(const RowEntry& r, FloatFormat f, const Function& g, const std::vector<u64>& inputs) {
  Real worst = 0;
  for (u64 x : inputs) {
    const u64 got = run_lane(r, {x, 0, 0, 0, false, {}}).value;
    const Real e = error(f, g, x, got);
    if (!(e <= worst))
      worst = e;
    if (e > 2 || std::isnan(e)) {
      ADD_FAILURE() << r.name << std::hex << "(0x" << x << ") = 0x" << got << ": off by " << double(e) << " ulp";
      break;
    }
  }
  return worst;
}
void expect_bound(const std::string& name, FloatFormat f, const Function& g, const std::vector<u64>& inputs) {
  const RowEntry& r = row(name);
  const semantics::Fidelity fidelity = semantics::fidelity(name);
  EXPECT_FALSE(fidelity.exact) << name;
  const Real worst = worst_error(r, f, g, inputs);
  EXPECT_LE(double(worst), fidelity.ulp) << name;
  testing::Test::RecordProperty(name, std::to_string(double(worst)));
}

std::vector<u64> sample(FloatFormat f, int per_exponent) {
  std::mt19937_64 random(5);
  std::vector<u64> list;
  for (u64 e = 0; e < 2ull * unsigned(f.bias()) + 2; ++e)
    for (u64 sign : {u64(0), f.sign()})
      for (int i = 0; i < per_exponent; ++i) {
        const u64 m = i == 0   ? 0
                      : i == 1 ? (1ull << f.mantissa) - 1
                      : i == 2 ? 1
                               : random() & ((1ull << f.mantissa) - 1);
        list.push_back(sign | e << f.mantissa | m);
      }
  return list;
}

const Tested tested = [] {
  for (const Function& g : functions)
    Tested{std::string(g.name) + "_f32", std::string(g.name) + "_f16"};
  return Tested{"v_rcp_f64",        "v_sqrt_f64",       "v_rsq_f64",       "v_rcp_iflag_f32",
                "v_exp_legacy_f32", "v_log_legacy_f32", "v_trig_preop_f64"};
}();

TEST(Transcendental, Single) {
  auto inputs = sample(single, 300);
  for (u64 i = 0; i < 4000; ++i) { // close to one, where logarithms cancel, and to quarter turns
    inputs.push_back(0x3f800000 - 2000 + i);
    inputs.push_back(0x3e800000 - 2000 + i);
    inputs.push_back(0x3f000000 - 2000 + i);
    inputs.push_back(0x42fe0000 - 2000 + i);
    inputs.push_back(0xc2fc0000 - 2000 + i);
  }
  for (const Function& g : functions)
    expect_bound(std::string(g.name) + "_f32", single, g, inputs);
  expect_bound("v_rcp_iflag_f32", single, functions[0], inputs);
  expect_bound("v_exp_legacy_f32", single, functions[3], inputs);
  expect_bound("v_log_legacy_f32", single, functions[4], inputs);
}

// Half of these is a denormal, which MODE flushes.
TEST(Transcendental, RootsOfSmallSinglesWithoutDenormals) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 20000; ++i) {
    const u64 x = 0x00800000 + random() % 0x01000000;
    const u64 got = run_lane(row("v_rsq_f32"), {x, 0, 0, 0, false, {.flush32 = true, .flush64 = true}}).value;
    ASSERT_LE(double(error(single, functions[2], x, got)), semantics::fidelity("v_rsq_f32").ulp) << std::hex << x;
  }
}
TEST(Transcendental, EveryHalf) {
  std::vector<u64> inputs;
  for (u64 x = 0; x < 0x10000; ++x)
    inputs.push_back(x);
  for (const Function& g : functions)
    expect_bound(std::string(g.name) + "_f16", half, g, inputs);
}
TEST(Transcendental, Double) {
  const auto inputs = sample(twofold, 40);
  for (const char* name : {"v_rcp", "v_sqrt", "v_rsq"})
    for (const Function& g : functions)
      if (std::string_view(name) == g.name)
        expect_bound(std::string(name) + "_f64", twofold, g, inputs);
}

// Every f32 value that is not alike to one already seen (reciprocals and roots repeat every one or two binades, tiny
// arguments of 2^x, sine and cosine are linear), against double libm: 2^-53 is far below what is measured.
TEST(Transcendental, EverySingle) {
  if (!std::getenv("CROSSLANE_EXHAUSTIVE"))
    GTEST_SKIP() << "set CROSSLANE_EXHAUSTIVE=1: 4 billion values, minutes";
  struct Sweep {
    Function function;
    double (*exact)(double);
    int first, last; // biased exponents
    bool negative;
  };
  const Sweep sweeps[] = {
      {functions[0], [](double x) { return 1 / x; }, 127, 127, true},
      {functions[1], [](double x) { return std::sqrt(x); }, 127, 128, false},
      {functions[2], [](double x) { return 1 / std::sqrt(x); }, 127, 128, false},
      {functions[3], [](double x) { return std::exp2(x); }, 127 - 26, 127 + 6, true},
      {functions[4], [](double x) { return std::log2(x); }, 1, 254, false},
      {functions[5], [](double x) { return double(sine(x)); }, 127 - 20, 127 + 7, false},
      {functions[6], [](double x) { return double(cosine(x)); }, 127 - 20, 127 + 7, false},
  };
  const RowList list = __builtin_cpu_supports("x86-64-v4") ? v4::rows() : v1::rows();
  for (const Sweep& sweep : sweeps) {
    const std::string name = std::string(sweep.function.name) + "_f32";
    const RowEntry* r = nullptr;
    for (int i = 0; i < list.count; ++i)
      if (name == list.rows[i].name)
        r = &list.rows[i];
    ASSERT_NE(r, nullptr);
    double worst = 0;
    u64 at = 0;
    Call call{};
    Result result{};
    for (u64 sign = 0; sign <= (sweep.negative ? 1 : 0); ++sign)
      for (u64 base = u64(sweep.first) << 23; base < u64(sweep.last + 1) << 23; base += lanes_per_call) {
        for (u64 i = 0; i < lanes_per_call; ++i)
          call.source[0][i] = sign << 31 | (base + i);
        r->row(call, result);
        for (u64 i = 0; i < lanes_per_call; ++i) {
          const double exact = sweep.exact(double(std::bit_cast<float>(uint32_t(call.source[0][i]))));
          if (std::fabs(exact) < 0x1p-126 || std::fabs(exact) >= 0x1.ffffffp127)
            continue;
          const u64 field = std::bit_cast<u64>(exact) >> 52 & 0x7ff;
          const double reciprocal_ulp = std::bit_cast<double>((2046 - field + 23) << 52);
          const double e = std::fabs(double(std::bit_cast<float>(uint32_t(result.value[i]))) - exact) * reciprocal_ulp;
          if (!(e <= worst))
            worst = e, at = call.source[0][i];
        }
      }
    printf("%s: worst error %.6f ulp, at 0x%08llx\n", name.c_str(), worst, static_cast<unsigned long long>(at));
    fflush(stdout);
    EXPECT_LE(worst, semantics::fidelity(name).ulp) << name;
  }
}

struct Special {
  const char* row;
  u64 in, out;
};
// The examples of the Vega ISA manual, and the NaN and out-of-range rules.
const Special specials[] = {
    {"v_rcp_f32", 0xff800000, 0x80000000},
    {"v_rcp_f32", 0xc0000000, 0xbf000000},
    {"v_rcp_f32", 0x80000000, 0xff800000},
    {"v_rcp_f32", 0x00000000, 0x7f800000},
    {"v_rcp_f32", 0x7f800000, 0x00000000},
    {"v_rcp_f32", 0x00000001, 0x7f800000},
    {"v_rcp_f32", 0x807fffff, 0xff800000},
    {"v_rcp_f32", 0x7f000001, 0x00000000},
    {"v_rcp_f32", 0xff000001, 0x80000000},
    {"v_rcp_f32", 0x7fa00001, 0x7fe00001},
    {"v_rcp_iflag_f32", 0x00000000, 0x7f800000},
    {"v_rsq_f32", 0xff800000, 0xffc00000},
    {"v_rsq_f32", 0x80000000, 0xff800000},
    {"v_rsq_f32", 0x00000000, 0x7f800000},
    {"v_rsq_f32", 0x40800000, 0x3f000000},
    {"v_rsq_f32", 0x7f800000, 0x00000000},
    {"v_rsq_f32", 0x80000001, 0xff800000},
    {"v_sqrt_f32", 0xff800000, 0xffc00000},
    {"v_sqrt_f32", 0x80000000, 0x80000000},
    {"v_sqrt_f32", 0x00000000, 0x00000000},
    {"v_sqrt_f32", 0x40800000, 0x40000000},
    {"v_sqrt_f32", 0x7f800000, 0x7f800000},
    {"v_sqrt_f32", 0x007fffff, 0x00000000},
    {"v_exp_f32", 0xff800000, 0x00000000},
    {"v_exp_f32", 0x80000000, 0x3f800000},
    {"v_exp_f32", 0x7f800000, 0x7f800000},
    {"v_exp_f32", 0x43000000, 0x7f800000},
    {"v_exp_f32", 0xc2fe0000, 0x00000000},
    {"v_exp_f32", 0xc2fc0000, 0x00800000},
    {"v_exp_f32", 0x7f7fffff, 0x7f800000},
    {"v_exp_f32", 0x40400000, 0x41000000},
    {"v_exp_f32", 0xffa00000, 0xffe00000},
    {"v_log_f32", 0xff800000, 0xffc00000},
    {"v_log_f32", 0xbf800000, 0xffc00000},
    {"v_log_f32", 0x80000000, 0xff800000},
    {"v_log_f32", 0x00000000, 0xff800000},
    {"v_log_f32", 0x3f800000, 0x00000000},
    {"v_log_f32", 0x7f800000, 0x7f800000},
    {"v_log_f32", 0x00000001, 0xff800000},
    {"v_log_f32", 0x41000000, 0x40400000},
    {"v_sin_f32", 0xff800000, 0xffc00000},
    {"v_sin_f32", 0xff7fffff, 0x00000000},
    {"v_sin_f32", 0x80000000, 0x80000000},
    {"v_sin_f32", 0x3e800000, 0x3f800000},
    {"v_sin_f32", 0x7f800000, 0xffc00000},
    {"v_sin_f32", 0x43802000, 0x00000000},
    {"v_cos_f32", 0xff800000, 0xffc00000},
    {"v_cos_f32", 0xff7fffff, 0x3f800000},
    {"v_cos_f32", 0x80000000, 0x3f800000},
    {"v_cos_f32", 0x3e800000, 0x00000000},
    {"v_cos_f32", 0x7f800000, 0xffc00000},
    {"v_cos_f32", 0x43802000, 0x3f800000},
    {"v_rcp_f16", 0xfc00, 0x8000},
    {"v_rcp_f16", 0xc000, 0xb800},
    {"v_rcp_f16", 0x8000, 0xfc00},
    {"v_rcp_f16", 0x0000, 0x7c00},
    {"v_rcp_f16", 0x7c00, 0x0000},
    {"v_sqrt_f16", 0xfc00, 0xfe00},
    {"v_sqrt_f16", 0x8000, 0x8000},
    {"v_sqrt_f16", 0x4400, 0x4000},
    {"v_sqrt_f16", 0x7c00, 0x7c00},
    {"v_rsq_f16", 0xfc00, 0xfe00},
    {"v_rsq_f16", 0x8000, 0xfc00},
    {"v_rsq_f16", 0x0000, 0x7c00},
    {"v_rsq_f16", 0x4400, 0x3800},
    {"v_rsq_f16", 0x7c00, 0x0000},
    {"v_log_f16", 0xfc00, 0xfe00},
    {"v_log_f16", 0xbc00, 0xfe00},
    {"v_log_f16", 0x8000, 0xfc00},
    {"v_log_f16", 0x0000, 0xfc00},
    {"v_log_f16", 0x3c00, 0x0000},
    {"v_log_f16", 0x7c00, 0x7c00},
    {"v_exp_f16", 0xfc00, 0x0000},
    {"v_exp_f16", 0x8000, 0x3c00},
    {"v_exp_f16", 0x7c00, 0x7c00},
    {"v_sin_f16", 0xfc00, 0xfe00},
    {"v_sin_f16", 0xfbff, 0x0000},
    {"v_sin_f16", 0x8000, 0x8000},
    {"v_sin_f16", 0x3400, 0x3c00},
    {"v_sin_f16", 0x7bff, 0x0000},
    {"v_sin_f16", 0x7c00, 0xfe00},
    {"v_cos_f16", 0xfc00, 0xfe00},
    {"v_cos_f16", 0xfbff, 0x3c00},
    {"v_cos_f16", 0x8000, 0x3c00},
    {"v_cos_f16", 0x3400, 0x0000},
    {"v_cos_f16", 0x7bff, 0x3c00},
    {"v_cos_f16", 0x7c00, 0xfe00},
    {"v_rcp_f64", 0x8000000000000000, 0xfff0000000000000},
    {"v_rcp_f64", 0x7ff0000000000000, 0x0000000000000000},
    {"v_rsq_f64", 0x8000000000000000, 0xfff0000000000000},
    {"v_rsq_f64", 0x7ff0000000000000, 0x0000000000000000},
    {"v_rsq_f64", 0xbff0000000000000, 0xfff8000000000000},
    {"v_sqrt_f64", 0x8000000000000000, 0x8000000000000000},
};
TEST(Transcendental, Specials) {
  for (const auto& [name, in, out] : specials)
    EXPECT_EQ(run_lane(row(name), {in, 0, 0, 0, false, {}}).value, out) << name << std::hex << " 0x" << in;
}

// Each segment is 53 bits of 2/pi: the segments of small sources add up to it.
TEST(Transcendental, TrigPreop) {
  const auto segment = [](double x, u64 k) {
    return std::bit_cast<double>(run_lane(row("v_trig_preop_f64"), {std::bit_cast<u64>(x), k, 0, 0, false, {}}).value);
  };
  EXPECT_EQ(Real(segment(1.0, 0)) + segment(1.0, 1), 0.63661977236758134307553505349005744L);
  EXPECT_EQ(segment(1.0, 0), std::bit_cast<double>(u64(0x3fe45f306dc9c882))); // 2/pi cut to 53 bits
  // Shifting by the exponent is reading further on: 2^(54 + 53) with segment k is 2^54 with segment k + 1.
  for (u64 k = 0; k < 20; ++k)
    EXPECT_EQ(segment(0x1p107, k), segment(0x1p54, k + 1)) << k;
  // Neighbouring exponents overlap in all but one bit.
  const Real a = segment(0x1p54, 3), b = segment(0x1p55, 3);
  EXPECT_LE(std::fabs(a - b), std::fabs(a));
  EXPECT_EQ(segment(1.0, 23), 0.0); // past the table
  // Sources past 2^944 give the same bits times 2^128, far from the denormals.
  EXPECT_EQ(segment(0x1p955, 0), std::ldexp(segment(0x1p902, 1), 128));
}

} // namespace
} // namespace crosslane::test
