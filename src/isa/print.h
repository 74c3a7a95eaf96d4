// Instruction -> the text that llvm-mc-19 --disassemble prints (single spaces; no leading blank).
#pragma once
#include "isa/instruction.h"
#include <string>

namespace crosslane::isa {

// Branch targets print as the raw immediate, as llvm-mc does; a caller that knows labels passes one.
std::string print(const Instruction&);

} // namespace crosslane::isa
