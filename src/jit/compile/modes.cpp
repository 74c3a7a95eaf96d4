// MODE says for operations of 32 bits, and for those of 16 and 64 bits, how they round and what they do with denormals.
// The host has one MXCSR for both. Where they differ (compilers flush singles alone before gfx9), code of a unit writes
// it as operations come: it is that of 32 bits wherever a block begins or ends, a handler is called or the wave leaves.
#include "jit/compile/modes.h"
#include "jit/compile/emitter.h"
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace crosslane::jit {

namespace {

// A comparison by the host's own instruction, which LLVM does not know to depend on MXCSR.
bool is_host_comparison(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return call && (call->getIntrinsicID() == llvm::Intrinsic::x86_avx_cmp_ps_256 ||
                  call->getIntrinsicID() == llvm::Intrinsic::x86_avx_cmp_pd_256);
}

// Halves become singles the same way in any mode.
bool is_of_halves(const llvm::Instruction& i) {
  const auto* fp = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i);
  return fp && fp->getIntrinsicID() == llvm::Intrinsic::experimental_constrained_fpext &&
         fp->getArgOperand(0)->getType()->getScalarType()->isHalfTy();
}

// A comparison of the host's as one that LLVM moves across no write of MXCSR.
void keep_in_mode(llvm::CallInst& compare) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P predicates[16] = {
      // of the instruction's immediate; the others differ in exceptions, which are masked
      P::FCMP_OEQ, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_UNO,          P::FCMP_UNE, P::FCMP_UGE,
      P::FCMP_UGT, P::FCMP_ORD, P::FCMP_UEQ, P::FCMP_ULT,          P::FCMP_ULE, P::BAD_FCMP_PREDICATE,
      P::FCMP_ONE, P::FCMP_OGE, P::FCMP_OGT, P::BAD_FCMP_PREDICATE};
  const uint64_t immediate = llvm::cast<llvm::ConstantInt>(compare.getArgOperand(2))->getZExtValue();
  llvm::IRBuilder<> b(&compare);
  b.setIsFPConstrained(true);
  llvm::CallInst* const mask =
      b.CreateConstrainedFPCmp(llvm::Intrinsic::experimental_constrained_fcmp, predicates[immediate & 15],
                               compare.getArgOperand(0), compare.getArgOperand(1), "", llvm::fp::ebIgnore);
  mask->addFnAttr(llvm::Attribute::NoBuiltin); // never folded: what is equal may depend on what denormals are
  auto* const type = llvm::cast<llvm::VectorType>(compare.getType());
  compare.replaceAllUsesWith(b.CreateBitCast(b.CreateSExt(mask, llvm::VectorType::getInteger(type)), type));
  compare.eraseFromParent();
}

} // namespace

bool depends_on_modes(const llvm::Function& f) {
  return llvm::any_of(llvm::instructions(f), [](const llvm::Instruction& i) {
    return (llvm::isa<llvm::ConstrainedFPIntrinsic>(i) && !is_of_halves(i)) || is_host_comparison(i);
  });
}

void keep_in_modes(llvm::Module& module) {
  if (!module.getFunction(llvm::Intrinsic::getName(llvm::Intrinsic::x86_sse_ldmxcsr)))
    return;
  for (llvm::Function& f : module)
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f)))
      if (is_host_comparison(i))
        keep_in_mode(llvm::cast<llvm::CallInst>(i));
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
  b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {},
                     {wave(in_mode64_ ? offsetof(machine::Wave, mxcsr64) : offsetof(machine::Wave, mxcsr32))});
}

} // namespace crosslane::jit
