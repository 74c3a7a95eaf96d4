// Owns the vector compares: relations x types, each as v_cmp and v_cmpx (the engine writes EXEC for the latter), and
// the IEEE class tests. Source: Vega 7nm ISA manual, VOPC. v_cmps and v_cmpsx of gfx6 and gfx7 differ from them only in
// the exceptions that a NaN raises.
#pragma once
#include "semantics/float.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

namespace detail {
template <int N> CROSSLANE_INLINE Mask<N> none() { return Mask<N>(typename Mask<N>::bits_t(0)); }
} // namespace detail

#define CROSSLANE_CMP(name, T, expression)                                                                             \
  template <int N> CROSSLANE_INLINE Mask<N> v_cmp_##name(Vec<T, N> s0, Vec<T, N> s1) { return expression; }            \
  template <int N> CROSSLANE_INLINE Mask<N> v_cmpx_##name(Vec<T, N> s0, Vec<T, N> s1) { return expression; }
#define CROSSLANE_CMP_INTEGER(name, T)                                                                                 \
  CROSSLANE_CMP(f_##name, T, detail::none<N>())                                                                        \
  CROSSLANE_CMP(lt_##name, T, s0 < s1)                                                                                 \
  CROSSLANE_CMP(eq_##name, T, s0 == s1)                                                                                \
  CROSSLANE_CMP(le_##name, T, s0 <= s1)                                                                                \
  CROSSLANE_CMP(gt_##name, T, s0 > s1)                                                                                 \
  CROSSLANE_CMP(ne_##name, T, s0 != s1)                                                                                \
  CROSSLANE_CMP(ge_##name, T, s0 >= s1)                                                                                \
  CROSSLANE_CMP(t_##name, T, ~detail::none<N>())
CROSSLANE_CMP_INTEGER(i16, int16_t)
CROSSLANE_CMP_INTEGER(u16, uint16_t)
CROSSLANE_CMP_INTEGER(i32, int32_t)
CROSSLANE_CMP_INTEGER(u32, uint32_t)
CROSSLANE_CMP_INTEGER(i64, int64_t)
CROSSLANE_CMP_INTEGER(u64, uint64_t)
#undef CROSSLANE_CMP_INTEGER

// lg is ordered and different; the n* relations are negations, true for NaN.
#define CROSSLANE_CMP_FLOAT(CMP, name, T)                                                                              \
  CMP(f_##name, T, detail::none<N>())                                                                                  \
  CMP(lt_##name, T, s0 < s1)                                                                                           \
  CMP(eq_##name, T, s0 == s1)                                                                                          \
  CMP(le_##name, T, s0 <= s1)                                                                                          \
  CMP(gt_##name, T, s0 > s1)                                                                                           \
  CMP(lg_##name, T, (s0 < s1) | (s0 > s1))                                                                             \
  CMP(ge_##name, T, s0 >= s1)                                                                                          \
  CMP(o_##name, T, (s0 == s0) & (s1 == s1))                                                                            \
  CMP(u_##name, T, (s0 != s0) | (s1 != s1))                                                                            \
  CMP(nge_##name, T, ~(s0 >= s1))                                                                                      \
  CMP(nlg_##name, T, ~((s0 < s1) | (s0 > s1)))                                                                         \
  CMP(ngt_##name, T, ~(s0 > s1))                                                                                       \
  CMP(nle_##name, T, ~(s0 <= s1))                                                                                      \
  CMP(neq_##name, T, s0 != s1)                                                                                         \
  CMP(nlt_##name, T, ~(s0 < s1))                                                                                       \
  CMP(tru_##name, T, ~detail::none<N>())
#define CROSSLANE_CMP_SIGNALING(name, T, expression)                                                                   \
  template <int N> CROSSLANE_INLINE Mask<N> v_cmps_##name(Vec<T, N> s0, Vec<T, N> s1) { return expression; }           \
  template <int N> CROSSLANE_INLINE Mask<N> v_cmpsx_##name(Vec<T, N> s0, Vec<T, N> s1) { return expression; }
CROSSLANE_CMP_FLOAT(CROSSLANE_CMP, f32, float)
CROSSLANE_CMP_FLOAT(CROSSLANE_CMP, f64, double)
CROSSLANE_CMP_FLOAT(CROSSLANE_CMP_SIGNALING, f32, float)
CROSSLANE_CMP_FLOAT(CROSSLANE_CMP_SIGNALING, f64, double)
#undef CROSSLANE_CMP_SIGNALING
// f16 compares in f32, where its denormals are normal: the mode's flushing is done by hand.
#define CROSSLANE_CMP_HALF_AS(prefix, name, expression)                                                                \
  template <int N> CROSSLANE_INLINE Mask<N> prefix##name(F16<N> a, F16<N> b, const Mode& mode) {                       \
    const F32<N> s0 = convert<float>(detail::flushed(a, mode)), s1 = convert<float>(detail::flushed(b, mode));         \
    (void)s0, (void)s1;                                                                                                \
    return expression;                                                                                                 \
  }
#define CROSSLANE_CMP_HALF(name, T, expression)                                                                        \
  CROSSLANE_CMP_HALF_AS(v_cmp_, name, expression) CROSSLANE_CMP_HALF_AS(v_cmpx_, name, expression)
CROSSLANE_CMP_FLOAT(CROSSLANE_CMP_HALF, f16, _Float16)
#undef CROSSLANE_CMP_FLOAT
#undef CROSSLANE_CMP_HALF
#undef CROSSLANE_CMP_HALF_AS
#undef CROSSLANE_CMP

// S1 selects classes: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf from bit 0 up.
#define CROSSLANE_CLASS(prefix, name, T)                                                                               \
  template <int N, class C> CROSSLANE_INLINE Mask<N> prefix##class_##name(Vec<T, N> s0, Vec<C, N> s1) {                \
    return detail::class_of(s0, s1);                                                                                   \
  }
CROSSLANE_CLASS(v_cmp_, f16, _Float16)
CROSSLANE_CLASS(v_cmp_, f32, float)
CROSSLANE_CLASS(v_cmp_, f64, double)
CROSSLANE_CLASS(v_cmpx_, f16, _Float16)
CROSSLANE_CLASS(v_cmpx_, f32, float)
CROSSLANE_CLASS(v_cmpx_, f64, double)
#undef CROSSLANE_CLASS

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
