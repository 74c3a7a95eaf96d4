// Rows that round once, or in known steps, against MPFR in all four rounding modes, bit by bit.
#include "tests/semantics/division_sequence.h"
#include "tests/semantics/mpfr_number.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace crosslane::test {
namespace {

using u64 = uint64_t;

struct MpfrRow {
  std::string row;
  u64 (*oracle)(const In&, int mode); // the mode is the rounding mode of the row's half of MODE
};

template <FloatFormat const& F, class Op> u64 two(u64 a, u64 b, int mode, Op op) {
  const Number x(F, a), y(F, b);
  return rounded(F, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return op(d, x, y, r); });
}
template <FloatFormat const& F> u64 add(u64 a, u64 b, int mode) { return two<F>(a, b, mode, mpfr_add); }
template <FloatFormat const& F> u64 multiply(u64 a, u64 b, int mode) { return two<F>(a, b, mode, mpfr_mul); }
template <FloatFormat const& F> u64 fma(u64 a, u64 b, u64 c, int mode) {
  const Number x(F, a), y(F, b), z(F, c);
  return rounded(F, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return mpfr_fma(d, x, y, z, r); });
}
template <FloatFormat const& F> u64 subtract(u64 a, u64 b, int mode) { return two<F>(a, b, mode, mpfr_sub); }
// Denormals flushed before, between and after.
template <FloatFormat const& F> u64 mad(u64 a, u64 b, u64 c, int mode) {
  const u64 product = F.flush(multiply<F>(F.flush(a), F.flush(b), mode));
  return F.flush(add<F>(product, F.flush(c), mode));
}
template <FloatFormat const& F, class Op> u64 one(u64 a, int mode, Op op) {
  const Number x(F, a);
  return rounded(F, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return op(d, x, r); });
}
template <FloatFormat const& From, FloatFormat const& To> u64 convert(u64 a, int mode) {
  const Number x(From, a);
  return rounded(To, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return mpfr_set(d, x, r); });
}
template <FloatFormat const& F> u64 from_integer(int64_t v, int mode) {
  return rounded(F, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return mpfr_set_si(d, v, r); });
}
template <FloatFormat const& F> u64 to_integer(u64 a, int64_t least, int64_t most) {
  Number x(F, a);
  if (mpfr_nan_p(x))
    return 0;
  if (mpfr_cmp_si(x, least) <= 0)
    return u64(least);
  return mpfr_cmp_si(x, most) >= 0 ? u64(most) : u64(mpfr_get_si(x, MPFR_RNDZ));
}
template <FloatFormat const& F> u64 whole(u64 a, int (*op)(mpfr_ptr, mpfr_srcptr)) {
  return one<F>(a, 0, [op](mpfr_ptr d, mpfr_srcptr x, mpfr_rnd_t) { return op(d, x); });
}
template <FloatFormat const& F> u64 ldexp(u64 a, int64_t power, int mode) {
  const Number x(F, a);
  return rounded(F, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return mpfr_mul_2si(d, x, long(power), r); });
}
template <FloatFormat const& F> u64 fract(u64 a, int mode) {
  const Number x(F, a);
  if (mpfr_inf_p(x))
    return F.infinity() | F.quiet();
  Number below(F.mantissa + 1);
  mpfr_floor(below, x);
  const u64 d = rounded(F, mode, [&](mpfr_ptr to, mpfr_rnd_t r) { return mpfr_sub(to, x, below, r); });
  const u64 unit = u64(F.bias()) << F.mantissa;
  return d == unit ? unit - 1 : d;
}
template <FloatFormat const& F> u64 frexp_mantissa(u64 a) {
  return one<F>(a, 0, [](mpfr_ptr d, mpfr_srcptr x, mpfr_rnd_t r) {
    mpfr_exp_t e;
    return mpfr_regular_p(x) ? mpfr_frexp(&e, d, x, r) : mpfr_set(d, x, r);
  });
}
template <FloatFormat const& F> u64 frexp_exponent(u64 a, u64 mask) {
  const Number x(F, a);
  return mpfr_regular_p(x) ? u64(mpfr_get_exp(x)) & mask : 0;
}
u64 dot2(u64 a, u64 b, u64 c, int mode) {
  const auto product = [&](int shift) {
    const Number x(half, a >> shift & 0xffff), y(half, b >> shift & 0xffff);
    return rounded(single, mode, [&](mpfr_ptr d, mpfr_rnd_t r) { return mpfr_mul(d, x, y, r); });
  };
  return add<single>(add<single>(product(0), product(16), mode), c, mode);
}
template <class F> u64 each_half(const In& x, F f) {
  return f(x.a & 0xffff, x.b & 0xffff, x.c & 0xffff) | f(x.a >> 16 & 0xffff, x.b >> 16 & 0xffff, x.c >> 16 & 0xffff)
                                                           << 16;
}

