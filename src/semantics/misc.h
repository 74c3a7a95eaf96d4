// Owns byte permutes, funnel shifts, sums of absolute differences, pixel averages, cube-map helpers and the 2/pi table.
// Source: Vega 7nm ISA manual, VOP3; the masked and quad forms also CLRX, GcnInstrsVop3.
#pragma once
#include "lanes/bytes.h"
#include "lanes/funnel_shift.h"
#include "semantics/convert.h"
#include "semantics/valu_f64.h"
#include "semantics/valu_int.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {
template <int B, int N> CROSSLANE_INLINE U32<N> byte_of(U32<N> x) { return (x >> uint32_t(B * 8)) & 0xff; }
} // namespace detail
// D[b] = byte S2[b] of {S0, S1}: 8 to 11 spread the sign of an odd byte, 12 is 0, above is 0xff
CROSSLANE_FN U32<N> v_perm_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return lanes::select_bytes(s0, s1, s2); }
// D = {S0, S1} >> S2[4:0]
CROSSLANE_FN U32<N> v_alignbit_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return lanes::funnel_shift_right(s0, s1, s2); }
// D = {S0, S1} >> (8 * S2[1:0])
CROSSLANE_FN U32<N> v_alignbyte_b32(U32<N> s0, U32<N> s1, U32<N> s2) { return v_alignbit_b32(s0, s1, (s2 & 3) << 3); }

// Per byte: (S0 + S1 + S2[0]) >> 1
CROSSLANE_FN U32<N> v_lerp_u8(U32<N> s0, U32<N> s1, U32<N> s2) {
  const auto average = [](U32<N> a, U32<N> b, U32<N> c) { return (a + b + (c & 1)) >> 1; };
  return average(detail::byte_of<0>(s0), detail::byte_of<0>(s1), detail::byte_of<0>(s2)) |
         (average(detail::byte_of<1>(s0), detail::byte_of<1>(s1), detail::byte_of<1>(s2)) << 8) |
         (average(detail::byte_of<2>(s0), detail::byte_of<2>(s1), detail::byte_of<2>(s2)) << 16) |
         (average(detail::byte_of<3>(s0), detail::byte_of<3>(s1), detail::byte_of<3>(s2)) << 24);
}

// Sums of absolute differences.
namespace detail {
CROSSLANE_FN U32<N> distance(U32<N> a, U32<N> b) { return lanes::max_int(a, b) - lanes::min_int(a, b); }
template <int B, bool Masked, int N> CROSSLANE_INLINE U32<N> byte_distance(U32<N> a, U32<N> b) {
  const U32<N> reference = byte_of<B>(b);
  const U32<N> d = distance(byte_of<B>(a), reference);
  return Masked ? select(reference == 0, 0, d) : d;
}
template <bool Masked, int N> CROSSLANE_INLINE U32<N> sad(U32<N> a, U32<N> b, U32<N> sum) {
  return sum + byte_distance<0, Masked>(a, b) + byte_distance<1, Masked>(a, b) + byte_distance<2, Masked>(a, b) +
         byte_distance<3, Masked>(a, b);
}
// The four bytes of a 64-bit source that begin at byte B.
template <int B, int N> CROSSLANE_INLINE U32<N> window(U64<N> x) { return convert<uint32_t>(x >> uint64_t(B * 8)); }
template <bool Masked, int N> CROSSLANE_INLINE U64<N> quad_sad(U64<N> s0, U32<N> s1, U64<N> s2) {
  const auto word = [](U64<N> x, int k) { return convert<uint32_t>(x >> uint64_t(16 * k)) & 0xffff; };
  const auto put = [](U32<N> x, int k) { return convert<uint64_t>(x & 0xffff) << uint64_t(16 * k); };
  return put(sad<Masked>(window<0>(s0), s1, word(s2, 0)), 0) | put(sad<Masked>(window<1>(s0), s1, word(s2, 1)), 1) |
         put(sad<Masked>(window<2>(s0), s1, word(s2, 2)), 2) | put(sad<Masked>(window<3>(s0), s1, word(s2, 3)), 3);
}
} // namespace detail
CROSSLANE_FN U32<N> v_sad_u8(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::sad<false>(s0, s1, s2); }
CROSSLANE_FN U32<N> v_msad_u8(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::sad<true>(s0, s1, s2); }
// D = (sad_u8(S0, S1, 0) << 16) + S2
CROSSLANE_FN U32<N> v_sad_hi_u8(U32<N> s0, U32<N> s1, U32<N> s2) {
  return (detail::sad<false>(s0, s1, U32<N>(0)) << 16) + s2;
}
CROSSLANE_FN U32<N> v_sad_u16(U32<N> s0, U32<N> s1, U32<N> s2) {
  return detail::distance(s0 & 0xffff, s1 & 0xffff) + detail::distance(s0 >> 16, s1 >> 16) + s2;
}
CROSSLANE_FN U32<N> v_sad_u32(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::distance(s0, s1) + s2; }
// D[k] = sad of the bytes of S0 from byte k with S1, plus S2[k]; masked: bytes that are 0 in S1 do not count
CROSSLANE_FN U64<N> v_qsad_pk_u16_u8(U64<N> s0, U32<N> s1, U64<N> s2) { return detail::quad_sad<false>(s0, s1, s2); }
CROSSLANE_FN U64<N> v_mqsad_pk_u16_u8(U64<N> s0, U32<N> s1, U64<N> s2) { return detail::quad_sad<true>(s0, s1, s2); }
CROSSLANE_FN Dwords4<N> v_mqsad_u32_u8(U64<N> s0, U32<N> s1, Dwords4<N> s2) {
  return {{detail::sad<true>(detail::window<0>(s0), s1, s2.dword[0]),
           detail::sad<true>(detail::window<1>(s0), s1, s2.dword[1]),
           detail::sad<true>(detail::window<2>(s0), s1, s2.dword[2]),
           detail::sad<true>(detail::window<3>(s0), s1, s2.dword[3])}};
}
// An engine without 128-bit lanes gets the named fault.
template <class... A> constexpr Unimplemented v_mqsad_u32_u8(const A&...) { return {}; }

