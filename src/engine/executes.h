// Owns the question whether an instruction executes or is a named fault, answered by the lowering that Program uses;
// and the list of reasons for those that do not.
#pragma once
#include "isa/instruction.h"
#include <span>
#include <string_view>

namespace crosslane::engine {

// Whether this instruction is executed. A few fail on values that only a run knows, such as a buffer's format: not
// those.
bool executes(const isa::Instruction&);

// A line of engine/decode/not_executed.inc: * in `operations` and `form` stands for any characters.
struct NotExecuted {
  std::string_view operations; // mnemonics of rows
  isa::Generation first, last;
  std::string_view form; // as isa::form_name() has it
  std::string_view reason;
  bool names(const isa::Instruction&) const;
};
std::span<const NotExecuted> not_executed();
// The reason of the first line that names the instruction; empty if none does.
std::string_view why_not_executed(const isa::Instruction&);

} // namespace crosslane::engine
