// Owns Bodies: the library of what rows and staging operations compute (jit/bodies), as its functions are stitched into
// a unit. A body without branches is copied instruction by instruction; the others are called, and inlined later.
#pragma once
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <memory>
#include <span>
#include <string>

namespace crosslane::jit {

class Bodies {
public:
  // Null with an error text: the library cannot be read.
  static std::unique_ptr<Bodies> open(llvm::LLVMContext&, std::string_view level, std::string& error);
  bool has(llvm::StringRef name) const;
  const llvm::Function* find(llvm::StringRef name) const;
  // Copies the body in front of the builder's insertion point, or calls it. The result is the function's.
  llvm::Value* apply(llvm::IRBuilderBase&, llvm::Module& to, llvm::StringRef name,
                     std::span<llvm::Value* const> arguments);
  bool depends_on_modes(llvm::StringRef name);
  // Copies the bodies that are called into the module, to be inlined.
  void link(llvm::Module& to);
  llvm::Module& module() { return *module_; }

private:
  llvm::Function& materialized(llvm::StringRef name);

  std::unique_ptr<llvm::Module> module_;
  llvm::StringMap<bool> depends_; // what was asked so far
};

} // namespace crosslane::jit
