// Owns 64-bit integer arithmetic of the vector ALU: shifts and the 32 x 32 + 64 multiply-adds.
#pragma once
#include "semantics/valu_int.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

// D = S1 shifted by S0[5:0]
CROSSLANE_FN U64<N> v_lshlrev_b64(U32<N> s0, U64<N> s1) { return s1 << convert<uint64_t>(s0 & 63); }
CROSSLANE_FN U64<N> v_lshrrev_b64(U32<N> s0, U64<N> s1) { return s1 >> convert<uint64_t>(s0 & 63); }
CROSSLANE_FN I64<N> v_ashrrev_i64(U32<N> s0, I64<N> s1) { return s1 >> bitcast<int64_t>(convert<uint64_t>(s0 & 63)); }
// gfx6 and gfx7: D = S0 shifted by S1[5:0]
CROSSLANE_FN U64<N> v_lshl_b64(U64<N> s0, U32<N> s1) { return v_lshlrev_b64(s1, s0); }
CROSSLANE_FN U64<N> v_lshr_b64(U64<N> s0, U32<N> s1) { return v_lshrrev_b64(s1, s0); }
CROSSLANE_FN I64<N> v_ashr_i64(I64<N> s0, U32<N> s1) { return v_ashrrev_i64(s1, s0); }

// {flag, D} = S0 * S1 + S2, unsigned: the flag is bit 64
CROSSLANE_FN Pair<U64<N>, Mask<N>> v_mad_u64_u32(U32<N> s0, U32<N> s1, U64<N> s2) {
  const U64<N> d = convert<uint64_t>(s0) * convert<uint64_t>(s1) + s2;
  return {d, d < s2};
}
// {flag, D} = S0 * S1 + S2, signed: both terms sign-extended to 65 bits, the flag is bit 64
CROSSLANE_FN Pair<I64<N>, Mask<N>> v_mad_i64_i32(I32<N> s0, I32<N> s1, I64<N> s2) {
  const I64<N> product = convert<int64_t>(s0) * convert<int64_t>(s1);
  const I64<N> d = lanes::add(product, s2);
  const I64<N> overflow = (product ^ d) & (s2 ^ d); // top bit: the sum left 64 bits
  return {d, (d ^ overflow) < 0};
}

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
