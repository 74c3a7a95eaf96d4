// Owns 16-bit integer arithmetic of the vector ALU and the 16-bit multiplies that add 32 bits.
// Source: Vega 7nm ISA manual, VOP2 and VOP3.
#pragma once
#include "semantics/valu_int.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

CROSSLANE_FN U16<N> v_add_u16(U16<N> s0, U16<N> s1) { return lanes::add(s0, s1); }
CROSSLANE_FN U16<N> v_sub_u16(U16<N> s0, U16<N> s1) { return lanes::sub(s0, s1); }
CROSSLANE_FN U16<N> v_subrev_u16(U16<N> s0, U16<N> s1) { return lanes::sub(s1, s0); }
CROSSLANE_FN I16<N> v_add_i16(I16<N> s0, I16<N> s1) { return lanes::add(s0, s1); }
CROSSLANE_FN I16<N> v_sub_i16(I16<N> s0, I16<N> s1) { return lanes::sub(s0, s1); }
CROSSLANE_FN U16<N> v_mul_lo_u16(U16<N> s0, U16<N> s1) { return lanes::mul(s0, s1); }

// D = S1 shifted by S0[3:0]
CROSSLANE_FN U16<N> v_lshlrev_b16(U16<N> s0, U16<N> s1) { return s1 << (s0 & 15); }
CROSSLANE_FN U16<N> v_lshrrev_b16(U16<N> s0, U16<N> s1) { return s1 >> (s0 & 15); }
CROSSLANE_FN I16<N> v_ashrrev_i16(U16<N> s0, I16<N> s1) { return s1 >> bitcast<int16_t>(s0 & 15); }

CROSSLANE_FN U16<N> v_max_u16(U16<N> s0, U16<N> s1) { return lanes::max_int(s0, s1); }
CROSSLANE_FN U16<N> v_min_u16(U16<N> s0, U16<N> s1) { return lanes::min_int(s0, s1); }
CROSSLANE_FN I16<N> v_max_i16(I16<N> s0, I16<N> s1) { return lanes::max_int(s0, s1); }
CROSSLANE_FN I16<N> v_min_i16(I16<N> s0, I16<N> s1) { return lanes::min_int(s0, s1); }
CROSSLANE_FN U16<N> v_min3_u16(U16<N> s0, U16<N> s1, U16<N> s2) { return detail::min3(s0, s1, s2); }
CROSSLANE_FN U16<N> v_max3_u16(U16<N> s0, U16<N> s1, U16<N> s2) { return detail::max3(s0, s1, s2); }
CROSSLANE_FN U16<N> v_med3_u16(U16<N> s0, U16<N> s1, U16<N> s2) { return detail::med3(s0, s1, s2); }
CROSSLANE_FN I16<N> v_min3_i16(I16<N> s0, I16<N> s1, I16<N> s2) { return detail::min3(s0, s1, s2); }
CROSSLANE_FN I16<N> v_max3_i16(I16<N> s0, I16<N> s1, I16<N> s2) { return detail::max3(s0, s1, s2); }
CROSSLANE_FN I16<N> v_med3_i16(I16<N> s0, I16<N> s1, I16<N> s2) { return detail::med3(s0, s1, s2); }

// D = S0 * S1 + S2, low 16 bits. The legacy rows (gfx8's opcodes) differ only in what happens to the high half.
CROSSLANE_FN U16<N> v_mad_u16(U16<N> s0, U16<N> s1, U16<N> s2) { return lanes::add(lanes::mul(s0, s1), s2); }
CROSSLANE_FN I16<N> v_mad_i16(I16<N> s0, I16<N> s1, I16<N> s2) { return lanes::add(lanes::mul(s0, s1), s2); }
CROSSLANE_FN U16<N> v_mad_legacy_u16(U16<N> s0, U16<N> s1, U16<N> s2) { return v_mad_u16(s0, s1, s2); }
CROSSLANE_FN I16<N> v_mad_legacy_i16(I16<N> s0, I16<N> s1, I16<N> s2) { return v_mad_i16(s0, s1, s2); }
// D = S0 * S1 + S2, 16-bit factors, 32-bit sum
CROSSLANE_FN U32<N> v_mad_u32_u16(U16<N> s0, U16<N> s1, U32<N> s2) {
  return convert<uint32_t>(s0) * convert<uint32_t>(s1) + s2;
}
CROSSLANE_FN I32<N> v_mad_i32_i16(I16<N> s0, I16<N> s1, I32<N> s2) {
  return lanes::add(lanes::mul(convert<int32_t>(s0), convert<int32_t>(s1)), s2);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
