// Evaluates straight-line IR with LLVM's constant folder, instruction by instruction.
#include "tests/semantics/llvm_body.h"
#include "tests/semantics/oracle.h"
#include <gtest/gtest.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <optional>

namespace crosslane::test {
namespace {

using Known = llvm::DenseMap<const llvm::Value*, llvm::Constant*>;

// What ConstantFolding leaves alone and APFloat can do: conversions in a rounding mode.
llvm::Constant* convert(const llvm::ConstrainedFPIntrinsic& i, llvm::Constant* c) {
  const llvm::RoundingMode mode = *i.getRoundingMode();
  bool lost = false;
  switch (i.getIntrinsicID()) {
  case llvm::Intrinsic::experimental_constrained_fptrunc: {
    llvm::APFloat f = llvm::cast<llvm::ConstantFP>(c)->getValueAPF();
    f.convert(i.getType()->getFltSemantics(), mode, &lost);
    return llvm::ConstantFP::get(i.getContext(), f);
  }
  case llvm::Intrinsic::experimental_constrained_sitofp:
  case llvm::Intrinsic::experimental_constrained_uitofp: {
    llvm::APFloat f(i.getType()->getFltSemantics());
    f.convertFromAPInt(llvm::cast<llvm::ConstantInt>(c)->getValue(),
                       i.getIntrinsicID() == llvm::Intrinsic::experimental_constrained_sitofp, mode);
    return llvm::ConstantFP::get(i.getContext(), f);
  }
  default: return nullptr;
  }
}
llvm::Constant* fold(llvm::Instruction& i, const Known& known) {
  llvm::SmallVector<llvm::Constant*, 6> operands;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  for (llvm::Value* v : i.operands()) {
    if (llvm::isa<llvm::MetadataAsValue>(v))
      continue;
    auto* c = llvm::dyn_cast<llvm::Constant>(v);
    operands.push_back(c ? c : known.lookup(v));
    if (!operands.back())
      return nullptr;
  }
  const llvm::DataLayout& layout = i.getModule()->getDataLayout();
  if (const auto* compare = llvm::dyn_cast<llvm::CmpInst>(&i))
    return llvm::ConstantFoldCompareInstOperands(compare->getPredicate(), operands[0], operands[1], layout);
  if (!call)
    return llvm::ConstantFoldInstOperands(&i, operands, layout);
  if (const auto* constrained = llvm::dyn_cast<llvm::ConstrainedFPIntrinsic>(&i))
    if (llvm::Constant* c = convert(*constrained, operands[0]))
      return c;
  operands.pop_back(); // the callee
  return llvm::ConstantFoldCall(call, const_cast<llvm::Function*>(call->getCalledFunction()), operands);
}

struct Answer {
  Out out;
  bool anything; // the value is anybody's
};
// Nothing where LLVM does not fold, or the result is poison.
std::optional<Answer> run(Body& body, const In& in) {
  Known known;
  for (llvm::Argument& a : body.function->args())
    known[&a] = body.argument(a, in);
  for (llvm::Instruction& i : body.function->getEntryBlock())
    if (!i.isTerminator()) {
      llvm::Constant* c = fold(i, known);
      if (!c)
        return std::nullopt;
      known[&i] = c;
    }
  Answer answer{};
  uint64_t flag = 0, open = 0, skip = 0;
  if ((body.value && !bits_of(known[body.value], answer.out.value)) ||
      (body.flag && !bits_of(known[body.flag], flag)) || (body.open && !bits_of(known[body.open], open)) ||
      (body.skip && !bits_of(known[body.skip], skip)))
    return std::nullopt;
  answer.out.flag = flag != 0;
  answer.anything = skip || (open && (in.mode.flush32 || in.mode.flush64));
  return answer;
}

} // namespace

void expect_folds(std::span<const Fold> list, int random) {
  for (const Fold& fold : list) {
    const RowEntry& r = row(fold.row);
    if (fold.row != r.name || !r.implemented) {
      ADD_FAILURE() << fold.row << " has no semantics";
      continue;
    }
    bool first = true;
    for (const ModeBits& mode : modes_of(fold.modes)) {
      Body body(r, fold, mode);
      if (!body.error.empty()) {
        ADD_FAILURE() << body.error;
        break;
      }
      int failures = 0;
      for_inputs(r, mode, first, random, [&](const In& in) {
        const std::optional<Answer> want = run(body, in);
        if (!want) {
          ADD_FAILURE() << r.name << std::hex << "(" << in.a << ", " << in.b << ", " << in.c << "): LLVM has no answer";
          return false;
        }
        failures += !want->anything && !agrees(r, in, want->out);
        return failures < 3;
      });
      first = false;
    }
  }
}

} // namespace crosslane::test
