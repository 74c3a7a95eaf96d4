// Owns the corners of an affine value: the lanes of the first and last column in the first and last row. What is linear
// has its least and greatest lane there.
#pragma once
#include "jit/compile/state.h"
#include <llvm/IR/IRBuilder.h>

namespace crosslane::jit {

inline Value* corner(llvm::IRBuilderBase& b, const Lane& l, bool last_column, bool last_row) {
  Value* v = l.base;
  if (last_column && l.column)
    v = b.CreateAdd(v, b.getInt32(uint32_t(15 * l.column)));
  if (last_row && l.step_kind == Step::fixed)
    v = b.CreateAdd(v, b.getInt32(uint32_t(3 * l.fixed)));
  if (last_row && l.step_kind == Step::dynamic)
    v = b.CreateAdd(v, b.CreateMul(l.step, b.getInt32(3)));
  return v;
}

// f(last column, last row) at each corner of `x` or `y` that may be an extreme, but for the first; all must hold.
template <class F> Value* at_corners(llvm::IRBuilderBase& b, const Lane& x, const Lane& y, F f) {
  const bool columns = x.column || y.column, steps = x.step_kind != Step::none || y.step_kind != Step::none;
  Value* all = nullptr;
  const auto add = [&](bool c, bool r) {
    Value* v = f(c, r);
    all = all ? b.CreateAnd(all, v) : v;
  };
  const auto rises = [](const Lane& l) { return l.step_kind != Step::dynamic && l.column >= 0 && l.fixed >= 0; };
  if (rises(x) && rises(y)) { // the last lane is the greatest
    add(columns, steps);
    return all;
  }
  if (columns)
    add(true, false);
  if (steps)
    add(false, true);
  if (columns && steps)
    add(true, true);
  return all ? all : b.getTrue();
}

} // namespace crosslane::jit
