// Folds intrinsics of amdgcn with InstCombine, which asks the AMDGPU target: one function holds a copy of the body for
// every input, with stores that keep the results in order.
#include "tests/semantics/llvm_body.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace crosslane::test {
namespace {

llvm::TargetMachine& amdgcn() {
  static const std::unique_ptr<llvm::TargetMachine> machine = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    std::string error;
    const char* triple = "amdgcn-amd-amdhsa";
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(triple, "gfx900", "", llvm::TargetOptions{}, std::nullopt));
  }();
  return *machine;
}

void combine(llvm::Function& f) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&amdgcn());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::InstCombinePass().run(f, functions);
}

// The body once per input, then a volatile store of each of %r, %f, %skip that it has.
llvm::Function* unrolled(Body& body, const std::vector<In>& inputs, const std::vector<llvm::Value*>& results) {
  auto* pointer = llvm::PointerType::get(body.context, 1);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(body.context), {pointer}, false);
  auto* f = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "all", *body.module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(body.context, "", f));
  for (const In& in : inputs) {
    llvm::ValueToValueMapTy map;
    for (llvm::Argument& a : body.function->args())
      map[&a] = body.argument(a, in);
    for (llvm::Instruction& i : body.function->getEntryBlock())
      if (!i.isTerminator()) {
        llvm::Instruction* copy = i.clone();
        llvm::RemapInstruction(copy, map, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
        builder.Insert(copy);
        map[&i] = copy;
      }
    for (llvm::Value* v : results)
      builder.CreateStore(map[v], f->getArg(0), /*isVolatile=*/true);
  }
  builder.CreateRetVoid();
  return f;
}

void check_row(const RowEntry& r, const Fold& fold, const ModeBits& mode, bool first, int random) {
  Body body(r, fold, mode);
  if (!body.error.empty()) {
    ADD_FAILURE() << body.error;
    return;
  }
  body.module->setDataLayout(amdgcn().createDataLayout());
  body.module->setTargetTriple("amdgcn-amd-amdhsa");
  std::vector<In> inputs;
  for_inputs(r, mode, first, random, [&](const In& in) {
    inputs.push_back(in);
    return true;
  });
  std::vector<llvm::Value*> results;
  for (llvm::Value* v : {body.value, body.flag, body.skip})
    if (v)
      results.push_back(v);
  llvm::Function* f = unrolled(body, inputs, results);
  combine(*f);
  std::vector<llvm::Constant*> stored;
  for (llvm::Instruction& i : f->getEntryBlock())
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
      stored.push_back(llvm::dyn_cast<llvm::Constant>(store->getValueOperand()));
  ASSERT_EQ(stored.size(), inputs.size() * results.size()) << r.name;

  int answers = 0, failures = 0;
  for (size_t i = 0; i < inputs.size() && failures < 3; ++i) {
    Out want;
    uint64_t flag = 0, skip = 0;
    bool known = true;
    for (size_t k = 0; k < results.size(); ++k) {
      uint64_t& to = results[k] == body.value ? want.value : results[k] == body.flag ? flag : skip;
      known &= bits_of(stored[i * results.size() + k], to);
    }
    if (!known) {
      if (!(fold.modes & partial)) {
        ADD_FAILURE() << explain(r, inputs[i], {}, {}) << ": InstCombine has no answer";
        return;
      }
      continue;
    }
    want.flag = flag != 0;
    ++answers;
    failures += !skip && !agrees(r, inputs[i], want);
  }
  EXPECT_GE(answers, 20) << r.name << ": InstCombine answers too seldom";
}

} // namespace

void expect_combines(std::span<const Fold> list, int random) {
  for (const Fold& fold : list) {
    const RowEntry& r = row(fold.row);
    EXPECT_EQ(fold.row, r.name);
    bool first = true;
    for (const ModeBits& mode : modes_of(fold.modes)) {
      check_row(r, fold, mode, first, random);
      first = false;
    }
  }
}

} // namespace crosslane::test
