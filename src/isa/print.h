// Instruction -> the text that llvm-mc-19 --disassemble prints (single spaces; no leading blank).
#pragma once
#include "isa/operands.h"
#include <string>

namespace crosslane::isa {

// Branch targets print as the raw immediate, as llvm-mc does; a caller that knows labels passes one.
std::string print(const Instruction&);

// The registers of an operand: "v[4:7]", "vcc", "flat_scratch", and as the manuals name special ones: "SCC", "MODE".
std::string print_registers(const Operand&, Target);

} // namespace crosslane::isa
