// Owns the conversions of the vector ALU. To integers: truncation, saturation, NaN gives 0. To floats: one rounding in
// the mode of MXCSR. Source: Vega 7nm ISA manual, VOP1 and VOP3.
#pragma once
#include "semantics/valu_f16.h"
#include "semantics/valu_int.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// Truncates to To's range and gives it in I, an integer wide enough; NaN gives 0. Converts only what is in range.
template <class I, class To, class T, int N> CROSSLANE_INLINE Vec<I, N> saturate(Vec<T, N> x) {
  constexpr To least = std::is_signed_v<To> ? To(To(1) << (sizeof(To) * 8 - 1)) : To(0), most = To(~least);
  const Vec<T, N> floor = T(least), limit = T(2) * T(most / 2 + 1); // NOLINT(bugprone-integer-division): a power of 2
  const Mask<N> inside = (x > floor) & (x < limit);
  const Vec<I, N> whole = convert<I>(select(inside, x, Vec<T, N>(T(0))));
  const Vec<I, N> outside = select(x >= limit, I(most), select(x <= floor, I(least), Vec<I, N>(I(0))));
  return select(inside, whole, outside);
}
// Unsigned to float with one rounding. By hand where the level has no instruction: what the compiler makes of it gives
// -0 for 0 in round-down. The integer is put under an exponent, the bias subtracted, the sign of zero dropped.
template <class T, int N> CROSSLANE_INLINE Vec<T, N> from_unsigned(Vec<uint32_t, N> x) {
#ifdef __AVX512F__
  return convert<T>(x);
#else
  if constexpr (sizeof(T) == 8) {
    const F64<N> biased = bitcast<double>(convert<uint64_t>(x) | 0x4330000000000000ull);
    return lanes::magnitude(biased - 0x1p52);
  } else {
    const F32<N> high = bitcast<float>((x >> 16) | 0x53000000u), low = bitcast<float>((x & 0xffff) | 0x4b000000u);
    return lanes::magnitude((high - (0x1p39f + 0x1p23f)) + low);
  }
#endif
}
// Whole f32 -> i32, saturating.
CROSSLANE_FN Vec<int32_t, N> whole(F32<N> x) { return saturate<int32_t, int32_t>(x); }
} // namespace detail

CROSSLANE_FN I32<N> v_cvt_i32_f32(F32<N> s0) { return detail::saturate<int32_t, int32_t>(s0); }
CROSSLANE_FN U32<N> v_cvt_u32_f32(F32<N> s0) { return detail::saturate<uint32_t, uint32_t>(s0); }
CROSSLANE_FN I32<N> v_cvt_i32_f64(F64<N> s0) { return detail::saturate<int32_t, int32_t>(s0); }
CROSSLANE_FN U32<N> v_cvt_u32_f64(F64<N> s0) { return detail::saturate<uint32_t, uint32_t>(s0); }
CROSSLANE_FN F32<N> v_cvt_f32_i32(I32<N> s0) { return convert<float>(s0); }
CROSSLANE_FN F32<N> v_cvt_f32_u32(U32<N> s0) { return detail::from_unsigned<float>(s0); }
CROSSLANE_FN F64<N> v_cvt_f64_i32(I32<N> s0) { return convert<double>(s0); }
CROSSLANE_FN F64<N> v_cvt_f64_u32(U32<N> s0) { return detail::from_unsigned<double>(s0); }
// D = floor(S0) and floor(S0 + 0.5), the sum not rounded
CROSSLANE_FN I32<N> v_cvt_flr_i32_f32(F32<N> s0) { return detail::whole(lanes::floor(s0)); }
CROSSLANE_FN I32<N> v_cvt_rpi_i32_f32(F32<N> s0) {
  const F32<N> below = lanes::floor(s0);
  return detail::whole(select(s0 - below >= 0.5f, below + 1.0f, below));
}
// D = S0[3:0] as signed sixteenths
template <int N, class T> CROSSLANE_INLINE F32<N> v_cvt_off_f32_i4(Vec<T, N> s0) {
  return convert<float>(lanes::sign_extend<4>(bitcast<uint32_t>(s0))) * 0.0625f;
}
CROSSLANE_FN F32<N> v_cvt_f32_ubyte0(U32<N> s0) { return convert<float>(bitcast<int32_t>(s0 & 0xff)); }
CROSSLANE_FN F32<N> v_cvt_f32_ubyte1(U32<N> s0) { return convert<float>(bitcast<int32_t>((s0 >> 8) & 0xff)); }
CROSSLANE_FN F32<N> v_cvt_f32_ubyte2(U32<N> s0) { return convert<float>(bitcast<int32_t>((s0 >> 16) & 0xff)); }
// Not from what could be signed, as the others: where s0 is a scalar, LLVM takes this shift for an unsigned number.
CROSSLANE_FN F32<N> v_cvt_f32_ubyte3(U32<N> s0) { return detail::from_unsigned<float>(s0 >> 24); }

