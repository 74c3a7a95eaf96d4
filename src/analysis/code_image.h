// Owns handing a code object to the analyses: its bytes as they are when loaded, what of them is code, what nothing
// writes, and where functions begin. All else here knows no files (analysis/input.h).
#pragma once
#include "analysis/input.h"
#include "codeobject/code_object.h"
#include <cstdlib>
#include <memory>
#include <vector>

namespace crosslane::analysis {

struct CodeImage {
  std::unique_ptr<uint8_t, void (*)(void*)> memory{nullptr, std::free}; // null: the caller's
  std::vector<Region> regions;
  std::vector<Entry> entries;
  Code code;
  uint64_t bias = 0; // what loading added to the addresses of the code object
};

// Of a code object that lies at `memory`, which holds its image_begin().
std::unique_ptr<CodeImage> describe_image(const codeobject::CodeObject&, isa::Target, const uint8_t* memory);
// Loads it first; symbols that it does not define are at 0.
llvm::Expected<std::unique_ptr<CodeImage>> load_image(const codeobject::CodeObject&);

} // namespace crosslane::analysis
