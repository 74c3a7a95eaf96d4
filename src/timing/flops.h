// Owns how many operations on floating-point numbers an instruction is, as rooflines count them.
#pragma once
#include "isa/instruction.h"

namespace crosslane::timing {

struct Flops {
  uint32_t each = 0; // of one lane: 2 for multiply-adds, 1 for sums, products, transcendentals; twice for packed ones
  uint32_t wave = 0; // of matrix operations: of the wave
};
Flops flops(const isa::Instruction&);

} // namespace crosslane::timing