// Between floats. The mode of the other width is applied by hand: MXCSR holds one.
CROSSLANE_FN F32<N> v_cvt_f32_f64(F64<N> s0, const Mode& mode) {
  return detail::flushed_result(convert<float>(s0), mode);
}
CROSSLANE_FN F64<N> v_cvt_f64_f32(F32<N> s0, const Mode& mode) { return convert<double>(detail::flushed(s0, mode)); }
CROSSLANE_FN F32<N> v_cvt_f32_f16(F16<N> s0) { return convert<float>(s0); }
CROSSLANE_FN F16<N> v_cvt_f16_f32(F32<N> s0, const Mode& mode) {
  return detail::flushed_result(convert<_Float16>(s0), mode);
}
// Between f16 and 16-bit integers, through f32: exact up to the last rounding.
CROSSLANE_FN F16<N> v_cvt_f16_u16(Vec<uint16_t, N> s0) {
  return convert<_Float16>(convert<float>(convert<int32_t>(s0)));
}
CROSSLANE_FN F16<N> v_cvt_f16_i16(Vec<int16_t, N> s0) {
  return convert<_Float16>(convert<float>(convert<int32_t>(s0)));
}
CROSSLANE_FN Vec<uint16_t, N> v_cvt_u16_f16(F16<N> s0) {
  return convert<uint16_t>(detail::saturate<int32_t, uint16_t>(convert<float>(s0)));
}
CROSSLANE_FN Vec<int16_t, N> v_cvt_i16_f16(F16<N> s0) {
  return convert<int16_t>(detail::saturate<int32_t, int16_t>(convert<float>(s0)));
}

