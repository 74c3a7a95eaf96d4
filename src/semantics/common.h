// Owns what every semantics file shares: the result pair, the Mode that functions may depend on, and Unimplemented.
#pragma once
#include "lanes/vec.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN

using lanes::bitcast;
using lanes::convert;
using lanes::Mask;
using lanes::select;
using lanes::Vec;

// A row's types, by the names that isa::Type gives them.
template <int N> using U16 = Vec<uint16_t, N>;
template <int N> using I16 = Vec<int16_t, N>;
template <int N> using F16 = Vec<_Float16, N>;
template <int N> using U32 = Vec<uint32_t, N>;
template <int N> using I32 = Vec<int32_t, N>;
template <int N> using F32 = Vec<float, N>;
template <int N> using U64 = Vec<uint64_t, N>;
template <int N> using I64 = Vec<int64_t, N>;
template <int N> using F64 = Vec<double, N>;

// A function over N lanes, and one over N lanes of any float type.
#define CROSSLANE_FN template <int N> CROSSLANE_INLINE
#define CROSSLANE_FLOAT template <class T, int N> CROSSLANE_INLINE

// A value and a second result: SCC, carry-out, or the flag of v_div_scale.
template <class D, class M> struct Pair {
  D value;
  M flag;
};
template <class D, class M> Pair(D, M) -> Pair<D, M>;

// The lanes of a 128-bit register tuple (v_mqsad_u32_u8).
template <int N> struct Dwords4 {
  Vec<uint32_t, N> dword[4];
};

// The part of the MODE register that formulas depend on. Source: GCN3 ISA manual, "MODE register".
struct Mode {
  bool ieee = false, dx10_clamp = true;
  bool flush32 = false, flush64 = false;               // denormal sources become zero (16 and 64 bit share one setting)
  bool flush_result32 = false, flush_result64 = false; // denormal results do
  uint8_t round32 = 0, round64 = 0;                    // 0 nearest even, 1 +inf, 2 -inf, 3 zero
};

// Rows without semantics: calling one yields this tag, and the engine installs a named fault.
struct Unimplemented {
  template <class... A> constexpr Unimplemented operator()(A&&...) const { return {}; }
};

CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