#define ALL(s, F)                                                                                                      \
  {"v_add_" s, [](const In& x, int m) { return add<F>(x.a, x.b, m); }},                                                \
      {"v_mul_" s, [](const In& x, int m) { return multiply<F>(x.a, x.b, m); }},                                       \
      {"v_fma_" s, [](const In& x, int m) { return fma<F>(x.a, x.b, x.c, m); }},                                       \
      {"v_rndne_" s, [](const In& x, int) { return whole<F>(x.a, mpfr_roundeven); }},                                  \
      {"v_ceil_" s, [](const In& x, int) { return whole<F>(x.a, mpfr_ceil); }},                                        \
      {"v_floor_" s, [](const In& x, int) { return whole<F>(x.a, mpfr_floor); }},                                      \
      {"v_trunc_" s, [](const In& x, int) { return whole<F>(x.a, mpfr_trunc); }},                                      \
      {"v_fract_" s, [](const In& x, int m) { return fract<F>(x.a, m); }}, {                                           \
    "v_frexp_mant_" s, [](const In& x, int) { return frexp_mantissa<F>(x.a); }                                         \
  }
#define NARROW(s, F)                                                                                                   \
  {"v_sub_" s, [](const In& x, int m) { return subtract<F>(x.a, x.b, m); }},                                           \
      {"v_subrev_" s, [](const In& x, int m) { return subtract<F>(x.b, x.a, m); }},                                    \
      {"v_mad_" s, [](const In& x, int m) { return mad<F>(x.a, x.b, x.c, m); }}, {                                     \
    "v_mac_" s, [](const In& x, int m) { return mad<F>(x.a, x.b, x.old, m); }                                          \
  }
