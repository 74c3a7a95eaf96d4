// Conversions against exact integer arithmetic.
#include "tests/semantics/check.h"
#include "tests/semantics/exact.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

using u64 = uint64_t;
using i64 = int64_t;

Big floor_of(Big v) { return v >> unit; }
Big trunc_of(Big v) { return v < 0 ? -(-v >> unit) : v >> unit; }
Big half_unit() { return Big(1) << (unit - 1); }
Big nearest_even(Big v) {
  Big below = floor_of(v);
  const Big rest = v - (below << unit);
  if (rest > half_unit() || (rest == half_unit() && (below & 1) == 1))
    below += 1;
  return below;
}
Big in_mode(Big v, int round) {
  if (round == 0)
    return nearest_even(v);
  if (round == 3)
    return trunc_of(v);
  const Big below = floor_of(v);
  return below + (round == 1 && (below << unit) != v ? 1 : 0);
}
// A float to an integer between least and most: NaN gives 0, what is outside saturates.
template <FloatFormat const& F, class R> u64 to_integer(u64 b, i64 least, i64 most, R rounded) {
  if (F.nan(b))
    return 0;
  if (F.inf(b))
    return u64(F.negative(b) ? least : most);
  const Big v = rounded(exact(F, b));
  return u64(v < least ? least : v > most ? most : i64(v));
}
template <FloatFormat const& F> Out from_integer(i64 v, int round, bool flush = false) {
  return {round_to(F, Big(v) << unit, round, flush, false)};
}
template <FloatFormat const& From, FloatFormat const& To> Out between(u64 b, int round, bool flush) {
  if (From.nan(b)) {
    const u64 payload = b & ((1ull << From.mantissa) - 1);
    const int down = From.mantissa - To.mantissa;
    return {(From.negative(b) ? To.sign() : 0) | To.infinity() | To.quiet() |
            (down > 0 ? payload >> down : payload << -down)};
  }
  if (From.inf(b))
    return {(From.negative(b) ? To.sign() : 0) | To.infinity()};
  return {round_to(To, exact(From, b), round, flush, From.negative(b))};
}
template <FloatFormat const& F> u64 norm(u64 b, int limit, bool is_signed) {
  if (F.nan(b))
    return 0;
  const Big one = Big(1) << unit;
  Big v = F.inf(b) ? (F.negative(b) ? -one : one) : exact(F, b);
  const Big least = is_signed ? -one : Big(0);
  v = v < least ? least : v > one ? one : v;
  return u64(i64(nearest_even(v * limit))) & 0xffff;
}
u64 pack(u64 low, u64 high) { return (low & 0xffff) | (high & 0xffff) << 16; }
u64 clamp16(i64 v, i64 least, i64 most) { return u64(v < least ? least : v > most ? most : v); }
u64 byte_into(u64 value, u64 which, u64 old, int round) {
  const u64 byte = to_integer<single>(value, 0, 255, [&](Big v) { return in_mode(v, round); });
  const int shift = int(which % 4) * 8;
  return (old & ~(0xffull << shift)) | byte << shift;
}
u64 truncated_half(u64 b) {
  if (single.nan(b))
    return 0x7e00 | (b >> 13 & 0x3ff) | (b >> 16 & 0x8000);
  return between<single, half>(b, 3, false).value;
}

constexpr i64 i32_least = -2147483648ll, i32_most = 2147483647, u32_most = 4294967295;

