// Integer rows of the vector ALU against wide plain C++: sums and products in 128 bits, fields bit by bit.
#include "tests/semantics/check.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

using i16 = int16_t;
using u16 = uint16_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using i128 = __int128;
using u128 = unsigned __int128;

bool bit(u64 v, int i) { return v >> i & 1; }
template <class F> u64 each_bit(int width, F f) {
  u64 d = 0;
  for (int i = 0; i < width; ++i)
    if (f(i))
      d |= 1ull << i;
  return d;
}
template <class F> Out first(F f) {
  for (int i = 0; i < 32; ++i)
    if (f(i))
      return {u64(i)};
  return {u32(-1)};
}
i64 s24(u64 v) { return i64(v & 0xffffff) - (v & 0x800000 ? 0x1000000 : 0); }
u64 u24(u64 v) { return v % 0x1000000; }
template <class T> u64 middle(u64 a, u64 b, u64 c) {
  T v[] = {T(a), T(b), T(c)};
  std::sort(v, v + 3);
  return u64(std::make_unsigned_t<T>(v[1]));
}
template <class T> u64 least(u64 a, u64 b) { return u64(std::make_unsigned_t<T>(std::min(T(a), T(b)))); }
template <class T> u64 most(u64 a, u64 b) { return u64(std::make_unsigned_t<T>(std::max(T(a), T(b)))); }
u64 field(u64 v, u64 offset, u64 width, bool is_signed) {
  const int o = int(offset % 32), w = int(width % 32);
  if (w == 0)
    return 0;
  const auto at = [&](int i) { return i < 32 ? bit(v, i) : is_signed && bit(v, 31); };
  return each_bit(32, [&](int i) { return i < w ? at(o + i) : is_signed && at(o + w - 1); });
}

#define MINMAX(suffix, T)                                                                                              \
  {"v_min_" suffix, [](const In& x) { return Out{least<T>(x.a, x.b)}; }},                                              \
      {"v_max_" suffix, [](const In& x) { return Out{most<T>(x.a, x.b)}; }},                                           \
      {"v_min3_" suffix, [](const In& x) { return Out{least<T>(least<T>(x.a, x.b), x.c)}; }},                          \
      {"v_max3_" suffix, [](const In& x) { return Out{most<T>(most<T>(x.a, x.b), x.c)}; }}, {                          \
    "v_med3_" suffix, [](const In& x) { return Out{middle<T>(x.a, x.b, x.c)}; }                                        \
  }

const Expectation words[] = {
    {"v_mov_b32", [](const In& x) { return Out{x.a}; }},
    {"v_accvgpr_read_b32", [](const In& x) { return Out{x.a}; }},
    {"v_accvgpr_write_b32", [](const In& x) { return Out{x.a}; }},
    {"v_accvgpr_mov_b32", [](const In& x) { return Out{x.a}; }},
    {"v_pk_mov_b32",
     [](const In& x) { return Out{each_bit(64, [&](int i) { return i < 32 ? bit(x.a, i) : bit(x.b, i - 32); })}; }},
    {"v_cndmask_b32", [](const In& x) { return Out{x.mask ? x.b : x.a}; }},
    {"v_not_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return !bit(x.a, i); })}; }},
    {"v_and_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, i) && bit(x.b, i); })}; }},
    {"v_or_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, i) || bit(x.b, i); })}; }},
    {"v_xor_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, i) != bit(x.b, i); })}; }},
    {"v_xnor_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, i) == bit(x.b, i); })}; }},
    {"v_and_or_b32",
     [](const In& x) { return Out{each_bit(32, [&](int i) { return (bit(x.a, i) && bit(x.b, i)) || bit(x.c, i); })}; }},
    {"v_or3_b32",
     [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, i) || bit(x.b, i) || bit(x.c, i); })}; }},
    {"v_bfi_b32",
     [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, i) ? bit(x.b, i) : bit(x.c, i); })}; }},
    {"v_lshlrev_b32", [](const In& x) { return Out{u32(x.b << x.a % 32)}; }},
    {"v_lshrrev_b32", [](const In& x) { return Out{u32(x.b >> x.a % 32)}; }},
    {"v_ashrrev_i32", [](const In& x) { return Out{u32(i64(i32(x.b)) >> x.a % 32)}; }},
    {"v_lshl_or_b32", [](const In& x) { return Out{u32(x.a << x.b % 32 | x.c)}; }},
    {"v_lshl_add_u32", [](const In& x) { return Out{u32((x.a << x.b % 32) + x.c)}; }},
    {"v_add_lshl_u32", [](const In& x) { return Out{u32((x.a + x.b) << x.c % 32)}; }},
    {"v_add_u32", [](const In& x) { return Out{u32(x.a + x.b)}; }},
    {"v_sub_u32", [](const In& x) { return Out{u32(x.a - x.b)}; }},
    {"v_subrev_u32", [](const In& x) { return Out{u32(x.b - x.a)}; }},
    {"v_add_i32", [](const In& x) { return Out{u32(x.a + x.b)}; }},
    {"v_sub_i32", [](const In& x) { return Out{u32(x.a - x.b)}; }},
    {"v_add3_u32", [](const In& x) { return Out{u32(x.a + x.b + x.c)}; }},
    {"v_xad_u32", [](const In& x) { return Out{u32((x.a ^ x.b) + x.c)}; }},
    {"v_add_co_u32", [](const In& x) { return Out{u32(x.a + x.b), x.a + x.b >= 0x100000000}; }},
    {"v_sub_co_u32", [](const In& x) { return Out{u32(x.a - x.b), x.b > x.a}; }},
    {"v_subrev_co_u32", [](const In& x) { return Out{u32(x.b - x.a), x.a > x.b}; }},
    {"v_addc_co_u32", [](const In& x) { return Out{u32(x.a + x.b + x.mask), x.a + x.b + x.mask >= 0x100000000}; }},
    {"v_subb_co_u32", [](const In& x) { return Out{u32(x.a - x.b - x.mask), x.b + x.mask > x.a}; }},
    {"v_subbrev_co_u32", [](const In& x) { return Out{u32(x.b - x.a - x.mask), x.a + x.mask > x.b}; }},
    {"v_mul_lo_u32", [](const In& x) { return Out{u32(x.a * x.b)}; }},
    {"v_mul_hi_u32", [](const In& x) { return Out{x.a * x.b >> 32}; }},
    {"v_mul_hi_i32", [](const In& x) { return Out{u32(i64(i32(x.a)) * i32(x.b) >> 32)}; }},
    {"v_mul_u32_u24", [](const In& x) { return Out{u32(u24(x.a) * u24(x.b))}; }},
    {"v_mul_i32_i24", [](const In& x) { return Out{u32(s24(x.a) * s24(x.b))}; }},
    {"v_mul_hi_u32_u24", [](const In& x) { return Out{u24(x.a) * u24(x.b) >> 32}; }},
    {"v_mul_hi_i32_i24", [](const In& x) { return Out{u32(s24(x.a) * s24(x.b) >> 32)}; }},
    {"v_mad_u32_u24", [](const In& x) { return Out{u32(u24(x.a) * u24(x.b) + x.c)}; }},
    {"v_mad_i32_i24", [](const In& x) { return Out{u32(s24(x.a) * s24(x.b) + i64(x.c))}; }},
    MINMAX("u32", u32),
    MINMAX("i32", i32),
    {"v_bfe_u32", [](const In& x) { return Out{field(x.a, x.b, x.c, false)}; }},
    {"v_bfe_i32", [](const In& x) { return Out{field(x.a, x.b, x.c, true)}; }},
    {"v_bfm_b32",
     [](const In& x) {
       return Out{each_bit(32, [&](int i) { return i >= int(x.b % 32) && i < int(x.b % 32 + x.a % 32); })};
     }},
    {"v_bfrev_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, 31 - i); })}; }},
    {"v_bcnt_u32_b32",
     [](const In& x) {
       u64 n = x.b;
       for (int i = 0; i < 32; ++i)
         n += bit(x.a, i);
       return Out{u32(n)};
     }},
    {"v_ffbh_u32", [](const In& x) { return first([&](int i) { return bit(x.a, 31 - i); }); }},
    {"v_ffbl_b32", [](const In& x) { return first([&](int i) { return bit(x.a, i); }); }},
    {"v_ffbh_i32", [](const In& x) { return first([&](int i) { return bit(x.a, 31 - i) != bit(x.a, 31); }); }},
};