namespace detail {
// clamp(x, -1, 1) * 32767 and clamp(x, 0, 1) * 65535, rounded to nearest even from the exact f64 product
template <class T, int N> CROSSLANE_INLINE Vec<int32_t, N> signed_norm(Vec<T, N> s) {
  const F64<N> x = convert<double>(s);
  const F64<N> clamped = select(x > 1.0, 1.0, select(x < -1.0, -1.0, x));
  return saturate<int32_t, int32_t>(lanes::round_even(clamped * 32767.0));
}
template <class T, int N> CROSSLANE_INLINE Vec<int32_t, N> unsigned_norm(Vec<T, N> s) {
  const F64<N> x = convert<double>(s);
  const F64<N> clamped = select(x > 1.0, 1.0, select(x < 0.0, 0.0, x));
  return saturate<int32_t, int32_t>(lanes::round_even(clamped * 65535.0));
}
CROSSLANE_FN U32<N> pack(I32<N> low, I32<N> high) {
  return (bitcast<uint32_t>(low) & 0xffff) | (bitcast<uint32_t>(high) << 16);
}
CROSSLANE_FN F32<N> half_as_float(F16<N> x) { return convert<float>(x); }
} // namespace detail
CROSSLANE_FN Vec<int16_t, N> v_cvt_norm_i16_f16(F16<N> s0) {
  return convert<int16_t>(detail::signed_norm(detail::half_as_float(s0)));
}
CROSSLANE_FN Vec<uint16_t, N> v_cvt_norm_u16_f16(F16<N> s0) {
  return convert<uint16_t>(detail::unsigned_norm(detail::half_as_float(s0)));
}
CROSSLANE_FN U32<N> v_cvt_pknorm_i16_f32(F32<N> s0, F32<N> s1) {
  return detail::pack(detail::signed_norm(s0), detail::signed_norm(s1));
}
CROSSLANE_FN U32<N> v_cvt_pknorm_u16_f32(F32<N> s0, F32<N> s1) {
  return detail::pack(detail::unsigned_norm(s0), detail::unsigned_norm(s1));
}
CROSSLANE_FN U32<N> v_cvt_pknorm_i16_f16(F16<N> s0, F16<N> s1) {
  return v_cvt_pknorm_i16_f32(detail::half_as_float(s0), detail::half_as_float(s1));
}
CROSSLANE_FN U32<N> v_cvt_pknorm_u16_f16(F16<N> s0, F16<N> s1) {
  return v_cvt_pknorm_u16_f32(detail::half_as_float(s0), detail::half_as_float(s1));
}
// D = {sat16(S1), sat16(S0)}
CROSSLANE_FN U32<N> v_cvt_pk_u16_u32(U32<N> s0, U32<N> s1) {
  return lanes::min_int(s0, 0xffff) | (lanes::min_int(s1, 0xffff) << 16);
}
CROSSLANE_FN U32<N> v_cvt_pk_i16_i32(I32<N> s0, I32<N> s1) {
  return detail::pack(lanes::max_int(lanes::min_int(s0, 32767), -32768),
                      lanes::max_int(lanes::min_int(s1, 32767), -32768));
}
// D = {0, sat8(S0[31:16]), sat8(S0[15:0])}, from signed halves
CROSSLANE_FN U32<N> v_sat_pk_u8_i16(U32<N> s0) {
  const I32<N> low = lanes::sign_extend<16>(s0), high = bitcast<int32_t>(s0) >> 16;
  return bitcast<uint32_t>(lanes::max_int(lanes::min_int(low, 255), 0)) |
         (bitcast<uint32_t>(lanes::max_int(lanes::min_int(high, 255), 0)) << 8);
}

namespace detail {
// f32 -> f16 bits rounding toward zero, on the bits: finite values stop at 65504, NaN stays NaN.
CROSSLANE_FN U32<N> truncated_half(F32<N> x) {
  using U = U32<N>;
  const U m = magnitude_bits(x), sign = sign_bits(x) >> 16;
  const U normal = (m - (112u << 23)) >> 13;
  const U shift = lanes::min_int(U(126) - (m >> 23), 24u); // below 2^-14: how far the 24-bit significand moves
  const U denormal = ((m & 0x7fffff) | 0x800000) >> select(m < (113u << 23), shift, U(0));
  U d = select(m < (113u << 23), denormal, normal);
  d = select(m >= (143u << 23), 0x7bff, d);
  d = select(m == (255u << 23), 0x7c00, d);
  d = select(m > (255u << 23), 0x7e00 | ((m >> 13) & 0x3ff), d);
  return d | sign;
}
// Rounded in the current mode, saturated to 0..255.
CROSSLANE_FN U32<N> byte(F32<N> x) {
  return bitcast<uint32_t>(lanes::min_int(lanes::max_int(whole(lanes::round_mode(x)), 0), 255));
}
} // namespace detail
// D = {f16(S1), f16(S0)}, toward zero whatever the mode
CROSSLANE_FN U32<N> v_cvt_pkrtz_f16_f32(F32<N> s0, F32<N> s1) {
  return detail::truncated_half(s0) | (detail::truncated_half(s1) << 16);
}
// D = S2 with byte S1[1:0] replaced by u8(S0)
CROSSLANE_FN U32<N> v_cvt_pk_u8_f32(F32<N> s0, U32<N> s1, U32<N> s2) {
  const U32<N> shift = (s1 & 3) << 3;
  return (s2 & ~(U32<N>(0xff) << shift)) | (detail::byte(s0) << shift);
}
CROSSLANE_FN U32<N> v_cvt_pkaccum_u8_f32(F32<N> s0, U32<N> s1, U32<N> d) { return v_cvt_pk_u8_f32(s0, s1, d); }

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
