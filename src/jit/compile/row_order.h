// Owns the order in which a block goes through the rows of lanes, for hosts that have few registers.
#pragma once
#include <llvm/IR/Function.h>

namespace crosslane::jit {

void mark_row(llvm::Instruction&, unsigned row); // computes what lanes of this row have
void order_by_rows(llvm::Function&);             // where that needs fewer accesses of memory; drops the marks

} // namespace crosslane::jit
