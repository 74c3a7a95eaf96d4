// The constants that a source field holds without a literal: which value has which code, for an operand of which type.
// Printer, encoder's callers and parser share it.
#pragma once
#include "isa/target.h"
#include "isa/types.h"
#include <optional>

namespace crosslane::isa {

struct Instruction;

// The code for `bits` as an operand of type `t`, if there is one. `bits` is the value in the operand's own width (the
// low 16, 32 or 64 bits are looked at), but integers of 16 bits come sign-extended to 32: LLVM takes -16 for a constant
// and 0xfff0 for a literal. One half of a packed pair stands for the pair. Integers of 16 bits have no float constants,
// those of 32 and 64 bits have. 1/(2*pi) exists since gfx8.
std::optional<uint16_t> inline_constant(uint64_t bits, Type t, Generation);

// The other way: the value of an inline code as an operand of 16, 32 or 64 bits holds it. 0 for other codes.
uint64_t inline_value(uint16_t code, int width);

// The constant that a source of this type is, inline or literal; none if it is something else. Integers of 16 bits have
// their sign in the upper half too. Of 64 bits, a literal is the upper half of a float, and extended otherwise, by its
// sign if it is signed (LLVM, AMDGPUOperandSyntax).
std::optional<uint64_t> constant_source(const Instruction&, uint16_t source, Type);

} // namespace crosslane::isa
