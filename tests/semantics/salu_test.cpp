// Scalar ALU rows against the manual's loops, written out bit by bit in plain C++.
#include "tests/semantics/check.h"
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

using i32 = int32_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i64 = int64_t;
using i128 = __int128;

Out nonzero(u64 d) { return {d, d != 0}; }
Out nonzero32(u64 d) { return {u32(d), u32(d) != 0}; }
bool bit(u64 v, int i) { return v >> i & 1; }
template <class F> u64 each_bit(int width, F f) {
  u64 d = 0;
  for (int i = 0; i < width; ++i)
    if (f(i))
      d |= 1ull << i;
  return d;
}
// First i below `width` for which f holds, or -1.
template <class F> Out first(int width, F f) {
  for (int i = 0; i < width; ++i)
    if (f(i))
      return {u64(i)};
  return {u32(-1)};
}
int count(u64 v, int width, bool what) {
  int n = 0;
  for (int i = 0; i < width; ++i)
    n += bit(v, i) == what;
  return n;
}
Out overflow32(i64 exact) { return {u32(exact), exact != i32(exact)}; }
u64 quads(u64 v, int i) { return v >> (i & ~3) & 15; }

// Bits offset .. offset + length - 1 of the infinitely extended value, cut where the register ends.
u64 field(u64 v, int bits, u32 control, bool is_signed) {
  const int offset = int(control) & (bits - 1), length = int(control >> 16) & 0x7f;
  const bool sign = is_signed && bit(v, bits - 1);
  const auto at = [&](int i) { return i < bits ? bit(v, i) : sign; };
  if (length == 0)
    return 0;
  const int kept = length < bits ? length : bits;
  return each_bit(bits, [&](int i) {
    if (i < kept)
      return at(offset + i);
    return is_signed && at(offset + kept - 1);
  });
}

#define LOGIC(name, f)                                                                                                 \
  {"s_" name "_b32",                                                                                                   \
   [](const In& x) {                                                                                                   \
     return nonzero(each_bit(32, [&](int i) {                                                                          \
       const bool a = bit(x.a, i), b = bit(x.b, i);                                                                    \
       (void)b;                                                                                                        \
       return f;                                                                                                       \
     }));                                                                                                              \
   }},                                                                                                                 \
  {                                                                                                                    \
    "s_" name "_b64", [](const In& x) {                                                                                \
      return nonzero(each_bit(64, [&](int i) {                                                                         \
        const bool a = bit(x.a, i), b = bit(x.b, i);                                                                   \
        (void)b;                                                                                                       \
        return f;                                                                                                      \
      }));                                                                                                             \
    }                                                                                                                  \
  }
#define COMPARE(name, o)                                                                                               \
  {"s_cmp_" name "_i32", [](const In& x) { return Out{0, i32(x.a) o i32(x.b)}; }},                                     \
      {"s_cmp_" name "_u32", [](const In& x) { return Out{0, u32(x.a) o u32(x.b)}; }},                                 \
      {"s_cmpk_" name "_i32", [](const In& x) { return Out{0, i32(x.a) o i32(x.b)}; }}, {                              \
    "s_cmpk_" name "_u32", [](const In& x) { return Out{0, u32(x.a) o u32(x.b)}; }                                     \
  }
#define LSHL_ADD(k)                                                                                                    \
  {"s_lshl" #k "_add_u32", [](const In& x) {                                                                           \
     const i128 exact = i128(x.a) * (1 << k) + x.b;                                                                    \
     return Out{u32(exact), exact > 0xffffffffll};                                                                     \
   }}

const Expectation arithmetic[] = {
    {"s_add_u32", [](const In& x) { return Out{u32(x.a + x.b), x.a + x.b > 0xffffffff}; }},
    {"s_sub_u32", [](const In& x) { return Out{u32(x.a - x.b), x.b > x.a}; }},
    {"s_add_i32", [](const In& x) { return overflow32(i64(i32(x.a)) + i32(x.b)); }},
    {"s_sub_i32", [](const In& x) { return overflow32(i64(i32(x.a)) - i32(x.b)); }},
    {"s_addc_u32", [](const In& x) { return Out{u32(x.a + x.b + x.mask), x.a + x.b + x.mask > 0xffffffff}; }},
    {"s_subb_u32", [](const In& x) { return Out{u32(x.a - x.b - x.mask), x.b + x.mask > x.a}; }},
    {"s_addk_i32", [](const In& x) { return overflow32(i64(i32(x.a)) + i32(x.old)); }},
    {"s_mulk_i32", [](const In& x) { return Out{u32(i64(i32(x.a)) * i32(x.old))}; }},
    {"s_mul_i32", [](const In& x) { return Out{u32(i64(i32(x.a)) * i32(x.b))}; }},
    {"s_mul_hi_u32", [](const In& x) { return Out{x.a * x.b >> 32}; }},
    {"s_mul_hi_i32", [](const In& x) { return Out{u32(i64(i32(x.a)) * i32(x.b) >> 32)}; }},
    {"s_min_i32", [](const In& x) { return i32(x.a) < i32(x.b) ? Out{x.a, true} : Out{x.b, false}; }},
    {"s_min_u32", [](const In& x) { return u32(x.a) < u32(x.b) ? Out{x.a, true} : Out{x.b, false}; }},
    {"s_max_i32", [](const In& x) { return i32(x.a) > i32(x.b) ? Out{x.a, true} : Out{x.b, false}; }},
    {"s_max_u32", [](const In& x) { return u32(x.a) > u32(x.b) ? Out{x.a, true} : Out{x.b, false}; }},
    {"s_absdiff_i32",
     [](const In& x) {
       const i64 wrapped = i32(u32(x.a) - u32(x.b));
       return nonzero32(u64(wrapped < 0 ? -wrapped : wrapped));
     }},
    {"s_abs_i32", [](const In& x) { return nonzero32(u64(std::abs(i64(i32(x.a))))); }},
    LSHL_ADD(1),
    LSHL_ADD(2),
    LSHL_ADD(3),
    LSHL_ADD(4),
};

