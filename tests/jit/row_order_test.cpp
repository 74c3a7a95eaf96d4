// The order of a block's instructions where the host has few registers: what a row computes lies together if that moves
// less, and what stores stays where it is.
#include "jit/compile/row_order.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <map>

namespace crosslane::test {
namespace {

using llvm::Value;

constexpr int rows = 4;

class RowOrder : public testing::Test {
protected:
  RowOrder() {
    llvm::Type* row = llvm::FixedVectorType::get(llvm::Type::getInt32Ty(c), 16);
    function =
        llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(c), {llvm::PointerType::get(c, 0)}, false),
                               llvm::Function::ExternalLinkage, "f", module);
    b.SetInsertPoint(llvm::BasicBlock::Create(c, "", function));
    type = row;
  }
  Value* load(int at) { return b.CreateLoad(type, b.CreateConstGEP1_32(type, function->getArg(0), unsigned(at))); }
  void store(Value* v, int at) { b.CreateStore(v, b.CreateConstGEP1_32(type, function->getArg(0), unsigned(at))); }
  Value* add(Value* x, Value* y, int row) {
    Value* sum = b.CreateAdd(x, y);
    auto* i = llvm::cast<llvm::Instruction>(sum);
    jit::mark_row(*i, unsigned(row));
    row_of[i] = row;
    return sum;
  }
  // Registers of four rows that are added to each other, as the code of a wave does: all rows of each sum.
  void sums(std::vector<std::vector<Value*>>& registers, int count) {
    const int n = int(registers.size());
    for (int i = 0; i < count; ++i)
      for (int r = 0; r < rows; ++r) {
        Value*& to = registers[size_t(i % n)][size_t(r)];
        to = add(to, registers[size_t((i + 1) % n)][size_t(r)], r);
      }
  }
  // The rows of what is marked, one after the other, each said once where it begins.
  std::vector<int> order() {
    b.CreateRetVoid();
    jit::order_by_rows(*function);
    EXPECT_FALSE(llvm::verifyFunction(*function, &llvm::errs()));
    std::vector<int> out;
    for (const llvm::Instruction& i : function->getEntryBlock()) {
      EXPECT_FALSE(i.getMetadata("row"));
      if (const auto found = row_of.find(&i); found != row_of.end() && (out.empty() || out.back() != found->second))
        out.push_back(found->second);
    }
    return out;
  }

  llvm::LLVMContext c;
  llvm::Module module{"rows", c};
  llvm::IRBuilder<> b{c};
  llvm::Function* function;
  llvm::Type* type;
  std::map<const llvm::Instruction*, int> row_of;
};

TEST_F(RowOrder, GoesRowByRowWhereRegistersAreShort) {
  std::vector<std::vector<Value*>> registers(4, std::vector<Value*>(rows));
  for (int v = 0; v < 4; ++v)
    for (int r = 0; r < rows; ++r)
      registers[size_t(v)][size_t(r)] = load(v * rows + r);
  sums(registers, 40);
  for (int v = 0; v < 4; ++v)
    for (int r = 0; r < rows; ++r)
      store(registers[size_t(v)][size_t(r)], v * rows + r);
  EXPECT_EQ(order(), (std::vector<int>{0, 1, 2, 3}));
}

TEST_F(RowOrder, StaysWhereAllFits) {
  std::vector<std::vector<Value*>> registers(1, std::vector<Value*>(rows));
  for (int r = 0; r < rows; ++r)
    registers[0][size_t(r)] = load(r);
  sums(registers, 3);
  for (int r = 0; r < rows; ++r)
    store(registers[0][size_t(r)], r);
  EXPECT_EQ(order(), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
}

// Twelve operands that all rows share: row by row each would be fetched four times.
TEST_F(RowOrder, StaysWhereRowsShareWhatTheyNeed) {
  std::vector<Value*> sum(rows), shared;
  for (int r = 0; r < rows; ++r)
    sum[size_t(r)] = load(r);
  for (int i = 0; i < 12; ++i)
    shared.push_back(load(rows + i));
  for (Value* operand : shared)
    for (int r = 0; r < rows; ++r)
      sum[size_t(r)] = add(sum[size_t(r)], operand, r);
  for (int r = 0; r < rows; ++r)
    store(sum[size_t(r)], r);
  EXPECT_EQ(order().size(), size_t(12 * rows));
}

// What is loaded behind a store is what that stored.
TEST_F(RowOrder, NothingPassesAStore) {
  std::vector<std::vector<Value*>> registers(4, std::vector<Value*>(rows));
  for (const int part : {0, 1}) {
    for (int v = 0; v < 4; ++v)
      for (int r = 0; r < rows; ++r)
        registers[size_t(v)][size_t(r)] = load(v * rows + r);
    sums(registers, 40);
    if (part == 0)
      store(registers[0][0], 5);
  }
  for (int r = 0; r < rows; ++r)
    store(registers[0][size_t(r)], r);
  EXPECT_EQ(order(), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3}));
  bool stored = false;
  int before = 0, behind = 0;
  for (const llvm::Instruction& i : function->getEntryBlock()) {
    stored = stored || llvm::isa<llvm::StoreInst>(i);
    if (llvm::isa<llvm::LoadInst>(i))
      ++(stored ? behind : before);
  }
  EXPECT_EQ(before, 16);
  EXPECT_EQ(behind, 16);
}

} // namespace
} // namespace crosslane::test
