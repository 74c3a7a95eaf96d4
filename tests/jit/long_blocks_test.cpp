// Blocks that LLVM takes too long for are divided, where few values are alive.
#include "jit/compile/long_blocks.h"
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

namespace crosslane::test {
namespace {

using llvm::Value;

class LongBlocks : public testing::Test {
protected:
  LongBlocks() {
    type = llvm::FixedVectorType::get(llvm::Type::getInt32Ty(c), 16);
    function =
        llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(c), {llvm::PointerType::get(c, 0)}, false),
                               llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(c, "", function));
  }
  Value* load() { return b.CreateLoad(type, function->getArg(0)); }
  void store(Value* v) { b.CreateStore(v, function->getArg(0)); }
  // A loop's worth of work of which nothing is alive after it: 100 instructions.
  void work() {
    Value* v = load();
    for (int i = 0; i < 98; ++i)
      v = b.CreateXor(v, llvm::ConstantVector::getSplat(type->getElementCount(), b.getInt32(unsigned(i) + 1)));
    store(v);
  }
  std::vector<size_t> divided() {
    b.CreateRetVoid();
    jit::divide_long_blocks(*function);
    EXPECT_FALSE(llvm::verifyFunction(*function, &llvm::errs()));
    std::vector<size_t> sizes;
    for (const llvm::BasicBlock& block : *function)
      sizes.push_back(block.size());
    return sizes;
  }

  llvm::LLVMContext c;
  llvm::Module module{"m", c};
  llvm::IRBuilder<> b{c};
  llvm::VectorType* type;
  llvm::Function* function;
};

TEST_F(LongBlocks, AreDividedWhereNothingIsAlive) {
  for (int i = 0; i < 60; ++i)
    work();
  const std::vector<size_t> sizes = divided();
  ASSERT_GE(sizes.size(), 5u);
  size_t all = 0;
  for (const llvm::BasicBlock& block : *function) {
    EXPECT_LE(block.size(), 1801u); // the last piece may be longer than the others
    EXPECT_TRUE(&block == &function->getEntryBlock() || block.hasAddressTaken()); // so that no pass joins them
    all += block.size() - 1;                                                      // each has an end
    if (&block != &function->back()) {
      EXPECT_TRUE(llvm::isa<llvm::StoreInst>(block.getTerminator()->getPrevNode()));
    }
  }
  EXPECT_EQ(all, 6000u);
}

TEST_F(LongBlocks, NoMaskIsAliveWhereTheyEndIfItNeedNot) {
  for (int i = 0; i < 8; ++i) { // a mask alive for 500 instructions, and 12 vectors for the next 100
    Value* mask = b.CreateICmpSLT(load(), load());
    for (int j = 0; j < 5; ++j)
      work();
    store(b.CreateSelect(mask, load(), load()));
    std::vector<Value*> vectors;
    for (int j = 0; j < 12; ++j)
      vectors.push_back(load());
    work();
    for (Value* v : vectors)
      store(v);
  }
  ASSERT_GT(divided().size(), 2u);
  for (const llvm::BasicBlock& block : *function)
    for (const llvm::Instruction& i : block)
      EXPECT_FALSE(i.getType() == llvm::VectorType::get(b.getInt1Ty(), type) && i.isUsedOutsideOfBlock(&block));
}

TEST_F(LongBlocks, OthersStayAsTheyAre) {
  for (int i = 0; i < 34; ++i)
    work();
  EXPECT_EQ(divided(), std::vector<size_t>{3401});
}

TEST_F(LongBlocks, WhatComesFirstStaysFirst) {
  // Phi nodes alone: nowhere to divide.
  llvm::BasicBlock* entry = b.GetInsertBlock();
  Value* v = load();
  llvm::BasicBlock* next = llvm::BasicBlock::Create(c, "", function);
  b.CreateBr(next);
  b.SetInsertPoint(next);
  for (int i = 0; i < 4000; ++i)
    b.CreatePHI(type, 1)->addIncoming(v, entry);
  EXPECT_EQ(divided(), (std::vector<size_t>{2, 4001}));
}

} // namespace
} // namespace crosslane::test
