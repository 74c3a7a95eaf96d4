// Owns the line table of moved code: the header of the table that had it, and a program of its own. Source: DWARF
// version 5, section 6.2. Not for other layers.
#pragma once
#include "codeobject/read/line_tables.h"
#include "codeobject/write/elf_file.h"
#include "codeobject/write/moves.h"

namespace crosslane::codeobject {

// A whole unit of .debug_line; empty: nothing of the table moved. `header`: the bytes of the table up to its program.
Bytes moved_lines(const llvm::DWARFDebugLine::LineTable& table, llvm::StringRef header, const Moves& moves,
                  llvm::function_ref<bool(Range)> in_code);

} // namespace crosslane::codeobject
