// Owns the length of blocks: what LLVM's selection of instructions takes grows with its square.
#pragma once
#include <llvm/IR/Function.h>

namespace crosslane::jit {

// Divides blocks that are very long, where few values are alive. To be done last: LLVM's passes on functions would make
// them one again.
void divide_long_blocks(llvm::Function&);

} // namespace crosslane::jit
