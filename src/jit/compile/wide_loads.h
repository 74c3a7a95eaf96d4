// Owns the order in which what a row of lanes reads side by side is read: line after line.
#pragma once
#include <llvm/IR/Function.h>

namespace crosslane::jit {

// For hosts with registers of 512 bits: loads of more become loads of one each, upwards.
void divide_wide_loads(llvm::Function&);

} // namespace crosslane::jit