const Expectation bits[] = {
    {"s_mov_b32", [](const In& x) { return Out{x.a}; }},
    {"s_mov_b64", [](const In& x) { return Out{x.a}; }},
    {"s_movk_i32", [](const In& x) { return Out{x.a}; }},
    {"s_cmov_b32", [](const In& x) { return Out{x.mask ? x.a : x.old}; }},
    {"s_cmov_b64", [](const In& x) { return Out{x.mask ? x.a : x.old}; }},
    {"s_cmovk_i32", [](const In& x) { return Out{x.mask ? x.a : x.old}; }},
    {"s_cselect_b32", [](const In& x) { return Out{x.mask ? x.a : x.b}; }},
    {"s_cselect_b64", [](const In& x) { return Out{x.mask ? x.a : x.b}; }},
    LOGIC("and", a&& b),
    LOGIC("or", a || b),
    LOGIC("xor", a != b),
    LOGIC("andn2", a && !b),
    LOGIC("orn2", a || !b),
    LOGIC("nand", !(a && b)),
    LOGIC("nor", !(a || b)),
    LOGIC("xnor", a == b),
    LOGIC("not", !a),
    {"s_lshl_b32", [](const In& x) { return nonzero32(x.a << x.b % 32); }},
    {"s_lshl_b64", [](const In& x) { return nonzero(u64(i128(x.a) << x.b % 64)); }},
    {"s_lshr_b32", [](const In& x) { return nonzero32(x.a >> x.b % 32); }},
    {"s_lshr_b64", [](const In& x) { return nonzero(x.a >> x.b % 64); }},
    {"s_ashr_i32", [](const In& x) { return nonzero32(u64(i64(i32(x.a)) >> x.b % 32)); }},
    {"s_ashr_i64", [](const In& x) { return nonzero(u64(i128(i64(x.a)) >> x.b % 64)); }},
    {"s_bfm_b32",
     [](const In& x) {
       return Out{each_bit(32, [&](int i) { return i >= int(x.b % 32) && i < int(x.b % 32 + x.a % 32); })};
     }},
    {"s_bfm_b64",
     [](const In& x) {
       return Out{each_bit(64, [&](int i) { return i >= int(x.b % 64) && i < int(x.b % 64 + x.a % 64); })};
     }},
    {"s_bfe_u32", [](const In& x) { return nonzero(field(x.a, 32, u32(x.b), false)); }},
    {"s_bfe_i32", [](const In& x) { return nonzero(field(x.a, 32, u32(x.b), true)); }},
    {"s_bfe_u64", [](const In& x) { return nonzero(field(x.a, 64, u32(x.b), false)); }},
    {"s_bfe_i64", [](const In& x) { return nonzero(field(x.a, 64, u32(x.b), true)); }},
    {"s_bitset0_b32",
     [](const In& x) { return Out{each_bit(32, [&](int i) { return i != int(x.a % 32) && bit(x.old, i); })}; }},
    {"s_bitset1_b32",
     [](const In& x) { return Out{each_bit(32, [&](int i) { return i == int(x.a % 32) || bit(x.old, i); })}; }},
    {"s_bitset0_b64",
     [](const In& x) { return Out{each_bit(64, [&](int i) { return i != int(x.a % 64) && bit(x.old, i); })}; }},
    {"s_bitset1_b64",
     [](const In& x) { return Out{each_bit(64, [&](int i) { return i == int(x.a % 64) || bit(x.old, i); })}; }},
    {"s_brev_b32", [](const In& x) { return Out{each_bit(32, [&](int i) { return bit(x.a, 31 - i); })}; }},
    {"s_brev_b64", [](const In& x) { return Out{each_bit(64, [&](int i) { return bit(x.a, 63 - i); })}; }},
    {"s_bcnt0_i32_b32", [](const In& x) { return nonzero(u64(count(x.a, 32, false))); }},
    {"s_bcnt0_i32_b64", [](const In& x) { return nonzero(u64(count(x.a, 64, false))); }},
    {"s_bcnt1_i32_b32", [](const In& x) { return nonzero(u64(count(x.a, 32, true))); }},
    {"s_bcnt1_i32_b64", [](const In& x) { return nonzero(u64(count(x.a, 64, true))); }},
    {"s_ff0_i32_b32", [](const In& x) { return first(32, [&](int i) { return !bit(x.a, i); }); }},
    {"s_ff0_i32_b64", [](const In& x) { return first(64, [&](int i) { return !bit(x.a, i); }); }},
    {"s_ff1_i32_b32", [](const In& x) { return first(32, [&](int i) { return bit(x.a, i); }); }},
    {"s_ff1_i32_b64", [](const In& x) { return first(64, [&](int i) { return bit(x.a, i); }); }},
    {"s_flbit_i32_b32", [](const In& x) { return first(32, [&](int i) { return bit(x.a, 31 - i); }); }},
    {"s_flbit_i32_b64", [](const In& x) { return first(64, [&](int i) { return bit(x.a, 63 - i); }); }},
    {"s_flbit_i32", [](const In& x) { return first(32, [&](int i) { return bit(x.a, 31 - i) != bit(x.a, 31); }); }},
    {"s_flbit_i32_i64", [](const In& x) { return first(64, [&](int i) { return bit(x.a, 63 - i) != bit(x.a, 63); }); }},
    {"s_sext_i32_i8", [](const In& x) { return Out{x.a & 0x80 ? (x.a & 0xff) | 0xffffff00 : x.a & 0xff}; }},
    {"s_sext_i32_i16", [](const In& x) { return Out{x.a & 0x8000 ? (x.a & 0xffff) | 0xffff0000 : x.a & 0xffff}; }},
    {"s_wqm_b32", [](const In& x) { return nonzero(each_bit(32, [&](int i) { return quads(x.a, i) != 0; })); }},
    {"s_wqm_b64", [](const In& x) { return nonzero(each_bit(64, [&](int i) { return quads(x.a, i) != 0; })); }},
    {"s_quadmask_b32", [](const In& x) { return nonzero(each_bit(8, [&](int i) { return quads(x.a, 4 * i) != 0; })); }},
    {"s_quadmask_b64",
     [](const In& x) { return nonzero(each_bit(16, [&](int i) { return quads(x.a, 4 * i) != 0; })); }},
    {"s_bitreplicate_b64_b32", [](const In& x) { return Out{each_bit(64, [&](int i) { return bit(x.a, i / 2); })}; }},
    {"s_pack_ll_b32_b16", [](const In& x) { return Out{(x.b % 65536) * 65536 + x.a % 65536}; }},
    {"s_pack_lh_b32_b16", [](const In& x) { return Out{(x.b / 65536) * 65536 + x.a % 65536}; }},
    {"s_pack_hh_b32_b16", [](const In& x) { return Out{(x.b / 65536) * 65536 + x.a / 65536}; }},
    {"s_bitcmp0_b32", [](const In& x) { return Out{0, !bit(x.a, int(x.b % 32))}; }},
    {"s_bitcmp1_b32", [](const In& x) { return Out{0, bit(x.a, int(x.b % 32))}; }},
    {"s_bitcmp0_b64", [](const In& x) { return Out{0, !bit(x.a, int(x.b % 64))}; }},
    {"s_bitcmp1_b64", [](const In& x) { return Out{0, bit(x.a, int(x.b % 64))}; }},
    COMPARE("eq", ==),
    COMPARE("lg", !=),
    COMPARE("gt", >),
    COMPARE("ge", >=),
    COMPARE("lt", <),
    COMPARE("le", <=),
    {"s_cmp_eq_u64", [](const In& x) { return Out{0, x.a == x.b}; }},
    {"s_cmp_lg_u64", [](const In& x) { return Out{0, x.a != x.b}; }},
};

const Tested tested[] = {Tested(arithmetic), Tested(bits)};
TEST(Salu, Arithmetic) { expect_rows(arithmetic); }
TEST(Salu, Bits) { expect_rows(bits); }

// The manual's own examples.
TEST(Salu, Examples) {
  const auto value = [](const char* name, uint64_t a, uint64_t b = 0) {
    return run_lane(row(name), {a, b, 0, 0, false, {}}).value;
  };
  EXPECT_EQ(value("s_absdiff_i32", 2, 5), 3u);
  EXPECT_EQ(value("s_absdiff_i32", 0x80000000, 0), 0x80000000u);
  EXPECT_EQ(value("s_absdiff_i32", 0x80000000, 0xfffffffe), 0x7ffffffeu);
  EXPECT_EQ(value("s_ff0_i32_b32", 0xfffeffff), 16u);
  EXPECT_EQ(value("s_flbit_i32", 0xffff3333), 16u);
  EXPECT_EQ(value("s_flbit_i32", 0x80000000), 1u);
  EXPECT_EQ(value("s_abs_i32", 0x80000001), 0x7fffffffu);
}

} // namespace
} // namespace crosslane::test
