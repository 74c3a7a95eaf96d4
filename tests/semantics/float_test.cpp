// Float arithmetic against exact integer arithmetic (exact.h), in every rounding and denormal mode, for f16, f32 and
// f64.
#include "tests/semantics/check.h"
#include "tests/semantics/exact.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::test {
namespace {

using u64 = uint64_t;

struct Env {
  int round;
  bool flush;
};
template <FloatFormat const& F> Env env(const In& x) {
  return F.mantissa == 23 ? Env{x.mode.round32, x.mode.flush32} : Env{x.mode.round64, x.mode.flush64};
}
template <FloatFormat const& F> u64 in(u64 b, bool flush) { return flush ? F.flush(b) : b; }

// The NaN that NaN sources give, if there are any.
template <FloatFormat const& F> bool nans(std::initializer_list<u64> s, Out& out) {
  int n = 0;
  for (u64 b : s)
    if (F.nan(b))
      out.value = b | F.quiet(), ++n;
  out.any_nan = n > 1;
  return n > 0;
}
u64 negate(FloatFormat f, u64 b) { return f.nan(b) ? b : b ^ f.sign(); }

template <FloatFormat const& F> Out add(u64 a, u64 b, Env e) {
  Out out;
  a = in<F>(a, e.flush), b = in<F>(b, e.flush);
  if (nans<F>({a, b}, out))
    return out;
  if (F.inf(a) || F.inf(b)) {
    if (F.inf(a) && F.inf(b) && a != b)
      return {F.default_nan()};
    return {F.inf(a) ? a : b};
  }
  const bool zero_sign = F.zero(a) && F.zero(b) && F.negative(a) == F.negative(b) ? F.negative(a) : e.round == 2;
  return {round_to(F, exact(F, a) + exact(F, b), e.round, e.flush, zero_sign)};
}
template <FloatFormat const& F> Out fma(u64 a, u64 b, u64 c, Env e) {
  Out out;
  a = in<F>(a, e.flush), b = in<F>(b, e.flush), c = in<F>(c, e.flush);
  const u64 sign = (a ^ b) & F.sign();
  const bool invalid = (F.inf(a) && F.zero(b)) || (F.zero(a) && F.inf(b));
  if (nans<F>({a, b, c}, out)) {
    out.any_nan |= invalid;
    return out;
  }
  if (invalid)
    return {F.default_nan()};
  if (F.inf(a) || F.inf(b))
    return F.inf(c) && (c & F.sign()) != sign ? Out{F.default_nan()} : Out{sign | F.infinity()};
  if (F.inf(c))
    return {c};
  const Big product = exact_product(F, a, b);
  const bool both = product == 0 && F.zero(c) && bool(sign) == F.negative(c);
  return {round_to(F, product + exact(F, c), e.round, e.flush, both ? bool(sign) : e.round == 2)};
}
template <FloatFormat const& F> Out mul(u64 a, u64 b, Env e) {
  Out out;
  a = in<F>(a, e.flush), b = in<F>(b, e.flush);
  const u64 sign = (a ^ b) & F.sign();
  if (nans<F>({a, b}, out))
    return out;
  if ((F.inf(a) && F.zero(b)) || (F.zero(a) && F.inf(b)))
    return {F.default_nan()};
  if (F.inf(a) || F.inf(b))
    return {sign | F.infinity()};
  return {round_to(F, exact_product(F, a, b), e.round, e.flush, bool(sign))};
}
// Two roundings; denormals flushed by hand unless MXCSR does (which tells tiny before rounding to denormal width).
template <FloatFormat const& F> Out mad(u64 a, u64 b, u64 c, Env e) {
  const bool by_hand = !e.flush || F.mantissa == 10;
  const Env plain{e.round, !by_hand};
  Out p = mul<F>(F.flush(a), F.flush(b), plain);
  Out d = add<F>(F.flush(p.value), F.flush(c), plain);
  d.any_nan |= p.any_nan || (F.nan(p.value) && F.nan(c));
  d.value = F.flush(d.value);
  return d;
}
template <FloatFormat const& F> Out legacy(u64 a, u64 b, Env e) {
  if (F.zero(in<F>(a, e.flush)) || F.zero(in<F>(b, e.flush)))
    return {0};
  return mul<F>(a, b, e);
}

// The manual's if-chain of V_MIN and V_MAX.
template <FloatFormat const& F> u64 pick(u64 a, u64 b, const In& x, bool greatest) {
  const bool flush = env<F>(x).flush;
  a = in<F>(a, flush), b = in<F>(b, flush);
  if (x.mode.ieee && F.signaling(a))
    return a | F.quiet();
  if (x.mode.ieee && F.signaling(b))
    return b | F.quiet();
  if (F.nan(a))
    return b;
  if (F.nan(b))
    return a;
  // As sign and magnitude: -0 below +0.
  const auto order = [](u64 v) { return F.negative(v) ? -int64_t(F.magnitude(v)) - 1 : int64_t(F.magnitude(v)); };
  return (order(a) < order(b)) != greatest ? a : b;
}
template <FloatFormat const& F> u64 median(u64 a, u64 b, u64 c, const In& x) {
  const auto least = [&](u64 p, u64 q) { return pick<F>(p, q, x, false); };
  const auto most = [&](u64 p, u64 q) { return pick<F>(p, q, x, true); };
  const bool flush = env<F>(x).flush;
  a = in<F>(a, flush), b = in<F>(b, flush), c = in<F>(c, flush);
  if (F.nan(a) || F.nan(b) || F.nan(c))
    return least(least(a, b), c);
  const u64 top = most(most(a, b), c);
  const auto equal = [](u64 p, u64 q) { return p == q || (F.zero(p) && F.zero(q)); };
  return equal(top, a) ? most(b, c) : equal(top, b) ? most(a, c) : most(a, b);
}

// Whole numbers: kind 0 nearest even, 1 ceil, 2 floor, 3 trunc.
template <FloatFormat const& F> Out whole(u64 a, const In& x, int kind) {
  a = in<F>(a, env<F>(x).flush);
  Out out;
  if (nans<F>({a}, out))
    return out;
  if (F.inf(a))
    return {a};
  const Big v = exact(F, a);
  const Big one = Big(1) << unit;
  Big below = (v >> unit) << unit; // arithmetic shift: floor
  const Big rest = v - below;
  const bool up = kind == 1   ? rest != 0
                  : kind == 0 ? rest * 2 > one || (rest * 2 == one && ((below >> unit) & 1) == 1)
                  : kind == 3 ? v < 0 && rest != 0
                              : false;
  if (up)
    below += one;
  return {round_to(F, below, 0, false, F.negative(a)) | (F.negative(a) ? F.sign() : 0)};
}
template <FloatFormat const& F> Out fract(u64 a, const In& x) {
  const Env e = env<F>(x);
  a = in<F>(a, e.flush);
  Out out;
  if (nans<F>({a}, out))
    return out;
  if (F.inf(a))
    return {F.default_nan()};
  const Big v = exact(F, a);
  const u64 d = round_to(F, v - ((v >> unit) << unit), e.round, e.flush, e.round == 2);
  const u64 one = u64(F.bias()) << F.mantissa;
  return {d >= one && d < F.sign() ? one - 1 : d};
}
template <FloatFormat const& F> Out ldexp(u64 a, int64_t power, const In& x) {
  const Env e = env<F>(x);
  a = in<F>(a, e.flush);
  Out out;
  if (nans<F>({a}, out))
    return out;
  if (F.inf(a) || F.zero(a))
    return {a};
  const int limited = int(power < -2200 ? -2200 : power > 2200 ? 2200 : power);
  Big v = exact(F, a); // a value in [2^-1074, 2^1024): scaling by 2^2200 leaves 4608 bits' range downward only
  const bool negative = v < 0;
  if (negative)
    v = -v;
  if (limited >= 0) {
    // Past the largest exponent everything is alike.
    const int room = limited > 2150 ? 2150 : limited;
    v = v << (room > 1100 ? 1100 : room);
    if (room > 1100)
      v = (v >> (2300 + 1030)) != 0 ? v : v << (room - 1100);
  } else {
    const Big cut = v >> -limited;
    v = (cut << -limited) == v ? cut : (cut | 1); // far below any result's last bit: sticky
  }
  return {round_to(F, negative ? -v : v, e.round, e.flush, negative)};
}
// frexp: the significand in [0.5, 1) and the exponent.
template <FloatFormat const& F> Out frexp(u64 a, const In& x, bool want_exponent, u64 width) {
  a = in<F>(a, env<F>(x).flush);
  if (F.nan(a))
    return want_exponent ? Out{0} : Out{a | F.quiet()};
  if (F.inf(a) || F.zero(a))
    return want_exponent ? Out{0} : Out{a};
  int e = int(F.magnitude(a) >> F.mantissa);
  u64 m = a & ((1ull << F.mantissa) - 1);
  if (e == 0) {
    e = 1;
    while (!(m >> F.mantissa))
      m <<= 1, --e;
    m &= (1ull << F.mantissa) - 1;
  }
  if (want_exponent)
    return {u64(int64_t(e - F.bias() + 1)) & width};
  return {(a & F.sign()) | u64(F.bias() - 1) << F.mantissa | m};
}

// FTZ and DAZ are off where f16 flushes by hand, so its tiny results are told after rounding to denormal width.
template <FloatFormat const& F> Out by_hand(Out (*f)(u64, u64, u64, Env), const In& x) {
  const Env e = env<F>(x);
  if (F.mantissa != 10 || !e.flush)
    return f(x.a, x.b, x.c, e);
  Out d = f(F.flush(x.a), F.flush(x.b), F.flush(x.c), {e.round, false});
  d.value = F.flush(d.value);
  return d;
}
template <FloatFormat const& F> Out f_add(u64 a, u64 b, u64, Env e) { return add<F>(a, b, e); }
template <FloatFormat const& F> Out f_sub(u64 a, u64 b, u64, Env e) { return add<F>(a, negate(F, b), e); }
template <FloatFormat const& F> Out f_subrev(u64 a, u64 b, u64, Env e) { return add<F>(b, negate(F, a), e); }
template <FloatFormat const& F> Out f_mul(u64 a, u64 b, u64, Env e) { return mul<F>(a, b, e); }
template <FloatFormat const& F> Out f_fma(u64 a, u64 b, u64 c, Env e) { return fma<F>(a, b, c, e); }

#define BASIC(s, F)                                                                                                    \
  {"v_add_" s, [](const In& x) { return by_hand<F>(f_add<F>, x); }},                                                   \
      {"v_mul_" s, [](const In& x) { return by_hand<F>(f_mul<F>, x); }},                                               \
      {"v_fma_" s, [](const In& x) { return by_hand<F>(f_fma<F>, x); }},                                               \
      {"v_min_" s, [](const In& x) { return Out{pick<F>(x.a, x.b, x, false)}; }},                                      \
      {"v_max_" s, [](const In& x) { return Out{pick<F>(x.a, x.b, x, true)}; }},                                       \
      {"v_rndne_" s, [](const In& x) { return whole<F>(x.a, x, 0); }},                                                 \
      {"v_ceil_" s, [](const In& x) { return whole<F>(x.a, x, 1); }},                                                  \
      {"v_floor_" s, [](const In& x) { return whole<F>(x.a, x, 2); }},                                                 \
      {"v_trunc_" s, [](const In& x) { return whole<F>(x.a, x, 3); }}, {                                               \
    "v_frexp_mant_" s, [](const In& x) { return frexp<F>(x.a, x, false, 0); }                                          \
  }
#define NARROW(s, F)                                                                                                   \
  {"v_sub_" s, [](const In& x) { return by_hand<F>(f_sub<F>, x); }},                                                   \
      {"v_subrev_" s, [](const In& x) { return by_hand<F>(f_subrev<F>, x); }},                                         \
      {"v_min3_" s, [](const In& x) { return Out{pick<F>(pick<F>(x.a, x.b, x, false), x.c, x, false)}; }},             \
      {"v_max3_" s, [](const In& x) { return Out{pick<F>(pick<F>(x.a, x.b, x, true), x.c, x, true)}; }},               \
      {"v_med3_" s, [](const In& x) { return Out{median<F>(x.a, x.b, x.c, x)}; }},                                     \
      {"v_mad_" s, [](const In& x) { return mad<F>(x.a, x.b, x.c, env<F>(x)); }},                                      \
      {"v_mac_" s, [](const In& x) { return mad<F>(x.a, x.b, x.old, env<F>(x)); }},                                    \
      {"v_madak_" s, [](const In& x) { return mad<F>(x.a, x.b, x.c, env<F>(x)); }}, {                                  \
    "v_madmk_" s, [](const In& x) { return mad<F>(x.a, F.mantissa == 10 ? x.b & 0xffff : x.b, x.c, env<F>(x)); }       \
  }

const Expectation singles[] = {
    BASIC("f32", single),
    NARROW("f32", single),
    {"v_fmac_f32", [](const In& x) { return fma<single>(x.a, x.b, x.old, env<single>(x)); }},
    {"v_mul_legacy_f32", [](const In& x) { return legacy<single>(x.a, x.b, env<single>(x)); }},
    {"v_mul_legacy_f32_e64", [](const In& x) { return legacy<single>(x.a, x.b, env<single>(x)); }},
    {"v_mad_legacy_f32",
     [](const In& x) {
       const Env e = env<single>(x);
       const Out p = legacy<single>(single.flush(x.a), single.flush(x.b), e);
       Out d = add<single>(single.flush(p.value), single.flush(x.c), e);
       d.any_nan |= p.any_nan || (single.nan(p.value) && single.nan(x.c));
       d.value = single.flush(d.value);
       return d;
     }},
    {"v_fract_f32", [](const In& x) { return fract<single>(x.a, x); }},
    {"v_frexp_exp_i32_f32", [](const In& x) { return frexp<single>(x.a, x, true, 0xffffffff); }},
    {"v_ldexp_f32", [](const In& x) { return ldexp<single>(x.a, int32_t(x.b), x); }},
    {"v_mad_mix_f32", [](const In& x) { return mad<single>(x.a, x.b, x.c, env<single>(x)); }},
    {"v_fma_mix_f32", [](const In& x) { return fma<single>(x.a, x.b, x.c, env<single>(x)); }},
};
const Expectation doubles[] = {
    BASIC("f64", twofold),
    {"v_fmac_f64", [](const In& x) { return fma<twofold>(x.a, x.b, x.old, env<twofold>(x)); }},
    {"v_fract_f64", [](const In& x) { return fract<twofold>(x.a, x); }},
    {"v_frexp_exp_i32_f64", [](const In& x) { return frexp<twofold>(x.a, x, true, 0xffffffff); }},
    {"v_ldexp_f64", [](const In& x) { return ldexp<twofold>(x.a, int32_t(x.b), x); }},
};
Out flushed_half(Out d, const In& x) {
  if (x.mode.flush64)
    d.value = half.flush(d.value);
  return d;
}
In without_denormals(In x) {
  if (x.mode.flush64)
    x.a = half.flush(x.a), x.mode.flush64 = false;
  return x;
}
const Expectation halves[] = {
    BASIC("f16", half),
    NARROW("f16", half),
    {"v_mad_legacy_f16", [](const In& x) { return mad<half>(x.a, x.b, x.c, env<half>(x)); }},
    {"v_fma_legacy_f16", [](const In& x) { return by_hand<half>(f_fma<half>, x); }},
    {"v_fract_f16",
     [](const In& x) { return flushed_half(fract<half>(without_denormals(x).a, without_denormals(x)), x); }},
    {"v_frexp_exp_i16_f16", [](const In& x) { return frexp<half>(x.a, x, true, 0xffff); }},
    {"v_ldexp_f16",
     [](const In& x) {
       return flushed_half(ldexp<half>(without_denormals(x).a, int16_t(x.b), without_denormals(x)), x);
     }},
    {"v_pack_b32_f16", [](const In& x) { return Out{x.a | x.b << 16}; }},
};

// Mixed precision: the f32 result under the mode, then one more rounding to f16.
Out to_half(Out d, const In& x) {
  if (single.nan(d.value))
    return {(d.value >> 16 & 0x8000) | 0x7e00 | (d.value >> 13 & 0x3ff), false, d.any_nan};
  if (single.inf(d.value))
    return {(d.value >> 16 & 0x8000) | 0x7c00};
  return flushed_half({round_to(half, exact(single, d.value), x.mode.round64, false, single.negative(d.value))}, x);
}
Out mixed_mad(const In& x) { return to_half(mad<single>(x.a, x.b, x.c, {x.mode.round64, x.mode.flush32}), x); }
Out mixed_fma(const In& x) { return to_half(fma<single>(x.a, x.b, x.c, {x.mode.round64, x.mode.flush32}), x); }
// Products of halves are exact; their sum is rounded to f32, then the sum with the addend.
Out dot2(u64 a, u64 b, u64 c, const In& x) {
  const Env e = env<single>(x);
  const auto product = [&](int shift) -> Out {
    const u64 p = a >> shift & 0xffff, q = b >> shift & 0xffff;
    const u64 sign = ((p ^ q) & 0x8000) << 16;
    if (half.nan(p) || half.nan(q))
      return {single.default_nan()};
    if ((half.inf(p) && half.zero(q)) || (half.zero(p) && half.inf(q)))
      return {single.default_nan()};
    if (half.inf(p) || half.inf(q))
      return {sign | single.infinity()};
    return {round_to(single, exact_product(half, p, q), 0, false, bool(sign))};
  };
  const Out sum = add<single>(product(0).value, product(16).value, e);
  Out d = add<single>(sum.value, c, e);
  d.any_nan = single.nan(d.value);
  return d;
}
const Expectation mixed[] = {
    {"v_mad_mixlo_f16", mixed_mad},
    {"v_mad_mixhi_f16", mixed_mad},
    {"v_fma_mixlo_f16", mixed_fma},
    {"v_fma_mixhi_f16", mixed_fma},
    {"v_dot2_f32_f16", [](const In& x) { return dot2(x.a, x.b, x.c, x); }},
    {"v_dot2c_f32_f16", [](const In& x) { return dot2(x.a, x.b, x.old, x); }},
};

// Packed halves: NaNs are compared with the payload, so the inputs that have two are left to the level tests.
template <class F> Out packed(const In& x, F f) {
  In lo = x, hi = x;
  lo.a &= 0xffff, lo.b &= 0xffff, lo.c &= 0xffff;
  hi.a >>= 16, hi.b >>= 16, hi.c >>= 16;
  return {f(lo) | f(hi) << 16};
}
u64 value(Out out) { return out.any_nan ? 0xfe00 : out.value; }

const Tested tested[] = {
    Tested(singles),
    Tested(doubles),
    Tested(halves),
    Tested(mixed),
    Tested{"v_pk_add_f16", "v_pk_mul_f16", "v_pk_fma_f16", "v_pk_fmac_f16", "v_pk_min_f16", "v_pk_max_f16"},
    Tested{"v_pk_add_f32", "v_pk_mul_f32", "v_pk_fma_f32"}};
TEST(Float, Single) { expect_rows(singles, float_modes, 3000); }
TEST(Float, Double) { expect_rows(doubles, float_modes, 2000); }
TEST(Float, Mixed) { expect_rows(mixed, float_modes, 3000); }
TEST(Float, Half) { expect_rows(halves, float_modes, 3000); }

// Packed rows give in each half what the plain row gives.
TEST(Float, PackedHalves) {
  const std::pair<const char*, Out (*)(const In&)> rows[] = {
      {"v_pk_add_f16",
       [](const In& x) { return packed(x, [](const In& h) { return value(by_hand<half>(f_add<half>, h)); }); }},
      {"v_pk_mul_f16",
       [](const In& x) { return packed(x, [](const In& h) { return value(by_hand<half>(f_mul<half>, h)); }); }},
      {"v_pk_fma_f16",
       [](const In& x) { return packed(x, [](const In& h) { return value(by_hand<half>(f_fma<half>, h)); }); }},
      {"v_pk_fmac_f16",
       [](const In& x) {
         In y = x;
         y.c = x.old;
         return packed(y, [](const In& h) { return value(by_hand<half>(f_fma<half>, h)); });
       }},
      {"v_pk_min_f16",
       [](const In& x) { return packed(x, [](const In& h) { return pick<half>(h.a, h.b, h, false); }); }},
      {"v_pk_max_f16",
       [](const In& x) { return packed(x, [](const In& h) { return pick<half>(h.a, h.b, h, true); }); }},
  };
  const auto canonical = [](u64 v) {
    const auto one = [](u64 h) { return half.nan(h) ? 0x7e00 : h; };
    return one(v & 0xffff) | one(v >> 16) << 16;
  };
  for (const auto& [name, oracle] : rows) {
    Inputs inputs(7);
    for (int i = 0; i < 40000; ++i) {
      const auto next = [&] { return inputs.next(isa::Type::PkF16); };
      const In x{next(), next(), next(), next(), false, float_modes.begin()[i % int(float_modes.size())]};
      const u64 got = run_lane(row(name), x).value, want = oracle(x).value;
      ASSERT_EQ(canonical(got), canonical(want))
          << name << std::hex << " " << x.a << " " << x.b << " " << x.c << " mode " << i % 6;
    }
  }
}

// And in each of two singles.
TEST(Float, PackedSingles) {
  const std::pair<const char*, Out (*)(const In&)> rows[] = {
      {"v_pk_add_f32", [](const In& x) { return by_hand<single>(f_add<single>, x); }},
      {"v_pk_mul_f32", [](const In& x) { return by_hand<single>(f_mul<single>, x); }},
      {"v_pk_fma_f32", [](const In& x) { return by_hand<single>(f_fma<single>, x); }},
  };
  for (const auto& [name, oracle] : rows) {
    Inputs inputs(11);
    for (int i = 0; i < 40000; ++i) {
      const auto next = [&] { return inputs.next(isa::Type::PkF32); };
      const In x{next(), next(), next(), next(), false, float_modes.begin()[i % int(float_modes.size())]};
      const u64 got = run_lane(row(name), x).value;
      for (const int shift : {0, 32}) {
        const In item{
            u64(uint32_t(x.a >> shift)), u64(uint32_t(x.b >> shift)), u64(uint32_t(x.c >> shift)), 0, false, x.mode};
        const Out want = oracle(item);
        const u64 one = uint32_t(got >> shift);
        ASSERT_TRUE(want.any_nan ? is_nan(isa::Type::F32, one) : one == want.value)
            << name << std::hex << " " << x.a << " " << x.b << " " << x.c << " mode " << i % 6 << ": " << one
            << ", not " << want.value;
      }
    }
  }
}

// Results among the denormals are where scaling in steps could round twice.
TEST(Float, LdexpIntoDenormals) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 60000; ++i) {
    // Significands next to a tie at some bit: what a second rounding would get wrong.
    const u64 r = random(), tie = r >> 24 & 31, mantissa = ((random() << 1 | 1) << tie) + (r >> 32) % 3 - 1;
    const int field = i & 1 ? 900 + int(r % 128) : 1 + int(r % 2046),
              target = -1 - int(r >> 16 & 63); // biased exponents of source and result
    const In x{(r >> 63) << 63 | u64(field) << 52 | (mantissa & 0xfffffffffffff),
               u64(uint32_t(target - field)),
               0,
               0,
               false,
               {}};
    ASSERT_EQ(run_lane(row("v_ldexp_f64"), x).value, ldexp<twofold>(x.a, target - field, x).value)
        << std::hex << x.a << " " << x.b;
    const int field32 = 1 + int(r % 254), target32 = -1 - int(r >> 16 & 31);
    const In y{(r >> 63) << 31 | u64(field32) << 23 | (mantissa & 0x7fffff),
               u64(uint32_t(target32 - field32)),
               0,
               0,
               false,
               {}};
    ASSERT_EQ(run_lane(row("v_ldexp_f32"), y).value, ldexp<single>(y.a, target32 - field32, y).value)
        << std::hex << y.a << " " << y.b;
  }
}

// Every f16 pair would take minutes; every f16 value against a few is enough to meet each rounding boundary.
TEST(Float, HalfAgainstEveryHalf) {
  for (const char* name : {"v_add_f16", "v_mul_f16"})
    for (u64 b : {0x3c01ull, 0x0001ull, 0x8400ull, 0x3555ull, 0xfbffull})
      for (u64 a = 0; a < 0x10000; ++a) {
        const In x{a, b, 0, 0, false, {}};
        const Out want = name[2] == 'a' ? add<half>(a, b, {0, false}) : mul<half>(a, b, {0, false});
        if (!want.any_nan) {
          ASSERT_EQ(run_lane(row(name), x).value, want.value) << name << std::hex << " " << a << " " << b;
        }
      }
}

} // namespace
} // namespace crosslane::test
