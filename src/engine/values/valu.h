// Owns what a row of vector arithmetic computes, as a function of values: no wave, no memory, no EXEC. The
// interpreter's handlers are a shell around it (engine/valu/valu.h), and so is what a compiler of uops takes
// (jit/bodies/).
#pragma once
#include "engine/own.h"
#include "engine/types.h"
#include "isa/row.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

using isa::has;
using isa::Implicit;

// What semantics depend on of the wave's MODE register.
CROSSLANE_INLINE semantics::Mode mode_of(uint32_t mode) {
  semantics::Mode m;
  m.dx10_clamp = mode >> 8 & 1;
  m.ieee = mode >> 9 & 1;
  m.round32 = mode & 3, m.round64 = mode >> 2 & 3;
  m.flush32 = !(mode >> 4 & 1), m.flush_result32 = !(mode >> 5 & 1);
  m.flush64 = !(mode >> 6 & 1), m.flush_result64 = !(mode >> 7 & 1);
  return m;
}

// F, called with what the row says it reads, over N lanes. Types that are None are not looked at.
template <class F, Type D, Implicit I, Type A, Type B, Type C, int N> struct ValuFunction {
  static constexpr int sources = C != Type::None ? 3 : B != Type::None ? 2 : A != Type::None ? 1 : 0;
  static constexpr bool mask_in = has(I, Implicit::vcc_r);
  static constexpr bool reads_dst = has(I, Implicit::dst_r);
  template <Type T> using Value = Vec<element_t<T>, N>;

private: // innermost first: compute() is called for its type
  template <class... S> static CROSSLANE_INLINE auto with_mode(uint32_t mode, S... s) {
    if constexpr (std::is_invocable_v<F, S..., semantics::Mode>)
      return F{}(s..., mode_of(mode));
    else
      return F{}(s...);
  }
  template <class... S> static CROSSLANE_INLINE auto with_mask(Mask<N> mask, uint32_t mode, S... s) {
    if constexpr (mask_in)
      return with_mode(mode, s..., mask);
    else
      return with_mode(mode, s...);
  }
  template <class... S> static CROSSLANE_INLINE auto with_old(Value<D> old, Mask<N> mask, uint32_t mode, S... s) {
    if constexpr (reads_dst)
      return with_mask(mask, mode, s..., old);
    else
      return with_mask(mask, mode, s...);
  }

public:
  static CROSSLANE_INLINE auto compute(Value<A> a, Value<B> b, Value<C> c, Value<D> old, Mask<N> mask, uint32_t mode) {
    if constexpr (sources == 0)
      return with_old(old, mask, mode);
    else if constexpr (sources == 1)
      return with_old(old, mask, mode, a);
    else if constexpr (sources == 2)
      return with_old(old, mask, mode, a, b);
    else
      return with_old(old, mask, mode, a, b, c);
  }
  using Result = decltype(compute({}, {}, {}, {}, {}, 0));
  static constexpr bool implemented = !std::is_same_v<Result, semantics::Unimplemented>;
};

// v_madmk and v_madak, S0 * K + S1 and S0 * S1 + K: the sum of v_mac with a third source instead of the old
// destination.
#define CROSSLANE_MAD_K(MAD)                                                                                           \
  MAD(v_madmk_f32, v_mac_f32, F32)                                                                                     \
  MAD(v_madak_f32, v_mac_f32, F32)                                                                                     \
  MAD(v_madmk_f16, v_mac_f16, F16)                                                                                     \
  MAD(v_madak_f16, v_mac_f16, F16)

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
