// Owns the packed and mixed-precision rows (VOP3P) and dot products. A packed operand is a dword with both halves in
// place; a row of 16 dwords is computed as 32 halves at once. Source: Vega 7nm ISA manual, VOP3P.
#pragma once
#include "lanes/fields.h"
#include "semantics/valu_f16.h"
#include "semantics/valu_int16.h"
#include <array>

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {
// f over the halves of dwords, both as T.
template <class T, class F, int N, class... V> CROSSLANE_INLINE U32<N> on_halves(F f, Vec<uint32_t, N> s0, V... s) {
  if constexpr (N == 1) {
    const auto half = [](U32<1> x, int shift) { return bitcast<T>(Vec<uint16_t, 1>(uint16_t(x.v >> shift))); };
    const uint32_t low = bitcast<uint16_t>(f(half(s0, 0), half(s, 0)...)).v;
    const uint32_t high = bitcast<uint16_t>(f(half(s0, 16), half(s, 16)...)).v;
    return U32<1>(low | high << 16);
  } else {
    using Halves = Vec<T, 2 * N>;
    const auto halves = [](U32<N> x) { return Halves::of(__builtin_bit_cast(typename Halves::raw, x.v)); };
    return U32<N>::of(__builtin_bit_cast(typename U32<N>::raw, f(halves(s0), halves(s)...).v));
  }
}
} // namespace detail

// Packed integers: two times the 16-bit operation.
#define CROSSLANE_PK2(name, T, expression)                                                                             \
  CROSSLANE_FN U32<N> name(U32<N> s0, U32<N> s1) {                                                                     \
    return detail::on_halves<T>([](auto a, auto b) { return expression; }, s0, s1);                                    \
  }
CROSSLANE_PK2(v_pk_mul_lo_u16, uint16_t, lanes::mul(a, b))
CROSSLANE_PK2(v_pk_add_u16, uint16_t, lanes::add(a, b))
CROSSLANE_PK2(v_pk_sub_u16, uint16_t, lanes::sub(a, b))
CROSSLANE_PK2(v_pk_add_i16, int16_t, lanes::add(a, b))
CROSSLANE_PK2(v_pk_sub_i16, int16_t, lanes::sub(a, b))
CROSSLANE_PK2(v_pk_max_i16, int16_t, lanes::max_int(a, b))
CROSSLANE_PK2(v_pk_min_i16, int16_t, lanes::min_int(a, b))
CROSSLANE_PK2(v_pk_max_u16, uint16_t, lanes::max_int(a, b))
CROSSLANE_PK2(v_pk_min_u16, uint16_t, lanes::min_int(a, b))
CROSSLANE_PK2(v_pk_lshlrev_b16, uint16_t, b << (a & 15))
CROSSLANE_PK2(v_pk_lshrrev_b16, uint16_t, b >> (a & 15))
CROSSLANE_PK2(v_pk_ashrrev_i16, int16_t, b >> (a & 15))
#undef CROSSLANE_PK2
CROSSLANE_FN U32<N> v_pk_mad_u16(U32<N> s0, U32<N> s1, U32<N> s2) {
  return detail::on_halves<uint16_t>([](auto a, auto b, auto c) { return lanes::add(lanes::mul(a, b), c); }, s0, s1,
                                     s2);
}
CROSSLANE_FN U32<N> v_pk_mad_i16(U32<N> s0, U32<N> s1, U32<N> s2) { return v_pk_mad_u16(s0, s1, s2); }

// Packed halves.
#define CROSSLANE_PK2(name, function)                                                                                  \
  CROSSLANE_FN U32<N> name(U32<N> s0, U32<N> s1, const Mode& mode) {                                                   \
    return detail::on_halves<_Float16>([&mode](auto a, auto b) { return function(a, b, mode); }, s0, s1);              \
  }
