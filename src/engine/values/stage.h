// Owns what staging computes, as functions of values (see engine/values/valu.h): operands on their way to a row's
// function and results on their way to their register, a dword a lane unless the type says otherwise.
#pragma once
#include "engine/types.h"
#include "isa/float_mode.h"
#include "isa/instruction.h"
#include "lanes/bytes.h"
#include "semantics/float.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace staging {

template <int N> using Dwords = Vec<uint32_t, N>;

// abs, neg
template <int N> CROSSLANE_INLINE Dwords<N> bits(Dwords<N> v, uint32_t keep, uint32_t flip) {
  return (v & Dwords<N>(keep)) ^ Dwords<N>(flip);
}
template <int N> CROSSLANE_INLINE Dwords<N> half_to_float(Vec<_Float16, N> v) {
  return lanes::bitcast<uint32_t>(lanes::convert<float>(v));
}

// A result that is part of its register: (old & keep) | (value & field) << shift, or with zeros or its sign around it.
// `above`: 32 - the field's width.
template <isa::SdwaUnused Unused, int N>
CROSSLANE_INLINE Dwords<N> put_field(Dwords<N> old, Dwords<N> v, uint32_t field, uint32_t shift, uint32_t above) {
  using enum isa::SdwaUnused;
  if constexpr (Unused == preserve)
    return lanes::insert_field(old, v, Dwords<N>(field), Dwords<N>(shift));
  else if constexpr (Unused == sext)
    return lanes::extract_field<true>(v, Dwords<N>(above), Dwords<N>(above)) << Dwords<N>(shift);
  else
    return (v & Dwords<N>(field)) << Dwords<N>(shift);
}

// Output modifiers are for code that flushes denormals: with output denormals kept, or in IEEE mode, the hardware
// ignores them. They flush their own result, and make +0 of -0. Source: RDNA and CDNA ISA manuals, "Output modifiers";
// LLVM SIFoldOperands::isOMod and tryFoldOMod say the same of GCN.
template <Type T> CROSSLANE_INLINE bool omod_works(uint32_t mode) {
  return (mode >> (isa::uses_mode64(T) ? 7 : 5) & 1) == 0 && (mode >> 9 & 1) == 0;
}
template <Type T, int N>
CROSSLANE_INLINE Vec<element_t<T>, N> put_float(Vec<element_t<T>, N> v, uint32_t omod, bool clamp, uint32_t mode) {
  using E = element_t<T>;
  using V = Vec<E, N>;
  if constexpr (T == Type::PkF16) {
    const auto half = [&](V bits) {
      const auto f =
          put_float<Type::F16, N>(lanes::bitcast<_Float16>(lanes::convert<uint16_t>(bits)), omod, clamp, mode);
      return lanes::convert<uint32_t>(lanes::bitcast<uint16_t>(f));
    };
    return half(v) | half(v >> V(16)) << V(16);
  } else {
    if (omod && omod_works<T>(mode)) {
      v = v * V(E(omod == 1 ? 2.0f : omod == 2 ? 4.0f : 0.5f));
      v = select(semantics::detail::is_below_normal(v), V(E(0)), v);
    }
    if (!clamp)
      return v;
    V clamped;
    if constexpr (T == Type::F16) { // whose comparison would be one of floats
      using I = Vec<int16_t, N>;
      const I bits = lanes::bitcast<int16_t>(v), zero(int16_t(0)), one(int16_t(0x3c00));
      const I positive = select(bits > zero, bits, zero);
      clamped = lanes::bitcast<E>(select(positive < one, positive, one));
    } else {
      clamped = select(v > V(E(0)), v, V(E(0)));
      clamped = select(clamped < V(E(1)), clamped, V(E(1)));
    }
    // DX10_CLAMP: NaN becomes 0; otherwise it passes.
    return select(semantics::detail::is_nan(v), mode >> 8 & 1 ? V(E(0)) : v, clamped);
  }
}

// FP16_OVFL: halves that are infinite, but not so in `truncated`, become the largest finite number.
template <int N> CROSSLANE_INLINE Dwords<N> put_overflow(Dwords<N> v, Dwords<N> truncated) {
  for (const uint32_t half : {0x0000ffffu, 0xffff0000u}) {
    const Dwords<N> magnitude = 0x7fff7fffu & half, infinity = 0x7c007c00u & half;
    const auto overflowed = ((v & magnitude) == infinity) & ((truncated & magnitude) != infinity);
    v = select(overflowed, (v & ~magnitude) | Dwords<N>(0x7bff7bffu & half), v);
  }
  return v;
}

} // namespace staging
CROSSLANE_LEVEL_END
} // namespace crosslane::engine
