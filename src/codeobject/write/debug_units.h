// Owns debug information of moved code: a unit for each that has some, behind those that were there. Not for other
// layers.
#pragma once
#include "codeobject/write/elf_file.h"
#include "codeobject/write/moves.h"

namespace crosslane::codeobject {

// Does nothing where there is no debug information, or where it is damaged: code is what counts. `in_code`: whether all
// of a range is code of the input.
void write_debug_units(ElfFile& file, const Moves& moves, llvm::function_ref<bool(Range)> in_code);

} // namespace crosslane::codeobject
