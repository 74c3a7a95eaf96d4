// The library of bodies: what is in it, with which signatures, and that LLVM folds none of its floating point.
#include "engine/types.h"
#include "jit/bodies/bodies.h"
#include "tests/jit/library.h"
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <set>

namespace crosslane::test {
namespace {

using isa::Encoding;
using isa::Implicit;
using isa::Type;

class Bodies : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    module_ = library(context_, GetParam());
    ASSERT_TRUE(module_);
  }
  llvm::Type* value(Type t, int lanes) {
    auto* bits = llvm::Type::getIntNTy(context_, isa::is_16bit(t) ? 16 : engine::is_64bit(t) ? 64 : 32);
    return lanes == 1 ? static_cast<llvm::Type*>(bits) : llvm::FixedVectorType::get(bits, unsigned(lanes));
  }
  llvm::Type* mask(int lanes) {
    auto* bit = llvm::Type::getInt1Ty(context_);
    return lanes == 1 ? static_cast<llvm::Type*>(bit) : llvm::FixedVectorType::get(bit, unsigned(lanes));
  }
  // What the row says, of one source list or another.
  llvm::FunctionType* signature(const isa::Row& row, const std::vector<Type>& sources, int lanes, bool scalar) {
    std::vector<llvm::Type*> in;
    for (const Type t : sources)
      in.push_back(value(t, lanes));
    if (isa::has(row.implicit, Implicit::dst_r))
      in.push_back(value(row.dst, lanes));
    if (isa::has(row.implicit, scalar ? Implicit::scc_r : Implicit::vcc_r))
      in.push_back(mask(lanes));
    if (!scalar)
      in.push_back(llvm::Type::getInt32Ty(context_));
    const bool compare = row.dst == (scalar ? Type::None : Type::Mask);
    const bool flag = scalar ? isa::has(row.implicit, Implicit::scc_w)
                             : row.sdst == Type::Mask || isa::has(row.implicit, Implicit::vcc_w);
    llvm::Type* out = compare ? mask(lanes) : value(row.dst, lanes);
    if (!compare && flag)
      out = llvm::StructType::get(context_, {out, mask(lanes)});
    return llvm::FunctionType::get(out, in, false);
  }
  void expect(const std::string& name, bool present, llvm::FunctionType* type) {
    const llvm::Function* f = module_->getFunction(name);
    EXPECT_EQ(f != nullptr, present) << name;
    if (!f)
      return;
    EXPECT_EQ(f->getFunctionType(), type) << name;
    expected_.insert(name);
  }
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::set<std::string> expected_;
};

TEST_P(Bodies, OneForEachRowThatHasAHandler) {
  for (size_t o = 0; o < isa::rows().size(); ++o) {
    const isa::Row& row = isa::rows()[o];
    const bool scalar = row.encoding <= Encoding::SOPC;
    if (!scalar && (row.encoding < Encoding::VOP1 || row.encoding > Encoding::VOP3P))
      continue;
    bool handler = false, clamped = false;
    for (const isa::Instruction& inst : variants(isa::Op(o)))
      for (const auto& [kind, op] : lowered(inst, engine::backend())) {
        handler |= kind == (scalar ? engine::UopKind::scalar : engine::UopKind::vector);
        clamped |= kind == engine::UopKind::saturated;
      }
    std::vector<Type> sources;
    for (const Type t : row.src)
      if (t != Type::None)
        sources.push_back(t);
    const std::string name(row.mnemonic);
    if (name.starts_with("v_madmk") || name.starts_with("v_madak"))
      sources.assign(3, row.dst);
    if (row.encoding == Encoding::SOPK && !sources.empty()) // the immediate meets the destination or the source
      sources.back() = row.dst == Type::None ? sources[0] : row.dst;
    if (scalar) {
      expect("salu." + name, handler, handler ? signature(row, sources, 1, true) : nullptr);
      continue;
    }
    for (const int lanes : {16, 1}) {
      const std::string full = (lanes == 16 ? "v16." : "s1.") + name;
      expect(full, handler, handler ? signature(row, sources, lanes, false) : nullptr);
      expect(full + ".clamped", clamped, clamped ? signature(row, sources, lanes, false) : nullptr);
    }
  }
  for (const char* name : {"swap", "cmpswap", "add", "sub", "rsub", "smin", "umin", "smax", "umax", "and", "or", "xor",
                           "inc", "dec", "fadd", "fmin", "fmax", "fcmpswap", "mskor"})
    for (const unsigned bits : {32u, 64u}) {
      llvm::Type* item = llvm::Type::getIntNTy(context_, bits);
      expect(std::string("atomic.") + name + (bits == 64 ? ".64" : ""), true,
             llvm::FunctionType::get(item, {item, item, item}, false));
    }
  for (const llvm::Function& f : *module_) // both ways
    if (!f.isDeclaration() && !f.getName().contains(".stage."))
      EXPECT_TRUE(expected_.contains(f.getName().str())) << f.getName().str();
}

TEST_P(Bodies, NoFloatingPointThatLlvmMayFold) {
  for (const llvm::Function& f : *module_)
    for (const llvm::Instruction& i : llvm::instructions(f)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      const std::string callee = call ? call->getCalledFunction()->getName().str() : "";
      const auto* fp = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i);
      if (fp) {
        EXPECT_TRUE(fp->isNoBuiltin()) << f.getName().str() << ": " << callee; // or what is exact is folded
        if (const auto round = fp->getRoundingMode())
          EXPECT_EQ(*round, llvm::RoundingMode::Dynamic) << f.getName().str() << ": " << callee;
        continue;
      }
      // What is left works on the bits, or lets the host do it.
      const bool floats = i.getType()->isFPOrFPVectorTy() ||
                          llvm::any_of(i.operands(), [](auto& v) { return v->getType()->isFPOrFPVectorTy(); });
      const bool bits = llvm::isa<llvm::BitCastInst, llvm::SelectInst, llvm::PHINode, llvm::ShuffleVectorInst,
                                  llvm::ExtractElementInst, llvm::InsertElementInst>(i) ||
                        i.getOpcode() == llvm::Instruction::FNeg || callee.starts_with("llvm.fabs.") ||
                        callee.starts_with("llvm.copysign.") || callee.starts_with("llvm.is.fpclass.") ||
                        callee.starts_with("llvm.x86.");
      EXPECT_TRUE(!floats || bits) << f.getName().str() << ": " << i.getOpcodeName() << ' ' << callee;
    }
}

// LLVM 19 did not come to an end over selections by comparisons of more than a register of the host's.
TEST_P(Bodies, ComparisonsFitIntoARegister) {
  const uint64_t bits = std::string_view(GetParam()) == "v4" ? 512 : 256;
  for (const llvm::Function& f : *module_)
    for (const llvm::Instruction& i : llvm::instructions(f))
      if (const auto* compare = llvm::dyn_cast<llvm::ConstrainedFPCmpIntrinsic>(&i))
        EXPECT_LE(compare->getArgOperand(0)->getType()->getPrimitiveSizeInBits().getFixedValue(), bits)
            << f.getName().str();
}

INSTANTIATE_TEST_SUITE_P(Jit, Bodies, testing::Values("v3", "v4"));

TEST(BodiesBytes, NoneOfOtherLevels) { EXPECT_TRUE(jit::bodies("v1").empty()); }

} // namespace
} // namespace crosslane::test
