// Owns what a row of scalar arithmetic computes, as a function of values (see engine/values/valu.h).
#pragma once
#include "engine/own.h"
#include "engine/types.h"
#include "isa/row.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

// F, called with what the row says it reads. The result is the value, the value and SCC as a semantics::Pair, or, where
// D is None, SCC alone.
template <class F, Type D, isa::Implicit I, Type A, Type B = Type::None> struct SaluFunction {
  static constexpr Type dst = D, a = A, b = B;
  static constexpr bool reads_dst = has(I, isa::Implicit::dst_r), reads_scc = has(I, isa::Implicit::scc_r);
  template <Type T> using Value = Vec<element_t<T>, 1>;

private: // innermost first: compute() is called for its type
  template <class... S> static CROSSLANE_INLINE auto with_scc(Mask<1> scc, S... s) {
    if constexpr (reads_scc)
      return F{}(s..., scc);
    else
      return F{}(s...);
  }
  template <class... S> static CROSSLANE_INLINE auto with_old(Value<D> old, Mask<1> scc, S... s) {
    if constexpr (reads_dst)
      return with_scc(scc, s..., old);
    else
      return with_scc(scc, s...);
  }

public:
  static CROSSLANE_INLINE auto compute(Value<A> a, Value<B> b, Value<D> old, Mask<1> scc) {
    if constexpr (A == Type::None)
      return with_old(old, scc);
    else if constexpr (B == Type::None)
      return with_old(old, scc, a);
    else
      return with_old(old, scc, a, b);
  }
  using Result = decltype(compute({}, {}, {}, {}));
  static constexpr bool implemented = !std::is_same_v<Result, semantics::Unimplemented>;
};

// SOPK: the immediate is the last source, of the type of what it meets. A compare has a source besides it, and no
// destination.
template <class F, Type D, Type S0, isa::Implicit I>
using SopkFunction =
    std::conditional_t<S0 == Type::None, SaluFunction<F, D, I, D>, SaluFunction<F, Type::None, I, S0, S0>>;

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
