// Conversions that a block has several of: LLVM's passes take each of them for something of its own, as it depends on
// MXCSR, which is the same in all of a unit. An operand of many dot products is converted for each.
#include "jit/compile/emitter.h"
#include <llvm/IR/IntrinsicInst.h>

namespace crosslane::jit {

static void share_conversions(llvm::BasicBlock& block) {
  llvm::DenseMap<std::pair<const Value*, const Value*>, llvm::Instruction*> known; // by function and operand
  for (llvm::Instruction& i : llvm::make_early_inc_range(block)) {
    auto* call = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i);
    if (!call || call->getIntrinsicID() != llvm::Intrinsic::experimental_constrained_fpext)
      continue;
    const auto [at, is_new] = known.try_emplace({call->getCalledFunction(), call->getArgOperand(0)}, call);
    if (is_new)
      continue;
    call->replaceAllUsesWith(at->second);
    call->eraseFromParent();
  }
}

void Emitter::share_conversions() {
  for (llvm::BasicBlock& block : *function_)
    jit::share_conversions(block);
}

} // namespace crosslane::jit
