// An assembler statement of no instruction is what nothing is known of.
#include "jit/compile/mask_logic.h"
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>

namespace crosslane::jit {

namespace {

bool is_mask(llvm::Type* type) {
  const auto* const v = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return v && v->getElementType()->isIntegerTy(1) && v->getNumElements() >= 8;
}

// `constraints`: of a general register or a mask register, for result and operand.
llvm::Value* hidden(llvm::IRBuilder<>& b, llvm::Value* v, const char* constraints) {
  auto* const type = llvm::FunctionType::get(v->getType(), {v->getType()}, false);
  auto* const call = b.CreateCall(llvm::InlineAsm::get(type, "", constraints, false), v);
  call->setDoesNotThrow(), call->setDoesNotAccessMemory();
  return call;
}

bool is_mask_of_number(const llvm::Value* v) {
  const auto* const cast = llvm::dyn_cast<llvm::BitCastInst>(v);
  return cast && is_mask(cast->getType()) && cast->getSrcTy()->isIntegerTy();
}
template <class F> bool is_logic_of(const llvm::Value* v, F is_operand) {
  const auto* const logic = llvm::dyn_cast<llvm::BinaryOperator>(v);
  return logic && logic->isBitwiseLogicOp() && is_operand(logic->getOperand(0)) && is_operand(logic->getOperand(1));
}
bool may_become_mask(const llvm::Value* number) {
  return llvm::isa<llvm::BinaryOperator>(number) ||
         (!llvm::isa<llvm::Constant>(number) && llvm::any_of(number->users(), is_mask_of_number));
}

} // namespace

void hide_masks_of_numbers(llvm::Function& f) {
  llvm::SmallVector<llvm::Instruction*> masks, logic;
  for (llvm::Instruction& i : llvm::instructions(f)) {
    if (is_mask_of_number(&i) && is_logic_of(i.getOperand(0), may_become_mask))
      masks.push_back(&i);
    else if (is_mask(i.getType()) && is_logic_of(&i, is_mask_of_number))
      logic.push_back(&i);
  }
  for (llvm::Instruction* const i : masks) {
    llvm::IRBuilder<> b(i);
    i->setOperand(0, hidden(b, i->getOperand(0), "=r,0"));
  }
  for (llvm::Instruction* const i : logic) {
    llvm::IRBuilder<> b(i);
    for (llvm::Use& operand : i->operands())
      operand.set(hidden(b, operand, "=k,0"));
  }
}

} // namespace crosslane::jit
