// Owns the corners of an affine value: the lanes where what is linear has its least and greatest value.
#pragma once
#include "jit/compile/state.h"
#include <algorithm>
#include <llvm/IR/IRBuilder.h>

namespace crosslane::jit {

// How far below and above the first lane others are, but for the dynamic step.
inline int64_t below(const Lane& l) {
  return std::min<int64_t>(int64_t(7) * l.column, 0) + std::min<int64_t>(l.to_half(), 0) +
         std::min<int64_t>(l.fixed[1], 0) + std::min<int64_t>(l.fixed[2], 0);
}
inline int64_t above(const Lane& l) {
  return std::max<int64_t>(int64_t(7) * l.column, 0) + std::max<int64_t>(l.to_half(), 0) +
         std::max<int64_t>(l.fixed[1], 0) + std::max<int64_t>(l.fixed[2], 0);
}

// No lane is below the first one, and each is a constant away from it.
inline bool rises(const Lane& l) { return l.kind == Lane::affine && !l.dynamic && !below(l); }

// f(value) at each corner but the first lane; all must hold.
template <class F> Value* at_corners(llvm::IRBuilderBase& b, const Lane& l, F f) {
  Value* all = nullptr;
  const auto add = [&](int64_t constant, bool step) {
    Value* v = constant ? b.CreateAdd(l.base, b.getInt32(uint32_t(constant))) : l.base;
    if (step)
      v = b.CreateAdd(v, b.CreateMul(l.step, b.getInt32(l.most_times())));
    Value* holds = f(v);
    all = all ? b.CreateAnd(all, holds) : holds;
  };
  for (const bool step : {false, true}) {
    if (step && !l.dynamic)
      break;
    if (above(l) || (step && !below(l)))
      add(above(l), step);
    if (below(l))
      add(below(l), step);
  }
  return all ? all : b.getTrue();
}

} // namespace crosslane::jit
