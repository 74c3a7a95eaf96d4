// The guess at what LLVM's code generator takes.
#include "jit/compile/generator_cost.h"
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>

namespace crosslane::test {
namespace {

// Of two arguments of a type, their product and a return.
double registers(unsigned bits, unsigned elements, std::string_view level) {
  llvm::LLVMContext c;
  llvm::Module module("m", c);
  llvm::Type* type = llvm::IntegerType::get(c, bits);
  if (elements)
    type = llvm::FixedVectorType::get(type, elements);
  auto* const f = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                         llvm::Function::ExternalLinkage, "f", module);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "", f));
  b.CreateRet(b.CreateMul(f->getArg(0), f->getArg(1)));
  return jit::GeneratorCost::registers(module, level);
}

TEST(GeneratorCost, GoesByRegistersOfTheHost) {
  EXPECT_EQ(registers(32, 0, "v3"), 2);
  EXPECT_EQ(registers(64, 0, "v3"), 2);
  EXPECT_EQ(registers(1, 64, "v3"), 2);
  EXPECT_EQ(registers(32, 16, "v3"), 2 + 2);
  EXPECT_EQ(registers(32, 16, "v4"), 1 + 1);
  EXPECT_EQ(registers(32, 64, "v4"), 4 + 4);
  EXPECT_EQ(registers(32, 20, "v3"), 3 + 3);     // begun counts
  EXPECT_EQ(registers(64, 16, "v3"), 3 * 4 + 4); // AVX2 has no product of 64 bits; what is returned is there
  EXPECT_EQ(registers(64, 16, "v4"), 2 + 2);
}

TEST(GeneratorCost, LearnsWhatOneTakes) {
  jit::GeneratorCost cost;
  const double before = cost.seconds(1000);
  EXPECT_GT(before, 0.01);
  EXPECT_LT(before, 0.1);
  EXPECT_DOUBLE_EQ(cost.seconds(2000), 2 * before);
  cost.took(1e7, 100); // 10 microseconds each, of so many that nothing else counts
  EXPECT_NEAR(cost.seconds(1000), 0.01, 1e-4);
  cost.took(1e8, 2000); // and 20
  EXPECT_NEAR(cost.seconds(1000), 0.019, 5e-4);
}

} // namespace
} // namespace crosslane::test
