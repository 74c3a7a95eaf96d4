// Owns what trials of random instructions draw from: which instructions run to their end by themselves, other operands
// and modifiers than their instances have, and addresses and resources that are valid where an operand is one.
#pragma once
#include "isa/operands.h"
#include <cstdint>
#include <random>

namespace crosslane::test {

// False: it leaves the code, waits for other waves, reads clocks, needs a GDS, or the engine does not execute it.
bool executes_alone(const isa::Instruction&);

class RandomInstructions {
public:
  RandomInstructions(isa::Target t, std::mt19937_64& random) : generation_(isa::info(t).generation), random_(random) {}
  uint32_t number(uint32_t below) { return uint32_t(random_() % below); }
  // Other sources, registers that overlap, modifiers: not all of it can be encoded.
  isa::Instruction varied(isa::Instruction);
  // Fills the scalars or the 64 lanes of VGPRs of an operand that is an address or a resource: somewhere in `buffer`,
  // at least 16384 bytes, or in as much LDS or scratch as a trial has.
  void place(const isa::Instruction&, const isa::Operand&, const uint8_t* buffer, uint32_t bytes, uint32_t* scalars,
             uint32_t* vgprs);

private:
  // 32-bit texels or records, of all of the buffer.
  void resource(const isa::Instruction&, const isa::Operand&, const uint8_t* buffer, uint32_t bytes, uint32_t* scalars);

  isa::Generation generation_;
  std::mt19937_64& random_;
};

} // namespace crosslane::test
