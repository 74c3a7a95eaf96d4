// Owns the way from IR to machine code.
#pragma once
#include "jit/request.h"
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace crosslane::jit {

void optimize(llvm::Module&, const Request&, Compiled&);
// Compiled::image, or Compiled::error.
void generate(llvm::Module&, const Request&, Compiled&);
// assembly.cpp: what generate() would make of it, as Report::assembly.
void write_assembly(const llvm::Module&, const Request&, Compiled&);
// Null: Compiled::error says why.
llvm::TargetMachine* machine_for(const Request&, Compiled&);
// A fatal error of LLVM's left them in the middle of something.
void forget_machines();

} // namespace crosslane::jit
