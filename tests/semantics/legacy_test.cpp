// Rows that only gfx6 and gfx7 have: shifts the other way round, Direct3D 9's minimum, maximum and lighting product,
// and reciprocals without infinities.
#include "tests/semantics/check.h"
#include "tests/semantics/exact.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

using u64 = uint64_t;

const Expectation shifts[] = {
    {"v_lshl_b32", [](const In& x) { return Out{x.a << x.b % 32 & 0xffffffff}; }},
    {"v_lshr_b32", [](const In& x) { return Out{x.a >> x.b % 32}; }},
    {"v_ashr_i32", [](const In& x) { return Out{u64(int64_t(int32_t(x.a)) >> x.b % 32) & 0xffffffff}; }},
    {"v_lshl_b64", [](const In& x) { return Out{x.a << x.b % 64}; }},
    {"v_lshr_b64", [](const In& x) { return Out{x.a >> x.b % 64}; }},
    {"v_ashr_i64", [](const In& x) { return Out{u64(int64_t(x.a) >> x.b % 64)}; }},
    {"v_mul_lo_i32", [](const In& x) { return Out{x.a * x.b & 0xffffffff}; }},
};

// Floats in order: sign and magnitude as one integer; both zeros are 0.
int64_t rank(u64 b) { return single.negative(b) ? -int64_t(single.magnitude(b)) : int64_t(single.magnitude(b)); }
u64 seen(u64 b, const In& x) { return x.mode.flush32 ? single.flush(b) : b; }
u64 pick(const In& x, bool smaller) {
  const u64 a = seen(x.a, x), b = seen(x.b, x);
  if (single.nan(a) || single.nan(b))
    return b;
  return (smaller ? rank(a) < rank(b) : rank(a) >= rank(b)) ? a : b;
}
Out mullit(const In& x) {
  const u64 a = seen(x.a, x), b = seen(x.b, x), c = seen(x.c, x);
  if (single.nan(c) || rank(c) <= 0 || single.nan(b) || rank(b) <= -0x7f7fffff)
    return {0xff7fffff};
  if (single.zero(a) || single.zero(b))
    return {0};
  const u64 sign = (a ^ b) & 0x80000000;
  if (single.nan(a))
    return {0, false, true};
  if (single.inf(a) || single.inf(b))
    return {sign | single.infinity()};
  return {round_to(single, exact_product(single, a, b), x.mode.round32, x.mode.flush32, sign)};
}
const Expectation floats[] = {
    {"v_min_legacy_f32", [](const In& x) { return Out{pick(x, true)}; }},
    {"v_max_legacy_f32", [](const In& x) { return Out{pick(x, false)}; }},
    {"v_mullit_f32", mullit},
};

const Tested tested[] = {Tested(shifts), Tested(floats),
                         Tested{"v_mac_legacy_f32", "v_rcp_clamp_f32", "v_rcp_legacy_f32", "v_rsq_clamp_f32",
                                "v_rsq_legacy_f32", "v_log_clamp_f32", "v_rcp_clamp_f64", "v_rsq_clamp_f64"}};
TEST(Legacy, Shifts) { expect_rows(shifts, {{}}, 3000); }
TEST(Legacy, Floats) { expect_rows(floats, float_modes, 3000); }

// The sum of v_mad_legacy_f32, which float_test.cpp tests, on the old destination.
TEST(Legacy, MacIsMadOnTheDestination) {
  Inputs inputs(4);
  for (const ModeBits& mode : float_modes)
    for (int i = 0; i < 20000; ++i) {
      const u64 a = inputs.next(isa::Type::F32), b = inputs.next(isa::Type::F32), c = inputs.next(isa::Type::F32);
      ASSERT_EQ(run_lane(row("v_mac_legacy_f32"), {a, b, 0, c, false, mode}).value,
                run_lane(row("v_mad_legacy_f32"), {a, b, c, 0, false, mode}).value)
          << std::hex << a << " " << b << " " << c;
    }
}

struct Special {
  const char* row;
  u64 in, out;
};
const Special specials[] = {
    {"v_rcp_clamp_f32", 0x00000000, 0x7f7fffff},
    {"v_rcp_clamp_f32", 0x80000000, 0xff7fffff},
    {"v_rcp_clamp_f32", 0x80000001, 0xff7fffff}, // a denormal is zero
    {"v_rcp_clamp_f32", 0x7f800000, 0x00000000},
    {"v_rcp_clamp_f32", 0x40000000, 0x3f000000},
    {"v_rcp_clamp_f32", 0x7fa00000, 0x7fe00000},
    {"v_rcp_legacy_f32", 0x00000000, 0x00000000},
    {"v_rcp_legacy_f32", 0x80000000, 0x80000000},
    {"v_rcp_legacy_f32", 0xff800000, 0x80000000},
    {"v_rcp_legacy_f32", 0xc0800000, 0xbe800000},
    {"v_rsq_clamp_f32", 0x00000000, 0x7f7fffff},
    {"v_rsq_clamp_f32", 0x80000000, 0xff7fffff},
    {"v_rsq_clamp_f32", 0xbf800000, 0xffc00000},
    {"v_rsq_clamp_f32", 0x40800000, 0x3f000000},
    {"v_rsq_legacy_f32", 0x00000000, 0x00000000},
    {"v_rsq_legacy_f32", 0x80000000, 0x80000000},
    {"v_rsq_legacy_f32", 0x40800000, 0x3f000000},
    {"v_rsq_legacy_f32", 0xff800000, 0xffc00000},
    {"v_log_clamp_f32", 0x00000000, 0xff7fffff},
    {"v_log_clamp_f32", 0x80000000, 0xff7fffff},
    {"v_log_clamp_f32", 0x00000001, 0xff7fffff},
    {"v_log_clamp_f32", 0x7f800000, 0x7f800000},
    {"v_log_clamp_f32", 0xbf800000, 0xffc00000},
    {"v_log_clamp_f32", 0x41000000, 0x40400000},
    {"v_rcp_clamp_f64", 0x0000000000000000, 0x7fefffffffffffff},
    {"v_rcp_clamp_f64", 0x8000000000000001, 0xffefffffffffffff}, // overflows
    {"v_rcp_clamp_f64", 0xfff0000000000000, 0x8000000000000000},
    {"v_rcp_clamp_f64", 0x4010000000000000, 0x3fd0000000000000},
    {"v_rsq_clamp_f64", 0x0000000000000000, 0x7fefffffffffffff},
    {"v_rsq_clamp_f64", 0x8000000000000000, 0xffefffffffffffff},
    {"v_rsq_clamp_f64", 0x4010000000000000, 0x3fe0000000000000},
    {"v_rsq_clamp_f64", 0xbff0000000000000, 0xfff8000000000000},
};
TEST(Legacy, Specials) {
  for (const auto& [name, in, out] : specials)
    EXPECT_EQ(run_lane(row(name), {in, 0, 0, 0, false, {}}).value, out) << name << std::hex << " 0x" << in;
}

} // namespace
} // namespace crosslane::test
