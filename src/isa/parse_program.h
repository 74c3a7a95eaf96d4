// A whole assembly text -> its instructions, with labels, constants and comments. Directives that describe kernels and
// sections are for LLVM's assembler (toolchain/assemble.cpp); here they are errors.
#pragma once
#include "isa/parse.h"
#include <vector>

namespace crosslane::isa {

struct Statement {
  size_t line = 1;
  std::string_view text; // in the text given to parse_program
  std::string label;     // where a branch goes, as written; empty for others and for numbers
  Instruction instruction;
  int64_t address = 0; // bytes from the start of the program
};

struct ProgramLabel {
  std::string name;
  int64_t address = 0;
};

struct ProgramError {
  size_t line = 1, column = 1;
  std::string message;
};

struct [[nodiscard]] Program {
  std::vector<Statement> statements;
  std::vector<ProgramLabel> labels; // in the order of the text
  std::vector<ProgramError> errors; // in the order of the text; the rest is valid if there are none
};

// One instruction per line, `name:` for labels (`1:` and `1b`, `1f` too), `name = value` or `.set name, value` for
// constants, comments from ; or // to the end of the line, or between /* and */. The text must outlive the result.
Program parse_program(Target, std::string_view text);

} // namespace crosslane::isa
