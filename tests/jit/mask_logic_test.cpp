// Logic of masks that were numbers: LLVM 19 would never end with it. The code generator runs, for a CPU with AVX-512
// whatever the host is.
#include "jit/compile/mask_logic.h"
#include "jit/compile/rescue.h"
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

namespace crosslane::test {
namespace {

class MaskLogic : public testing::Test {
protected:
  static constexpr unsigned lanes = 16;
  // void f(i16 a, i16 b, <16 x i1> m, ptr p)
  MaskLogic() {
    mask = llvm::FixedVectorType::get(b.getInt1Ty(), lanes);
    row = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
    llvm::Type* const number = b.getIntNTy(lanes);
    auto* const type =
        llvm::FunctionType::get(llvm::Type::getVoidTy(c), {number, number, mask, llvm::PointerType::get(c, 0)}, false);
    f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(c, "", f));
    first = b.CreateBitCast(f->getArg(0), mask), second = b.CreateBitCast(f->getArg(1), mask);
  }
  void use(llvm::Value* m) {
    auto* const zero = llvm::Constant::getNullValue(row);
    b.CreateStore(b.CreateSelect(m, llvm::Constant::getAllOnesValue(row), zero), f->getArg(3), true);
  }
  // Masks are used behind a branch, as a guard's are.
  void use_later(llvm::Value* number, std::initializer_list<llvm::Value*> masks) {
    auto *const later = llvm::BasicBlock::Create(c, "", f), *const end = llvm::BasicBlock::Create(c, "", f);
    b.CreateCondBr(b.CreateIsNull(number), later, end);
    b.SetInsertPoint(later);
    for (llvm::Value* m : masks)
      use(m);
    b.CreateBr(end);
    b.SetInsertPoint(end);
  }
  // Ends the function; bytes of the object file.
  size_t compiled(bool hide = true) {
    b.CreateRetVoid();
    if (hide)
      jit::hide_masks_of_numbers(*f);
    EXPECT_FALSE(llvm::verifyFunction(*f, &llvm::errs()));
    LLVMInitializeX86TargetInfo(), LLVMInitializeX86Target(), LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    std::string error;
    const char* const triple = "x86_64-pc-linux-gnu";
    const llvm::Target* const target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      return 0;
    const std::unique_ptr<llvm::TargetMachine> machine(
        target->createTargetMachine(triple, "x86-64-v4", "", {}, llvm::Reloc::PIC_));
    module.setTargetTriple(triple), module.setDataLayout(machine->createDataLayout());
    llvm::SmallVector<char, 0> bytes;
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    EXPECT_FALSE(machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile));
    passes.run(module);
    return bytes.size();
  }

  llvm::LLVMContext c;
  llvm::Module module{"m", c};
  llvm::IRBuilder<> b{c};
  llvm::VectorType *mask, *row;
  llvm::Function* f;
  llvm::Value *first, *second;
};

TEST_F(MaskLogic, OfMasksOfNumbersEnds) {
  llvm::Value* const asked = b.CreateAnd(f->getArg(2), b.CreateOr(first, second));
  use_later(b.CreateBitCast(asked, b.getIntNTy(lanes)), {first, second});
  EXPECT_GT(compiled(), 0u);
}
TEST_F(MaskLogic, OfNumbersThatBecomeMasksEnds) {
  llvm::Value* const either = b.CreateBitCast(b.CreateOr(f->getArg(0), f->getArg(1)), mask);
  use_later(f->getArg(0), {either, first, second});
  EXPECT_GT(compiled(), 0u);
}
// Who finds that it ends may delete all of this.
TEST_F(MaskLogic, WithoutThisLlvmMustBeGivenUp) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's allocator is of this executable";
#endif
  llvm::Value* const asked = b.CreateAnd(f->getArg(2), b.CreateOr(first, second));
  use_later(b.CreateBitCast(asked, b.getIntNTy(lanes)), {first, second});
  EXPECT_NE(jit::rescued([&] { compiled(false); }, 1), "");
}
// Nothing is hidden where no logic is.
TEST_F(MaskLogic, MasksAloneStay) {
  use(first), use(f->getArg(2));
  b.CreateRetVoid();
  const size_t before = f->getInstructionCount();
  jit::hide_masks_of_numbers(*f);
  EXPECT_EQ(f->getInstructionCount(), before);
}

} // namespace
} // namespace crosslane::test
