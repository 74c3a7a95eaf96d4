// Owns finding the place in the code object of an address in loaded code: function, disassembly, source line.
#pragma once
#include "codeobject/code_object.h"
#include "isa/target.h"
#include "views/branches.h"
#include <optional>
#include <span>

namespace crosslane::views {

// Where a code object was loaded.
struct Image {
  const codeobject::CodeObject* object = nullptr;
  uint64_t base = 0; // address of object->image_begin() in memory
  isa::Target target{};
  uint64_t to_object(uint64_t address) const { return address - base + object->image_begin(); }
};

// "file:line:column" of a loaded address; empty if unknown.
std::string source_of(const Image&, uint64_t address);
// "vadd+0x30", without mangling; empty outside of every symbol.
std::string symbol_of(const Image&, uint64_t address);
void locate(std::span<BranchSite>, const Image&);

// Where the direct branch at `address` goes; nothing for what is none. Both are addresses of the code object.
std::optional<uint64_t> branch_target(const isa::Instruction&, uint64_t address);
// Disassembly with the target of a branch by name: the label "L1c" (its address) within `function`, else symbol and
// offset.
std::string text_of(const isa::Instruction&, uint64_t address, const codeobject::Function& function,
                    const codeobject::CodeObject&);

} // namespace crosslane::views