const Expectation halves[] = {
    {"v_add_u16", [](const In& x) { return Out{u16(x.a + x.b)}; }},
    {"v_sub_u16", [](const In& x) { return Out{u16(x.a - x.b)}; }},
    {"v_subrev_u16", [](const In& x) { return Out{u16(x.b - x.a)}; }},
    {"v_add_i16", [](const In& x) { return Out{u16(x.a + x.b)}; }},
    {"v_sub_i16", [](const In& x) { return Out{u16(x.a - x.b)}; }},
    {"v_mul_lo_u16", [](const In& x) { return Out{u16(x.a * x.b)}; }},
    {"v_lshlrev_b16", [](const In& x) { return Out{u16(x.b << x.a % 16)}; }},
    {"v_lshrrev_b16", [](const In& x) { return Out{u16(x.b >> x.a % 16)}; }},
    {"v_ashrrev_i16", [](const In& x) { return Out{u16(i64(i16(x.b)) >> x.a % 16)}; }},
    MINMAX("u16", u16),
    MINMAX("i16", i16),
    {"v_mad_u16", [](const In& x) { return Out{u16(x.a * x.b + x.c)}; }},
    {"v_mad_i16", [](const In& x) { return Out{u16(x.a * x.b + x.c)}; }},
    {"v_mad_legacy_u16", [](const In& x) { return Out{u16(x.a * x.b + x.c)}; }},
    {"v_mad_legacy_i16", [](const In& x) { return Out{u16(x.a * x.b + x.c)}; }},
    {"v_mad_u32_u16", [](const In& x) { return Out{u32(x.a * x.b + x.c)}; }},
    {"v_mad_i32_i16", [](const In& x) { return Out{u32(i64(i16(x.a)) * i16(x.b) + i64(x.c))}; }},
};

const Expectation longs[] = {
    {"v_lshlrev_b64", [](const In& x) { return Out{u64(u128(x.b) << x.a % 64)}; }},
    {"v_lshrrev_b64", [](const In& x) { return Out{x.b >> x.a % 64}; }},
    {"v_ashrrev_i64", [](const In& x) { return Out{u64(i128(i64(x.b)) >> x.a % 64)}; }},
    {"v_mad_u64_u32",
     [](const In& x) {
       const u128 e = u128(x.a) * x.b + x.c;
       return Out{u64(e), bool(e >> 64 & 1)};
     }},
    {"v_mad_i64_i32",
     [](const In& x) {
       const i128 e = i128(i32(x.a)) * i32(x.b) + i64(x.c);
       return Out{u64(e), bool(e >> 64 & 1)};
     }},
};

const Tested tested[] = {Tested(words), Tested(halves), Tested(longs)};
TEST(Integer, Words) { expect_rows(words, {{}}, 3000); }
TEST(Integer, Halves) { expect_rows(halves, {{}}, 3000); }
TEST(Integer, Longs) { expect_rows(longs, {{}}, 10000); }

} // namespace
} // namespace crosslane::test
