// Owns the way from IR to machine code that can run.
#pragma once
#include "jit/request.h"
#include <llvm/IR/Module.h>

namespace crosslane::jit {

void optimize(llvm::Module&, const Request&, Compiled&);
// Code in memory, found by the name "unit". Compiled::error says what went wrong.
void generate(llvm::Module&, const Request&, Compiled&);
// A fatal error of LLVM's left them in the middle of something.
void forget_machines();

} // namespace crosslane::jit
