// Owns what `crosslane isa` prints of instructions: a table, one in detail, JSON.
#pragma once
#include "cli/isa/instructions.h"

namespace crosslane::cli {

// One line each. Lines are cut after `width` columns; 0: never.
std::string instruction_table(std::span<const InstructionFacts>, size_t width);
// Everything about one. The forms are those of the last target that the engine runs.
std::string instruction_detail(const InstructionFacts&);
// An array of objects.
std::string instruction_json(std::span<const InstructionFacts>);

// Columns padded to the same width, two blanks between them.
std::string aligned(const std::vector<std::vector<std::string>>& rows, size_t width = 0, size_t indent = 0);

} // namespace crosslane::cli
