// Owns assembly for tests: llvm-mc-19 and ld.lld-19 as processes, with their results kept in the build tree, so that
// only the first run of a text pays for them.
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::test {

// The .text bytes of assembly text. Throws std::runtime_error with the assembler's own message.
std::vector<uint8_t> assemble(const std::string& text, isa::Target target);
// As above for several independent texts in one run of the assembler. Labels must differ between them.
std::vector<std::vector<uint8_t>> assemble_all(const std::vector<std::string>& texts, isa::Target target);
// A linked code object.
std::vector<uint8_t> assemble_code_object(const std::string& text, isa::Target target);

} // namespace crosslane::test