// S0 = {x0, y0, x1, y1}, two bits each: tiles x0 to x1, y0 to y1 (both modulo 4) of a screen; tile (x, y) belongs to
// shader engine {x[0] ^ y[1], y[0] ^ x[1]}. D = the engines that have a tile. The Vega ISA manual's table says the
// same.
CROSSLANE_FN U32<N> v_screen_partition_4se_b32(U32<N> s0) {
  const U32<N> x0 = (s0 >> 6) & 3, y0 = (s0 >> 4) & 3, width = ((s0 >> 2) - x0) & 3, height = (s0 - y0) & 3;
  U32<N> engines = 0;
  for (uint32_t i = 0; i < 4; ++i)
    for (uint32_t j = 0; j < 4; ++j) {
      const U32<N> x = (x0 + i) & 3, y = (y0 + j) & 3;
      const U32<N> engine = (((x ^ (y >> 1)) & 1) << 1) | ((y ^ (x >> 1)) & 1);
      engines = engines | select((width >= i) & (height >= j), U32<N>(1) << engine, U32<N>(0));
    }
  return engines;
}

// Cube maps: (S0, S1, S2) = (x, y, z); the largest magnitude wins, z before y before x.
namespace detail {
template <class T, int N> struct Major {
  Mask<N> z, y;
};
CROSSLANE_FN Major<float, N> major_axis(F32<N> x, F32<N> y, F32<N> z) {
  const F32<N> ax = lanes::magnitude(x), ay = lanes::magnitude(y), az = lanes::magnitude(z);
  return {(az >= ax) & (az >= ay), ay >= ax};
}
template <int N> CROSSLANE_INLINE F32<N> by_axis(Major<float, N> m, F32<N> x, F32<N> y, F32<N> z) {
  return select(m.z, z, select(m.y, y, x));
}
} // namespace detail
CROSSLANE_FN F32<N> v_cubeid_f32(F32<N> s0, F32<N> s1, F32<N> s2) {
  const F32<N> x = select(s0 < 0.0f, 1.0f, F32<N>(0.0f)), y = select(s1 < 0.0f, 3.0f, F32<N>(2.0f)),
               z = select(s2 < 0.0f, 5.0f, F32<N>(4.0f));
  return detail::by_axis(detail::major_axis(s0, s1, s2), x, y, z);
}
CROSSLANE_FN F32<N> v_cubesc_f32(F32<N> s0, F32<N> s1, F32<N> s2) {
  const F32<N> x = select(s0 < 0.0f, s2, detail::negated(s2)), z = select(s2 < 0.0f, detail::negated(s0), s0);
  return detail::by_axis(detail::major_axis(s0, s1, s2), x, s0, z);
}
CROSSLANE_FN F32<N> v_cubetc_f32(F32<N> s0, F32<N> s1, F32<N> s2) {
  const F32<N> y = select(s1 < 0.0f, detail::negated(s2), s2);
  return detail::by_axis(detail::major_axis(s0, s1, s2), detail::negated(s1), y, detail::negated(s1));
}
CROSSLANE_FN F32<N> v_cubema_f32(F32<N> s0, F32<N> s1, F32<N> s2) {
  return detail::by_axis(detail::major_axis(s0, s1, s2), s0, s1, s2) * 2.0f;
}

namespace detail {
// The first 1184 bits of 2/pi after the point, most significant first.
inline constexpr uint32_t two_over_pi[37] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};
template <class T, int N> CROSSLANE_INLINE T lane(Vec<T, N> v, int i) {
  if constexpr (N == 1)
    return v.v;
  else
    return v.v[i];
}
template <class T, int N> CROSSLANE_INLINE void set_lane(Vec<T, N>& v, int i, T x) {
  if constexpr (N == 1)
    v.v = x;
  else
    v.v[i] = x;
}
// 53 bits of 2/pi from bit `shift` on; past the table, 0. A table look-up, so lane by lane.
CROSSLANE_INLINE double segment_of_two_over_pi(uint32_t shift) {
  const uint32_t i = shift / 32, b = shift % 32;
  if (i + 2 >= sizeof(two_over_pi) / 4)
    return 0.0;
  const uint64_t top = uint64_t(two_over_pi[i]) << 32 | two_over_pi[i + 1];
  const uint64_t bits = b == 0 ? top : top << b | two_over_pi[i + 2] >> (32 - b);
  return double(int64_t(bits >> 11));
}
} // namespace detail
// D = segment S1[4:0] of 53 bits of 2/pi, aligned for the exponent of S0; large S0 scale the result by 2^128; NaN stays
// NaN
CROSSLANE_FN F64<N> v_trig_preop_f64(F64<N> s0, U32<N> s1) {
  using I = I32<N>;
  const I exponent = bitcast<int32_t>(convert<uint32_t>(detail::exponent_field(s0)));
  const I shift = bitcast<int32_t>((s1 & 31) * 53) + select(exponent > 1077, exponent - 1077, I(0));
  F64<N> segment = 0.0;
  for (int i = 0; i < N; ++i)
    detail::set_lane(segment, i, detail::segment_of_two_over_pi(uint32_t(detail::lane(shift, i))));
  const F64<N> d = v_ldexp_f64(segment, I(-53) - shift + select(exponent >= 1968, 128, I(0)));
  return select(detail::is_nan(s0), detail::quieted(s0), d);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
