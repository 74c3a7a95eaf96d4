// Owns a code object as readable text: kernels with their descriptors, functions with branch labels and source lines.
#pragma once
#include "codeobject/code_object.h"
#include "isa/target.h"
#include <llvm/Support/Error.h>
#include <string>
#include <string_view>

namespace crosslane::cli {

struct ListingOptions {
  bool addresses = true;   // address and bytes behind each instruction
  bool source = true;      // "; file:line" where the line changes
  bool texts = false;      // ... with the line's text
  bool descriptors = true; // what each kernel asks for
  bool uops = false;       // what the interpreter makes of each instruction, below it
  std::string only;        // this function or kernel; empty: all
};

llvm::Expected<std::string> listing(const codeobject::CodeObject&, const ListingOptions&);

} // namespace crosslane::cli