CROSSLANE_PK2(v_pk_add_f16, v_add_f16)
CROSSLANE_PK2(v_pk_mul_f16, v_mul_f16)
CROSSLANE_PK2(v_pk_min_f16, v_min_f16)
CROSSLANE_PK2(v_pk_max_f16, v_max_f16)
#undef CROSSLANE_PK2
CROSSLANE_FN U32<N> v_pk_fma_f16(U32<N> s0, U32<N> s1, U32<N> s2, const Mode& mode) {
  return detail::on_halves<_Float16>([&mode](auto a, auto b, auto c) { return v_fma_f16(a, b, c, mode); }, s0, s1, s2);
}
CROSSLANE_FN U32<N> v_pk_fmac_f16(U32<N> s0, U32<N> s1, U32<N> d, const Mode& mode) {
  return v_pk_fma_f16(s0, s1, d, mode);
}

// Packed pairs of 32 bits: a lane of 64 has both. OP_SEL has put the item that v_pk_mov_b32 takes of a source into its
// low half.
namespace detail {
template <class F, int N, class... V> CROSSLANE_INLINE U64<N> on_singles(F f, Vec<uint64_t, N> s0, V... s) {
  using Singles = F32<2 * N>;
  const auto singles = [](U64<N> x) { return Singles::of(__builtin_bit_cast(typename Singles::raw, x.v)); };
  return U64<N>::of(__builtin_bit_cast(typename U64<N>::raw, f(singles(s0), singles(s)...).v));
}
} // namespace detail
CROSSLANE_FN U64<N> v_pk_fma_f32(U64<N> s0, U64<N> s1, U64<N> s2) {
  return detail::on_singles([](auto a, auto b, auto c) { return v_fma_f32(a, b, c); }, s0, s1, s2);
}
CROSSLANE_FN U64<N> v_pk_mul_f32(U64<N> s0, U64<N> s1) {
  return detail::on_singles([](auto a, auto b) { return v_mul_f32(a, b); }, s0, s1);
}
CROSSLANE_FN U64<N> v_pk_add_f32(U64<N> s0, U64<N> s1) {
  return detail::on_singles([](auto a, auto b) { return v_add_f32(a, b); }, s0, s1);
}
CROSSLANE_FN U64<N> v_pk_mov_b32(U64<N> s0, U64<N> s1) { return (s0 & 0xffffffff) | s1 << 32; }