const std::vector<MpfrRow> arithmetic = {
    ALL("f16", half),
    ALL("f32", single),
    ALL("f64", twofold),
    NARROW("f16", half),
    NARROW("f32", single),
    {"v_fmac_f32", [](const In& x, int m) { return fma<single>(x.a, x.b, x.old, m); }},
    {"v_fmac_f64", [](const In& x, int m) { return fma<twofold>(x.a, x.b, x.old, m); }},
    {"v_fma_legacy_f16", [](const In& x, int m) { return fma<half>(x.a, x.b, x.c, m); }},
    {"v_mad_legacy_f16", [](const In& x, int m) { return mad<half>(x.a, x.b, x.c, m); }},
    {"v_madak_f32", [](const In& x, int m) { return mad<single>(x.a, x.b, x.c, m); }},
    {"v_madmk_f32", [](const In& x, int m) { return mad<single>(x.a, x.b, x.c, m); }},
    {"v_mad_mix_f32", [](const In& x, int m) { return mad<single>(x.a, x.b, x.c, m); }},
    {"v_fma_mix_f32", [](const In& x, int m) { return fma<single>(x.a, x.b, x.c, m); }},
    {"v_mad_mixlo_f16", [](const In& x, int m) { return convert<single, half>(mad<single>(x.a, x.b, x.c, m), m); }},
    {"v_mad_mixhi_f16", [](const In& x, int m) { return convert<single, half>(mad<single>(x.a, x.b, x.c, m), m); }},
    {"v_fma_mixlo_f16", [](const In& x, int m) { return convert<single, half>(fma<single>(x.a, x.b, x.c, m), m); }},
    {"v_fma_mixhi_f16", [](const In& x, int m) { return convert<single, half>(fma<single>(x.a, x.b, x.c, m), m); }},
    {"v_dot2_f32_f16", [](const In& x, int m) { return dot2(x.a, x.b, x.c, m); }},
    {"v_dot2c_f32_f16", [](const In& x, int m) { return dot2(x.a, x.b, x.old, m); }},
    {"v_frexp_exp_i16_f16", [](const In& x, int) { return frexp_exponent<half>(x.a, 0xffff); }},
    {"v_frexp_exp_i32_f32", [](const In& x, int) { return frexp_exponent<single>(x.a, 0xffffffff); }},
    {"v_frexp_exp_i32_f64", [](const In& x, int) { return frexp_exponent<twofold>(x.a, 0xffffffff); }},
    {"v_ldexp_f16", [](const In& x, int m) { return ldexp<half>(x.a, int16_t(x.b), m); }},
    {"v_ldexp_f32", [](const In& x, int m) { return ldexp<single>(x.a, int32_t(x.b), m); }},
    {"v_ldexp_f64", [](const In& x, int m) { return ldexp<twofold>(x.a, int32_t(x.b), m); }},
};
const std::vector<MpfrRow> conversions = {
    {"v_cvt_f32_f64", [](const In& x, int m) { return convert<twofold, single>(x.a, m); }},
    {"v_cvt_f64_f32", [](const In& x, int m) { return convert<single, twofold>(x.a, m); }},
    {"v_cvt_f16_f32", [](const In& x, int m) { return convert<single, half>(x.a, m); }},
    {"v_cvt_f32_f16", [](const In& x, int m) { return convert<half, single>(x.a, m); }},
    {"v_cvt_f32_i32", [](const In& x, int m) { return from_integer<single>(int32_t(x.a), m); }},
    {"v_cvt_f32_u32", [](const In& x, int m) { return from_integer<single>(int64_t(x.a), m); }},
    {"v_cvt_f64_i32", [](const In& x, int m) { return from_integer<twofold>(int32_t(x.a), m); }},
    {"v_cvt_f64_u32", [](const In& x, int m) { return from_integer<twofold>(int64_t(x.a), m); }},
    {"v_cvt_f16_i16", [](const In& x, int m) { return from_integer<half>(int16_t(x.a), m); }},
    {"v_cvt_f16_u16", [](const In& x, int m) { return from_integer<half>(int64_t(x.a), m); }},
    {"v_cvt_i32_f32", [](const In& x, int) { return to_integer<single>(x.a, INT32_MIN, INT32_MAX) & 0xffffffff; }},
    {"v_cvt_u32_f32", [](const In& x, int) { return to_integer<single>(x.a, 0, UINT32_MAX); }},
    {"v_cvt_i32_f64", [](const In& x, int) { return to_integer<twofold>(x.a, INT32_MIN, INT32_MAX) & 0xffffffff; }},
    {"v_cvt_u32_f64", [](const In& x, int) { return to_integer<twofold>(x.a, 0, UINT32_MAX); }},
    {"v_cvt_i16_f16", [](const In& x, int) { return to_integer<half>(x.a, INT16_MIN, INT16_MAX) & 0xffff; }},
    {"v_cvt_u16_f16", [](const In& x, int) { return to_integer<half>(x.a, 0, UINT16_MAX); }},
    {"v_cvt_pkrtz_f16_f32",
     [](const In& x, int) { return convert<single, half>(x.a, 3) | convert<single, half>(x.b, 3) << 16; }},
};
const std::vector<MpfrRow> packed = {
    {"v_pk_add_f16",
     [](const In& x, int m) { return each_half(x, [m](u64 a, u64 b, u64) { return add<half>(a, b, m); }); }},
    {"v_pk_mul_f16",
     [](const In& x, int m) { return each_half(x, [m](u64 a, u64 b, u64) { return multiply<half>(a, b, m); }); }},
    {"v_pk_fma_f16",
     [](const In& x, int m) { return each_half(x, [m](u64 a, u64 b, u64 c) { return fma<half>(a, b, c, m); }); }},
    {"v_pk_fmac_f16",
     [](const In& x, int m) {
       In y = x;
       y.c = x.old;
       return each_half(y, [m](u64 a, u64 b, u64 c) { return fma<half>(a, b, c, m); });
     }},
};
// Hardware approximates these; here they are correctly rounded. f32 flushes denormals.
const std::vector<MpfrRow> roots = {
    {"v_rcp_f32",
     [](const In& x, int m) {
       return single.flush(one<single>(
           single.flush(x.a), m, [](mpfr_ptr d, mpfr_srcptr v, mpfr_rnd_t r) { return mpfr_ui_div(d, 1, v, r); }));
     }},
    {"v_rcp_f64",
     [](const In& x, int m) {
       return one<twofold>(x.a, m, [](mpfr_ptr d, mpfr_srcptr v, mpfr_rnd_t r) { return mpfr_ui_div(d, 1, v, r); });
     }},
    {"v_sqrt_f32", [](const In& x, int m) { return one<single>(single.flush(x.a), m, mpfr_sqrt); }},
    {"v_sqrt_f64", [](const In& x, int m) { return one<twofold>(x.a, m, mpfr_sqrt); }},
};

