// Owns what the tests of the library of bodies share: parsing it, and lowering instructions to uops.
#pragma once
#include "engine/decode/backend.h"
#include <deque>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace crosslane::test {

std::unique_ptr<llvm::Module> library(llvm::LLVMContext&, std::string_view level);

struct Lowered final : engine::UopSink {
  struct Step {
    engine::UopKind kind;
    engine::Uop op;
  };
  std::deque<Step> steps; // lowering holds references
  engine::Uop& append(engine::UopKind kind) override { return steps.emplace_back(Step{kind, {}}).op; }
  engine::Uop& last() override { return steps.back().op; }
};
// Empty: not executed.
std::deque<Lowered::Step> lowered(const isa::Instruction&, const engine::Backend&, engine::DecodeMode = {});

// Each form of an operation on the targets that differ, and those forms with one modifier more.
std::vector<isa::Instruction> variants(isa::Op);

} // namespace crosslane::test
