// Owns what of LLVM's operations depends on MXCSR, and how it stays where MXCSR is as it shall be.
#pragma once
#include <llvm/IR/Module.h>

namespace crosslane::jit {

// Whether what the function computes depends on how MXCSR has operations round and treat denormals.
bool depends_on_modes(const llvm::Function&);

// LLVM keeps constrained operations between the instructions that write MXCSR. After this, all that depends on it is
// one, if the module has such instructions.
void keep_in_modes(llvm::Module&);

} // namespace crosslane::jit
