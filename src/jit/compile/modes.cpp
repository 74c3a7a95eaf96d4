// MODE says for operations of 32 bits, and for those of 16 and 64 bits, how they round and what they do with denormals.
// The host has one MXCSR for both. Where they differ (compilers flush singles alone before gfx9), code of a unit writes
// it as operations come: it is that of 32 bits wherever a block begins or ends, a handler is called or the wave leaves.
#include "jit/compile/modes.h"
#include "jit/compile/emitter.h"
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace crosslane::jit {

namespace {

// One of the host's own instructions, on registers of floats, which LLVM does not know to depend on MXCSR.
bool is_host_operation(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return call && call->getCalledFunction()->getName().starts_with("llvm.x86.") &&
         llvm::any_of(call->args(), [](const llvm::Use& use) { return use->getType()->isFPOrFPVectorTy(); });
}

// Halves become singles the same way in any mode.
bool is_of_halves(const llvm::Instruction& i) {
  const auto* fp = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i);
  return fp && fp->getIntrinsicID() == llvm::Intrinsic::experimental_constrained_fpext &&
         fp->getArgOperand(0)->getType()->getScalarType()->isHalfTy();
}

// The value again, from where LLVM moves nothing across a write of MXCSR.
llvm::CallInst* pinned(llvm::IRBuilder<>& b, llvm::Value* v) {
  auto* nothing = llvm::InlineAsm::get(llvm::FunctionType::get(v->getType(), {v->getType()}, false), "", "=v,0", true);
  llvm::CallInst* call = b.CreateCall(nothing, {v});
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  for (const auto kind : {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::StrictFP})
    call->addFnAttr(kind);
  return call;
}

void pin(llvm::Instruction& i) {
  llvm::IRBuilder<> b(&i);
  for (llvm::Use& operand : i.operands())
    if (operand->getType()->isFPOrFPVectorTy())
      operand.set(pinned(b, operand));
  b.SetInsertPoint(i.getNextNode());
  llvm::CallInst* const result = pinned(b, &i);
  i.replaceUsesWithIf(result, [&](const llvm::Use& use) { return use.getUser() != result; });
}

} // namespace

bool depends_on_modes(const llvm::Function& f) {
  return llvm::any_of(llvm::instructions(f), [](const llvm::Instruction& i) {
    return (llvm::isa<llvm::ConstrainedFPIntrinsic>(i) && !is_of_halves(i)) || is_host_operation(i);
  });
}

void keep_in_modes(llvm::Module& module) {
  for (llvm::Function& f : module)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f)))
      if (is_host_operation(i))
        pin(i);
}

Value* Emitter::body(const std::string& name, std::span<Value* const> arguments, bool mode64) {
  if (dry_)
    return poison(bodies_.find(name)->getReturnType());
  if (request_.split_modes && bodies_.depends_on_modes(name))
    set_modes(mode64);
  return bodies_.apply(b_, module_, name, arguments);
}

void Emitter::set_modes(bool mode64) {
  if (dry_ || mode64 == in_mode64_)
    return;
  in_mode64_ = mode64;
  write_modes();
}

void Emitter::write_modes() {
  if (request_.split_modes)
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {},
                       {wave(in_mode64_ ? offsetof(machine::Wave, mxcsr64) : offsetof(machine::Wave, mxcsr32))});
}

} // namespace crosslane::jit
