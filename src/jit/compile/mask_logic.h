// Owns masks that LLVM 19 would never end with: numbers that become masks of AVX-512, and logic of such.
#pragma once
#include <llvm/IR/Function.h>

namespace crosslane::jit {

// With two numbers of which both masks are in use, LLVM's selection makes `or (mask a), (mask b)` a `mask (or a, b)`,
// finds both masks there already, makes it what it was, and so on. So it is shown neither: masks of numbers that enter
// logic with each other, and the number where it is logic of such, come out of nothing for its eyes. To be done last.
void hide_masks_of_numbers(llvm::Function&);

} // namespace crosslane::jit
