// Owns the IR function of one row and mode: made from a Fold's body, parsed, with constants for arguments.
#pragma once
#include "tests/semantics/llvm_fold.h"
#include <llvm/IR/Constants.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <memory>

namespace crosslane::test {

struct Body {
  Body(const RowEntry& row, const Fold& fold, const ModeBits& mode);

  const RowEntry& row;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function* function = nullptr;
  // What the body defines as %r, %f, %open, %skip; null if it does not.
  llvm::Value *value = nullptr, *flag = nullptr, *open = nullptr, *skip = nullptr;
  std::string error; // not empty: the body cannot be used

  llvm::Constant* argument(const llvm::Argument& a, const In& in);
};

// False unless the constant is a number.
bool bits_of(llvm::Constant* c, uint64_t& bits);
std::vector<ModeBits> modes_of(unsigned modes);
// Runs the row and compares it with LLVM's answer; says so and returns false if they differ.
bool agrees(const RowEntry& row, const In& in, Out want);

} // namespace crosslane::test
