// Bytes -> Instruction.
#pragma once
#include "isa/instruction.h"
#include <span>

namespace crosslane::isa {

// Decodes the instruction at the front of `bytes` (little-endian dwords). Returns its size in bytes (4, 8, 12 or more),
// 0 when the bytes are not an instruction of `target` that llvm-mc-19 would accept (or too short).
int decode(Target target, std::span<const uint8_t> bytes, Instruction& out);

} // namespace crosslane::isa
