// Byte permutes, sums of absolute differences, cube maps, packed integers and dot products, byte by byte.
#include "semantics/misc.h"
#include "tests/semantics/check.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace crosslane::test {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

int byte(u64 v, int i) { return int(v >> (8 * i) & 0xff); }
u64 permute(const In& x) {
  int in[8];
  for (int i = 0; i < 4; ++i)
    in[i] = byte(x.b, i), in[4 + i] = byte(x.a, i);
  u64 d = 0;
  for (int i = 0; i < 4; ++i) {
    const int s = byte(x.c, i);
    const int v = s >= 13   ? 0xff
                  : s == 12 ? 0
                  : s == 11 ? (in[7] & 0x80 ? 0xff : 0)
                  : s == 10 ? (in[5] & 0x80 ? 0xff : 0)
                  : s == 9  ? (in[3] & 0x80 ? 0xff : 0)
                  : s == 8  ? (in[1] & 0x80 ? 0xff : 0)
                            : in[s];
    d |= u64(v) << (8 * i);
  }
  return d;
}
u64 sad(u64 a, u64 b, u64 c, bool masked) {
  for (int i = 0; i < 4; ++i)
    if (!masked || byte(b, i) != 0)
      c += u64(std::abs(byte(a, i) - byte(b, i)));
  return u32(c);
}
u64 quad(const In& x, bool masked) {
  u64 d = 0;
  for (int k = 0; k < 4; ++k)
    d |= u64(u16(sad(u32(x.a >> (8 * k)), x.b, x.c >> (16 * k) & 0xffff, masked))) << (16 * k);
  return d;
}
u64 lerp(const In& x) {
  u64 d = 0;
  for (int i = 0; i < 4; ++i)
    d |= u64((byte(x.a, i) + byte(x.b, i) + (byte(x.c, i) & 1)) / 2) << (8 * i);
  return d;
}
u64 distance(u64 a, u64 b) { return a > b ? a - b : b - a; }

// Of the Vega ISA manual, as CLRX has it.
constexpr uint8_t screen_partition[256] = {
    1,  3,  7,  15, 5,  15, 15, 15, 7,  15, 15, 15, 15, 15, 15, 15, 15, 2,  6,  14, 15, 10, 15, 15, 15, 11, 15, 15, 15,
    15, 15, 15, 13, 15, 4,  12, 15, 15, 5,  15, 15, 15, 13, 15, 15, 15, 15, 15, 9,  11, 15, 8,  15, 15, 15, 10, 15, 15,
    15, 14, 15, 15, 15, 15, 15, 15, 15, 15, 4,  12, 13, 15, 6,  15, 15, 15, 14, 15, 15, 15, 15, 15, 15, 15, 15, 8,  9,
    11, 15, 9,  9,  15, 15, 13, 15, 15, 15, 15, 15, 15, 7,  15, 1,  3,  15, 15, 9,  15, 15, 15, 11, 15, 15, 15, 15, 15,
    6,  14, 15, 2,  6,  15, 15, 6,  15, 15, 15, 7,  11, 15, 15, 15, 15, 15, 15, 15, 2,  3,  11, 15, 10, 15, 15, 15, 15,
    7,  15, 15, 15, 15, 15, 15, 15, 1,  9,  13, 15, 5,  15, 15, 15, 15, 14, 15, 15, 15, 15, 15, 14, 15, 8,  12, 15, 15,
    10, 15, 15, 15, 15, 13, 15, 15, 15, 15, 6,  7,  15, 4,  15, 15, 15, 5,  9,  15, 15, 15, 13, 15, 15, 15, 15, 15, 15,
    15, 8,  12, 14, 15, 15, 6,  6,  15, 15, 14, 15, 15, 15, 15, 15, 15, 15, 4,  6,  7,  15, 15, 6,  15, 15, 15, 7,  15,
    15, 15, 15, 15, 11, 15, 2,  3,  9,  15, 15, 9,  15, 15, 15, 11, 15, 15, 15, 15, 9,  13, 15, 1,
};

float f(u64 bits) { return std::bit_cast<float>(u32(bits)); }
u64 b(float v) { return std::bit_cast<u32>(v); }
u64 minus(u64 bits) { return bits ^ 0x80000000; }
// Which axis has the largest magnitude: 2 = z, 1 = y, 0 = x; NaN loses its comparisons.
int axis(const In& x) {
  const float ax = std::fabs(f(x.a)), ay = std::fabs(f(x.b)), az = std::fabs(f(x.c));
  return az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
}