const Expectation integers[] = {
    {"v_cvt_i32_f32", [](const In& x) { return Out{to_integer<single>(x.a, i32_least, i32_most, trunc_of)}; }},
    {"v_cvt_u32_f32", [](const In& x) { return Out{to_integer<single>(x.a, 0, u32_most, trunc_of)}; }},
    {"v_cvt_i32_f64", [](const In& x) { return Out{to_integer<twofold>(x.a, i32_least, i32_most, trunc_of)}; }},
    {"v_cvt_u32_f64", [](const In& x) { return Out{to_integer<twofold>(x.a, 0, u32_most, trunc_of)}; }},
    {"v_cvt_u16_f16", [](const In& x) { return Out{to_integer<half>(x.a, 0, 65535, trunc_of)}; }},
    {"v_cvt_i16_f16", [](const In& x) { return Out{to_integer<half>(x.a, -32768, 32767, trunc_of)}; }},
    {"v_cvt_f32_i32", [](const In& x) { return from_integer<single>(int32_t(x.a), x.mode.round32); }},
    {"v_cvt_f32_u32", [](const In& x) { return from_integer<single>(i64(x.a), x.mode.round32); }},
    {"v_cvt_f64_i32", [](const In& x) { return from_integer<twofold>(int32_t(x.a), 0); }},
    {"v_cvt_f64_u32", [](const In& x) { return from_integer<twofold>(i64(x.a), 0); }},
    {"v_cvt_f16_u16", [](const In& x) { return from_integer<half>(i64(x.a), x.mode.round64); }},
    {"v_cvt_f16_i16", [](const In& x) { return from_integer<half>(int16_t(x.a), x.mode.round64); }},
    {"v_cvt_f32_ubyte0", [](const In& x) { return from_integer<single>(x.a & 0xff, 0); }},
    {"v_cvt_f32_ubyte1", [](const In& x) { return from_integer<single>(x.a >> 8 & 0xff, 0); }},
    {"v_cvt_f32_ubyte2", [](const In& x) { return from_integer<single>(x.a >> 16 & 0xff, 0); }},
    {"v_cvt_f32_ubyte3", [](const In& x) { return from_integer<single>(x.a >> 24 & 0xff, 0); }},
    {"v_cvt_off_f32_i4",
     [](const In& x) {
       const i64 v = i64(x.a & 7) - i64(x.a & 8);
       return Out{round_to(single, Big(v) << (unit - 4), 0, false, false)};
     }},
    {"v_cvt_pk_u16_u32",
     [](const In& x) { return Out{pack(clamp16(i64(x.a), 0, 65535), clamp16(i64(x.b), 0, 65535))}; }},
    {"v_cvt_pk_i16_i32",
     [](const In& x) { return Out{pack(clamp16(int32_t(x.a), -32768, 32767), clamp16(int32_t(x.b), -32768, 32767))}; }},
};
// With DAZ a denormal source is zero before it is rounded down or to the mode's side.
u64 seen(u64 b, const In& x) { return x.mode.flush32 ? single.flush(b) : b; }
const Expectation roundings[] = {
    {"v_cvt_flr_i32_f32",
     [](const In& x) { return Out{to_integer<single>(seen(x.a, x), i32_least, i32_most, floor_of)}; }},
    {"v_cvt_rpi_i32_f32",
     [](const In& x) {
       return Out{
           to_integer<single>(seen(x.a, x), i32_least, i32_most, [](Big v) { return floor_of(v + half_unit()); })};
     }},
    {"v_cvt_pk_u8_f32", [](const In& x) { return Out{byte_into(seen(x.a, x), x.b, x.c, x.mode.round32)}; }},
    {"v_cvt_pkaccum_u8_f32", [](const In& x) { return Out{byte_into(seen(x.a, x), x.b, x.old, x.mode.round32)}; }},
};
const Expectation floats[] = {
    {"v_cvt_f32_f64",
     [](const In& x) {
       Out d = between<twofold, single>(x.mode.flush64 ? twofold.flush(x.a) : x.a, x.mode.round64, x.mode.flush64);
       if (x.mode.flush32)
         d.value = single.flush(d.value);
       return d;
     }},
    {"v_cvt_f64_f32", [](const In& x) { return between<single, twofold>(seen(x.a, x), 0, false); }},
    {"v_cvt_f32_f16", [](const In& x) { return between<half, single>(x.a, 0, false); }},
    {"v_cvt_f16_f32",
     [](const In& x) {
       Out d = between<single, half>(x.a, x.mode.round64, false);
       if (x.mode.flush64)
         d.value = half.flush(d.value);
       return d;
     }},
    {"v_cvt_pkrtz_f16_f32", [](const In& x) { return Out{pack(truncated_half(x.a), truncated_half(x.b))}; }},
};
const Expectation norms[] = {
    {"v_cvt_pknorm_i16_f32",
     [](const In& x) { return Out{pack(norm<single>(x.a, 32767, true), norm<single>(x.b, 32767, true))}; }},
    {"v_cvt_pknorm_u16_f32",
     [](const In& x) { return Out{pack(norm<single>(x.a, 65535, false), norm<single>(x.b, 65535, false))}; }},
    {"v_cvt_pknorm_i16_f16",
     [](const In& x) { return Out{pack(norm<half>(x.a, 32767, true), norm<half>(x.b, 32767, true))}; }},
    {"v_cvt_pknorm_u16_f16",
     [](const In& x) { return Out{pack(norm<half>(x.a, 65535, false), norm<half>(x.b, 65535, false))}; }},
    {"v_cvt_norm_i16_f16", [](const In& x) { return Out{norm<half>(x.a, 32767, true)}; }},
    {"v_cvt_norm_u16_f16", [](const In& x) { return Out{norm<half>(x.a, 65535, false)}; }},
};

const Tested tested[] = {Tested(integers), Tested(roundings), Tested(floats), Tested(norms)};
TEST(Convert, Integers) { expect_rows(integers, float_modes, 3000); }
TEST(Convert, Roundings) { expect_rows(roundings, float_modes, 3000); }
TEST(Convert, Floats) { expect_rows(floats, float_modes, 3000); }
TEST(Convert, Norms) { expect_rows(norms, {{}}, 5000); }

// Half a million f32 around every f16 rounding boundary.
TEST(Convert, HalfBoundaries) {
  for (const ModeBits& mode : float_modes)
    for (uint64_t high = 0x3300; high < 0x4790; high += 3)
      for (uint64_t low :
           {0x0000ull, 0x0001ull, 0x0fffull, 0x1000ull, 0x1001ull, 0x1fffull, 0x2000ull, 0x3000ull, 0xf000ull}) {
        const In x{high << 16 | low, 0, 0, 0, false, mode};
        ASSERT_EQ(run_lane(row("v_cvt_f16_f32"), x).value, floats[3].oracle(x).value) << std::hex << x.a;
        ASSERT_EQ(run_lane(row("v_cvt_pkrtz_f16_f32"), x).value, floats[4].oracle(x).value) << std::hex << x.a;
      }
}

} // namespace
} // namespace crosslane::test
