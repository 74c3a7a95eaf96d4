// Loads of several registers: what they become, by LLVM's own evaluation of what each element is.
#include "jit/compile/wide_loads.h"
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace crosslane::test {
namespace {

class WideLoads : public testing::Test {
protected:
  // <count x iN> f(ptr): what lies there.
  void divide(unsigned bits, unsigned count, unsigned align, bool is_volatile = false) {
    auto* const type = llvm::FixedVectorType::get(b.getIntNTy(bits), count);
    f = llvm::Function::Create(llvm::FunctionType::get(type, {b.getPtrTy()}, false), llvm::Function::ExternalLinkage,
                               "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(c, "", f));
    b.CreateRet(b.CreateAlignedLoad(type, f->getArg(0), llvm::Align(align), is_volatile));
    jit::divide_wide_loads(*f);
    EXPECT_FALSE(llvm::verifyFunction(*f, &llvm::errs()));
    for (llvm::Instruction& i : llvm::instructions(*f))
      if (auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i))
        loads.push_back(load);
  }
  // The byte that an element is read from.
  int64_t byte_of(llvm::Value* v, int64_t element, unsigned bits) {
    if (auto* const shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(v)) {
      const int64_t first = llvm::cast<llvm::FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
      const int64_t from = shuffle->getMaskValue(unsigned(element));
      return from < 0 ? -1 : byte_of(shuffle->getOperand(from >= first), from >= first ? from - first : from, bits);
    }
    llvm::APInt offset(64, 0);
    const llvm::Value* const base =
        llvm::cast<llvm::LoadInst>(v)->getPointerOperand()->stripAndAccumulateConstantOffsets(module.getDataLayout(),
                                                                                              offset, true);
    EXPECT_EQ(base, f->getArg(0));
    return offset.getSExtValue() + element * bits / 8;
  }
  void expect_all(unsigned bits, unsigned count) {
    llvm::Value* const result = llvm::cast<llvm::ReturnInst>(f->back().getTerminator())->getReturnValue();
    for (unsigned n = 0; n < count; ++n)
      EXPECT_EQ(byte_of(result, n, bits), n * bits / 8) << n;
    for (size_t n = 0; n < loads.size(); ++n)
      EXPECT_EQ(byte_of(loads[n], 0, bits), int64_t(64 * n)) << "not upwards";
  }

  llvm::LLVMContext c;
  llvm::Module module{"m", c};
  llvm::IRBuilder<> b{c};
  llvm::Function* f = nullptr;
  std::vector<llvm::LoadInst*> loads;
};

TEST_F(WideLoads, OfFourDwords) {
  divide(32, 64, 1);
  EXPECT_EQ(loads.size(), 4u);
  expect_all(32, 64);
}
TEST_F(WideLoads, OfThreeDwords) {
  divide(32, 48, 4);
  EXPECT_EQ(loads.size(), 3u);
  expect_all(32, 48);
  for (const llvm::LoadInst* load : loads)
    EXPECT_EQ(load->getAlign().value(), 4u);
}
TEST_F(WideLoads, OfTwoDwords) {
  divide(32, 32, 256);
  ASSERT_EQ(loads.size(), 2u);
  expect_all(32, 32);
  EXPECT_EQ(loads[0]->getAlign().value(), 256u);
  EXPECT_EQ(loads[1]->getAlign().value(), 64u);
}
TEST_F(WideLoads, OfOtherElements) {
  divide(8, 128, 1);
  EXPECT_EQ(loads.size(), 2u);
  expect_all(8, 128);
}
TEST_F(WideLoads, WhatFitsOrIsVolatileStays) {
  divide(32, 16, 64);
  EXPECT_EQ(loads.size(), 1u);
  divide(32, 64, 4, true);
  EXPECT_EQ(loads.size(), 2u);
}

} // namespace
} // namespace crosslane::test