const Expectation bytes[] = {
    {"v_perm_b32", [](const In& x) { return Out{permute(x)}; }},
    {"v_alignbit_b32", [](const In& x) { return Out{u32((x.a << 32 | x.b) >> x.c % 32)}; }},
    {"v_alignbyte_b32", [](const In& x) { return Out{u32((x.a << 32 | x.b) >> 8 * (x.c % 4))}; }},
    {"v_lerp_u8", [](const In& x) { return Out{lerp(x)}; }},
    {"v_sad_u8", [](const In& x) { return Out{sad(x.a, x.b, x.c, false)}; }},
    {"v_msad_u8", [](const In& x) { return Out{sad(x.a, x.b, x.c, true)}; }},
    {"v_sad_hi_u8", [](const In& x) { return Out{u32((sad(x.a, x.b, 0, false) << 16) + x.c)}; }},
    {"v_sad_u16",
     [](const In& x) { return Out{u32(distance(x.a & 0xffff, x.b & 0xffff) + distance(x.a >> 16, x.b >> 16) + x.c)}; }},
    {"v_sad_u32", [](const In& x) { return Out{u32(distance(x.a, x.b) + x.c)}; }},
    {"v_screen_partition_4se_b32", [](const In& x) { return Out{screen_partition[x.a & 0xff]}; }},
    {"v_qsad_pk_u16_u8", [](const In& x) { return Out{quad(x, false)}; }},
    {"v_mqsad_pk_u16_u8", [](const In& x) { return Out{quad(x, true)}; }},
    {"v_sat_pk_u8_i16",
     [](const In& x) {
       const auto sat = [](i16 v) { return u64(v < 0 ? 0 : v > 255 ? 255 : v); };
       return Out{sat(i16(x.a)) | sat(i16(x.a >> 16)) << 8};
     }},
    {"v_cubeid_f32",
     [](const In& x) {
       const u64 v[] = {x.a, x.b, x.c};
       return Out{b(float(2 * axis(x) + (f(v[axis(x)]) < 0)))};
     }},
    {"v_cubesc_f32",
     [](const In& x) {
       if (axis(x) == 2)
         return Out{f(x.c) < 0 ? minus(x.a) : x.a};
       if (axis(x) == 1)
         return Out{x.a};
       return Out{f(x.a) < 0 ? x.c : minus(x.c)};
     }},
    {"v_cubetc_f32", [](const In& x) { return axis(x) == 1 ? Out{f(x.b) < 0 ? minus(x.c) : x.c} : Out{minus(x.b)}; }},
    {"v_cubema_f32",
     [](const In& x) {
       const u64 v[] = {x.a, x.b, x.c};
       return Out{b(2 * f(v[axis(x)]))};
     }},
};

template <class F> u64 packed(const In& x, F g) {
  return u64(u16(g(u16(x.a), u16(x.b), u16(x.c)))) | u64(u16(g(u16(x.a >> 16), u16(x.b >> 16), u16(x.c >> 16)))) << 16;
}
#define PACKED(name, expression)                                                                                       \
  {name, [](const In& x) {                                                                                             \
     return Out{packed(x, [](u64 a, u64 b, u64 c) -> u64 {                                                             \
       (void)c;                                                                                                        \
       return expression;                                                                                              \
     })};                                                                                                              \
   }}
template <int Bits, bool Signed> u64 dot(u64 a, u64 b, u64 c) {
  i64 sum = i64(c);
  for (int i = 0; i < 32; i += Bits) {
    i64 p = i64(a >> i & ((1u << Bits) - 1)), q = i64(b >> i & ((1u << Bits) - 1));
    if (Signed && p >> (Bits - 1))
      p -= 1ll << Bits;
    if (Signed && q >> (Bits - 1))
      q -= 1ll << Bits;
    sum += p * q;
  }
  return u32(sum);
}
#define DOT(name, c, bits, is_signed) {name, [](const In& x) { return Out{dot<bits, is_signed>(x.a, x.b, x.c)}; }}

const Expectation packed_integers[] = {
    PACKED("v_pk_mad_i16", a* b + c),
    PACKED("v_pk_mad_u16", a* b + c),
    PACKED("v_pk_mul_lo_u16", a* b),
    PACKED("v_pk_add_i16", a + b),
    PACKED("v_pk_sub_i16", a - b),
    PACKED("v_pk_add_u16", a + b),
    PACKED("v_pk_sub_u16", a - b),
    PACKED("v_pk_lshlrev_b16", b << a % 16),
    PACKED("v_pk_lshrrev_b16", b >> a % 16),
    PACKED("v_pk_ashrrev_i16", u64(i64(i16(b)) >> a % 16)),
    PACKED("v_pk_max_i16", i16(a) > i16(b) ? a : b),
    PACKED("v_pk_min_i16", i16(a) < i16(b) ? a : b),
    PACKED("v_pk_max_u16", a > b ? a : b),
    PACKED("v_pk_min_u16", a < b ? a : b),
    DOT("v_dot2_i32_i16", c, 16, true),
    DOT("v_dot2_u32_u16", c, 16, false),
    DOT("v_dot4_i32_i8", c, 8, true),
    DOT("v_dot4_u32_u8", c, 8, false),
    DOT("v_dot8_i32_i4", c, 4, true),
    DOT("v_dot8_u32_u4", c, 4, false),
    {"v_dot2c_i32_i16", [](const In& x) { return Out{dot<16, true>(x.a, x.b, x.old)}; }},
    {"v_dot4c_i32_i8", [](const In& x) { return Out{dot<8, true>(x.a, x.b, x.old)}; }},
    {"v_dot8c_i32_i4", [](const In& x) { return Out{dot<4, true>(x.a, x.b, x.old)}; }},
};

const Tested tested[] = {Tested(bytes), Tested(packed_integers)};
TEST(Misc, Bytes) { expect_rows(bytes, {{}}, 5000); }
TEST(Misc, PackedIntegers) { expect_rows(packed_integers, {{}}, 5000); }

// 128 bits wide: called directly.
TEST(Misc, MaskedQuadSadWide) {
  Inputs inputs(1);
  for (int i = 0; i < 5000; ++i) {
    const u64 bytes = inputs.next(isa::Type::B64), reference = inputs.next(isa::Type::B32);
    semantics::Dwords4<1> sum;
    for (auto& s : sum.dword)
      s = lanes::Vec<u32, 1>(u32(inputs.next(isa::Type::B32)));
    const auto d = semantics::v_mqsad_u32_u8(lanes::Vec<u64, 1>(bytes), lanes::Vec<u32, 1>(u32(reference)), sum);
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(d.dword[k].v, sad(u32(bytes >> (8 * k)), reference, sum.dword[k].v, true));
  }
}

} // namespace
} // namespace crosslane::test
