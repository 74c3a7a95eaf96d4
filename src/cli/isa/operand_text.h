// Owns what `crosslane isa --operands` prints: the registers that instructions touch, as isa/operands.h has them.
#pragma once
#include "isa/instruction.h"
#include <span>
#include <string>

namespace crosslane::cli {

// A table each, under its text.
std::string operands_text(std::span<const isa::Instruction>);
// An array of objects.
std::string operands_json(std::span<const isa::Instruction>);

} // namespace crosslane::cli