// Mixed precision: sources are f32 already (the engine widens the f16 ones); mad rounds twice and flushes, fma once.
// The f16 forms give the half to store; which half, and what becomes of the other, is the engine's (Old is not read).
CROSSLANE_FN F32<N> v_mad_mix_f32(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {
  return detail::multiply_add(s0, s1, s2, mode);
}
CROSSLANE_FN F32<N> v_fma_mix_f32(F32<N> s0, F32<N> s1, F32<N> s2) { return lanes::fma(s0, s1, s2); }
#define CROSSLANE_MIX(name, expression)                                                                                \
  CROSSLANE_FN F16<N> name(F32<N> s0, F32<N> s1, F32<N> s2, const Mode& mode) {                                        \
    return detail::narrowed(expression, mode);                                                                         \
  }                                                                                                                    \
  template <int N, class Old>                                                                                          \
  CROSSLANE_INLINE F16<N> name(F32<N> s0, F32<N> s1, F32<N> s2, Vec<Old, N>, const Mode& mode) {                       \
    return name(s0, s1, s2, mode);                                                                                     \
  }
CROSSLANE_MIX(v_mad_mixlo_f16, detail::multiply_add(s0, s1, s2, mode))
CROSSLANE_MIX(v_mad_mixhi_f16, detail::multiply_add(s0, s1, s2, mode))
CROSSLANE_MIX(v_fma_mixlo_f16, lanes::fma(s0, s1, s2))
CROSSLANE_MIX(v_fma_mixhi_f16, lanes::fma(s0, s1, s2))
#undef CROSSLANE_MIX

// Dot products. Integers: exact products, sums that wrap.
namespace detail {
template <int Bits, bool Signed, int N> CROSSLANE_INLINE U32<N> dot(U32<N> a, U32<N> b, U32<N> sum) {
  for (uint32_t i = 0; i < 32; i += Bits) {
    const U32<N> x = (a >> i) << uint32_t(32 - Bits), y = (b >> i) << uint32_t(32 - Bits);
    if constexpr (Signed)
      sum = sum + bitcast<uint32_t>(bitcast<int32_t>(x) >> int32_t(32 - Bits)) *
                      bitcast<uint32_t>(bitcast<int32_t>(y) >> int32_t(32 - Bits));
    else
      sum = sum + (x >> uint32_t(32 - Bits)) * (y >> uint32_t(32 - Bits));
  }
  return sum;
}
template <int Bits, int N> CROSSLANE_INLINE I32<N> signed_dot(U32<N> a, U32<N> b, I32<N> sum) {
  return bitcast<int32_t>(dot<Bits, true>(a, b, bitcast<uint32_t>(sum)));
}
// Both halves of each lane: the low ones, then the high ones. Converted as they lie, and sorted then, which hosts do in
// fewer steps than the other way round.
CROSSLANE_FN std::array<F32<N>, 2> halves_of(U32<N> x) {
  const auto all = convert<float>(Vec<_Float16, 2 * N>::of(__builtin_bit_cast(lanes::raw_t<_Float16, 2 * N>, x.v)));
  return {lanes::every_second<0>(all), lanes::every_second<1>(all)};
}
// a0 * b0 + a1 * b1, of numbers that were halves: products of these are exact floats, whatever MODE says, so that one
// may be added to the other before it is rounded.
CROSSLANE_FN F32<N> sum_of_exact(F32<N> a0, F32<N> b0, F32<N> a1, F32<N> b1) {
#ifdef __FMA__
  return lanes::fma(a1, b1, a0 * b0);
#else
  return a0 * b0 + a1 * b1;
#endif
}
} // namespace detail
CROSSLANE_FN I32<N> v_dot2_i32_i16(U32<N> s0, U32<N> s1, I32<N> s2) { return detail::signed_dot<16>(s0, s1, s2); }
CROSSLANE_FN U32<N> v_dot2_u32_u16(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::dot<16, false>(s0, s1, s2); }
CROSSLANE_FN I32<N> v_dot4_i32_i8(U32<N> s0, U32<N> s1, I32<N> s2) { return detail::signed_dot<8>(s0, s1, s2); }
CROSSLANE_FN U32<N> v_dot4_u32_u8(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::dot<8, false>(s0, s1, s2); }
CROSSLANE_FN I32<N> v_dot8_i32_i4(U32<N> s0, U32<N> s1, I32<N> s2) { return detail::signed_dot<4>(s0, s1, s2); }
CROSSLANE_FN U32<N> v_dot8_u32_u4(U32<N> s0, U32<N> s1, U32<N> s2) { return detail::dot<4, false>(s0, s1, s2); }
CROSSLANE_FN I32<N> v_dot2c_i32_i16(U32<N> s0, U32<N> s1, I32<N> d) { return v_dot2_i32_i16(s0, s1, d); }
CROSSLANE_FN I32<N> v_dot4c_i32_i8(U32<N> s0, U32<N> s1, I32<N> d) { return v_dot4_i32_i8(s0, s1, d); }
CROSSLANE_FN I32<N> v_dot8c_i32_i4(U32<N> s0, U32<N> s1, I32<N> d) { return v_dot8_i32_i4(s0, s1, d); }
// D = (S0[0] * S1[0] + S0[1] * S1[1]) + S2, products exact. assumed: the order of the two roundings; hardware would
// tell.
CROSSLANE_FN F32<N> v_dot2_f32_f16(U32<N> s0, U32<N> s1, F32<N> s2) {
  const auto a = detail::halves_of(s0), b = detail::halves_of(s1);
  return detail::sum_of_exact(a[0], b[0], a[1], b[1]) + s2;
}
CROSSLANE_FN F32<N> v_dot2c_f32_f16(U32<N> s0, U32<N> s1, F32<N> d) { return v_dot2_f32_f16(s0, s1, d); }

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