void expect_mpfr(const std::vector<MpfrRow>& list) {
  for (const MpfrRow& m : list) {
    const RowEntry& r = row(m.row);
    for (uint8_t round = 0; round < 4; ++round) {
      int failures = 0;
      for_inputs(r, {.round32 = round, .round64 = round}, round == 0, 4000, [&](const In& in) {
        const Out got = run_lane(r, in), want{m.oracle(in, round)};
        const bool same = same_value(r.dst, got.value, want.value);
        EXPECT_TRUE(same) << explain(r, in, got, want) << " by MPFR";
        failures += !same;
        return failures < 3;
      });
    }
  }
}

const MpfrRow divisions[] = {{"v_div_scale_f32", nullptr}, {"v_div_fmas_f32", nullptr},
                             {"v_div_fixup_f32", nullptr}, {"v_div_scale_f64", nullptr},
                             {"v_div_fmas_f64", nullptr},  {"v_div_fixup_f64", nullptr},
                             {"v_div_fixup_f16", nullptr}, {"v_div_fixup_legacy_f16", nullptr}};
const Asked asked[] = {{Outside::mpfr, arithmetic},
                       {Outside::mpfr, conversions},
                       {Outside::mpfr, packed},
                       {Outside::mpfr, roots},
                       {Outside::mpfr, divisions}};
TEST(Mpfr, Arithmetic) { expect_mpfr(arithmetic); }
TEST(Mpfr, Conversions) { expect_mpfr(conversions); }
TEST(Mpfr, Packed) { expect_mpfr(packed); }
TEST(Mpfr, Roots) { expect_mpfr(roots); }

// LLVM's division sequences end in the correctly rounded quotient. Exponents: any, and such that quotients are
// denormal.
template <FloatFormat const& F> void expect_quotients(u64 (*divide)(const Machine&, u64, u64)) {
  std::mt19937_64 random(21);
  const auto same = [&](u64 x, u64 y) {
    const u64 got = divide(Machine{}, x, y), want = two<F>(x, y, 0, mpfr_div);
    const bool ok = F.nan(want) ? F.nan(got) : got == want;
    EXPECT_TRUE(ok) << std::hex << "0x" << x << " / 0x" << y << " = 0x" << got << ", by MPFR 0x" << want;
    return ok;
  };
  const isa::Type type = F.mantissa == 23 ? isa::Type::F32 : isa::Type::F64;
  for (u64 x : edges(type))
    for (u64 y : edges(type))
      if (!same(x, y))
        return;
  const u64 all = F.sign() * 2 - 1, fields = 2 * unsigned(F.bias()) + 1;
  for (int i = 0; i < 60000; ++i) {
    u64 x = random() & all, y = random() & all;
    if (i & 1) { // the quotient's exponent: near the least
      const u64 e = (y & ~F.sign()) >> F.mantissa, less = unsigned(F.bias()) - random() % 8;
      const u64 field = e > less ? e - less : random() % 4;
      x = (x & ~(fields << F.mantissa)) | field << F.mantissa;
    }
    if (!same(x, y))
      return;
  }
}
TEST(Mpfr, DivisionSequences) {
  expect_quotients<single>(divide_single);
  expect_quotients<twofold>(divide_double);
}
// f16: the product with an f32 reciprocal, rounded and fixed up; within one place of the quotient.
TEST(Mpfr, HalfDivision) {
  const Machine m;
  for (const char* name : {"v_div_fixup_f16", "v_div_fixup_legacy_f16"}) {
    const RowEntry &fixup = row(name), &widen = row("v_cvt_f32_f16"), &rcp = row("v_rcp_f32"), &mul = row("v_mul_f32"),
                   &narrow = row("v_cvt_f16_f32");
    std::mt19937_64 random(5);
    for (int i = 0; i < 60000; ++i) {
      const u64 x = random() & 0xffff, y = random() & 0xffff;
      const u64 q = m(mul, m(widen, x).value, m(rcp, m(widen, y).value).value).value;
      const u64 got = m(fixup, m(narrow, q).value, y, x).value, want = two<half>(x, y, 0, mpfr_div);
      const bool close = int64_t(got) - int64_t(want) <= 1 && int64_t(want) - int64_t(got) <= 1;
      ASSERT_TRUE(half.nan(want) ? half.nan(got) : close)
          << std::hex << x << " / " << y << " = " << got << ", MPFR " << want;
    }
  }
}

} // namespace
} // namespace crosslane::test
