// Owns half-precision arithmetic of the vector ALU. The host computes in f32, whose double rounding is harmless for one
// operation (24 >= 2 * 11 + 2), and MXCSR's denormal modes do not reach f16: flushing is done here, by Mode.
#pragma once
#include "semantics/float.h"
#include "semantics/valu_f32.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {
CROSSLANE_FN F32<N> widened(F16<N> x, const Mode& mode) { return convert<float>(flushed(x, mode)); }
CROSSLANE_FN F16<N> narrowed(F32<N> x, const Mode& mode) { return flushed_result(convert<_Float16>(x), mode); }

// A sum rounded to odd, in whatever mode, which no later rounding can mistake for a tie. What is left of it has the
// right sign, as the larger addend can be taken from a rounded sum exactly; of halves and their products nothing is too
// small for f32.
CROSSLANE_FN F32<N> sum_to_odd(F32<N> x, F32<N> y) {
  const F32<N> sum = x + y;
  const Mask<N> x_is_larger = lanes::magnitude(x) >= lanes::magnitude(y);
  const F32<N> rest = select(x_is_larger, y, x) - (sum - select(x_is_larger, x, y));
  const I32<N> to_rest = (bitcast<int32_t>(bits(rest) ^ bits(sum)) >> 31) | 1; // 1 away from 0, -1 towards it
  const U32<N> if_even = (bits(sum) & 1) - 1;
  const F32<N> odd = bitcast<float>(bits(sum) + (bitcast<uint32_t>(to_rest) & if_even));
  return select(lanes::magnitude(rest) > 0.0f, odd, sum);
}
// The product is exact in f32.
CROSSLANE_FN F16<N> fused_multiply_add(F16<N> a, F16<N> b, F16<N> c, const Mode& mode) {
  const F32<N> product = widened(a, mode) * widened(b, mode);
  return flushed_result(convert<_Float16>(sum_to_odd(product, widened(c, mode))), mode);
}
// Two roundings, denormals flushed.
CROSSLANE_FN F16<N> multiply_add(F16<N> a, F16<N> b, F16<N> c) {
  const F16<N> product = flushed(convert<_Float16>(convert<float>(flushed(a)) * convert<float>(flushed(b))));
  return flushed(convert<_Float16>(convert<float>(product) + convert<float>(flushed(c))));
}
} // namespace detail

CROSSLANE_FN F16<N> v_add_f16(F16<N> s0, F16<N> s1, const Mode& mode) {
  return detail::narrowed(detail::widened(s0, mode) + detail::widened(s1, mode), mode);
}
CROSSLANE_FN F16<N> v_sub_f16(F16<N> s0, F16<N> s1, const Mode& mode) {
  return detail::narrowed(detail::widened(s0, mode) - detail::widened(s1, mode), mode);
}
CROSSLANE_FN F16<N> v_subrev_f16(F16<N> s0, F16<N> s1, const Mode& mode) { return v_sub_f16(s1, s0, mode); }
CROSSLANE_FN F16<N> v_mul_f16(F16<N> s0, F16<N> s1, const Mode& mode) {
  return detail::narrowed(detail::widened(s0, mode) * detail::widened(s1, mode), mode);
}
CROSSLANE_FN F16<N> v_fma_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::fused_multiply_add(s0, s1, s2, mode);
}
// The legacy rows (gfx8's opcodes) differ only in what happens to the high half of the register.
CROSSLANE_FN F16<N> v_fma_legacy_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::fused_multiply_add(s0, s1, s2, mode);
}
CROSSLANE_FN F16<N> v_mad_f16(F16<N> s0, F16<N> s1, F16<N> s2) { return detail::multiply_add(s0, s1, s2); }
CROSSLANE_FN F16<N> v_mad_legacy_f16(F16<N> s0, F16<N> s1, F16<N> s2) { return detail::multiply_add(s0, s1, s2); }
CROSSLANE_FN F16<N> v_mac_f16(F16<N> s0, F16<N> s1, F16<N> d) { return detail::multiply_add(s0, s1, d); }
// D = S0 * K + S1
template <int N, class K> CROSSLANE_INLINE F16<N> v_madmk_f16(F16<N> s0, Vec<K, N> k, F16<N> s1) {
  return detail::multiply_add(s0, detail::literal<_Float16>(k), s1);
}
// D = S0 * S1 + K
template <int N, class K> CROSSLANE_INLINE F16<N> v_madak_f16(F16<N> s0, F16<N> s1, Vec<K, N> k) {
  return detail::multiply_add(s0, s1, detail::literal<_Float16>(k));
}

