// Owns the question "which address does this lane access?", asked when an access has faulted.
#pragma once
#include "isa/instruction.h"
#include "machine/wave.h"
#include <cstdint>
#include <optional>

namespace crosslane::engine {

struct LaneAccess {
  uint64_t address;  // generic address
  uint32_t bytes;
};

// The access of one active lane, from the operands as they are now. Empty: the instruction does not access memory.
std::optional<LaneAccess> lane_address(const isa::Instruction&, const machine::Wave&, int lane);

}  // namespace crosslane::engine