CROSSLANE_FN F16<N> v_min_f16(F16<N> s0, F16<N> s1, const Mode& mode) { return detail::minimum(s0, s1, mode); }
CROSSLANE_FN F16<N> v_max_f16(F16<N> s0, F16<N> s1, const Mode& mode) { return detail::maximum(s0, s1, mode); }
CROSSLANE_FN F16<N> v_min3_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::minimum(detail::minimum(s0, s1, mode), s2, mode);
}
CROSSLANE_FN F16<N> v_max3_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::maximum(detail::maximum(s0, s1, mode), s2, mode);
}
CROSSLANE_FN F16<N> v_med3_f16(F16<N> s0, F16<N> s1, F16<N> s2, const Mode& mode) {
  return detail::median(s0, s1, s2, mode);
}

// Whole numbers below 2^16 and all their neighbours are f16: rounding in f32 is exact.
CROSSLANE_FN F16<N> v_trunc_f16(F16<N> s0, const Mode& mode) {
  return convert<_Float16>(lanes::trunc(detail::widened(s0, mode)));
}
CROSSLANE_FN F16<N> v_ceil_f16(F16<N> s0, const Mode& mode) {
  return convert<_Float16>(lanes::ceil(detail::widened(s0, mode)));
}
CROSSLANE_FN F16<N> v_floor_f16(F16<N> s0, const Mode& mode) {
  return convert<_Float16>(lanes::floor(detail::widened(s0, mode)));
}
CROSSLANE_FN F16<N> v_rndne_f16(F16<N> s0, const Mode& mode) {
  return convert<_Float16>(lanes::round_even(detail::widened(s0, mode)));
}
// D = S0 - floor(S0)
CROSSLANE_FN F16<N> v_fract_f16(F16<N> s0, const Mode& mode) {
  const F32<N> x = detail::widened(s0, mode);
  const F16<N> f = convert<_Float16>(x - lanes::floor(x));
  const F16<N> below_one = detail::from_bits<_Float16, N>(0x3bff);
  return detail::flushed_result(select(convert<float>(f) >= 1.0f, below_one, f), mode);
}
CROSSLANE_FN F16<N> v_frexp_mant_f16(F16<N> s0, const Mode& mode) {
  return convert<_Float16>(detail::frexp_mantissa(detail::widened(s0, mode), Mode{}));
}
CROSSLANE_FN Vec<int16_t, N> v_frexp_exp_i16_f16(F16<N> s0, const Mode& mode) {
  return convert<int16_t>(detail::frexp_exponent<int32_t>(detail::widened(s0, mode), Mode{}));
}
// D = S0 * 2^S1; the scaling is exact in f32
CROSSLANE_FN F16<N> v_ldexp_f16(F16<N> s0, Vec<int16_t, N> s1, const Mode& mode) {
  const Vec<int32_t, N> e = lanes::min_int(lanes::max_int(convert<int32_t>(s1), -60), 60);
  const F32<N> scale = bitcast<float>((e + 127) << 23);
  return detail::narrowed(detail::widened(s0, mode) * scale, mode);
}
// D = {S1, S0}, bits as they are
CROSSLANE_FN Vec<uint32_t, N> v_pack_b32_f16(F16<N> s0, F16<N> s1) {
  return convert<uint32_t>(detail::bits(s0)) | (convert<uint32_t>(detail::bits(s1)) << 16);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
