// Owns the question "which address does each lane access?", asked when an access has faulted or when a listener wants to know.
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

struct LaneAccesses {
  uint64_t lanes = 0;     // that have an address: not those outside of their buffer
  uint32_t bytes = 0;     // of a lane, at each address
  bool two_addresses = false;
  uint64_t address[64];   // generic, of `lanes`
  uint64_t second[64];    // with two_addresses
};

// Whether lane_accesses() may find addresses. Not of: cross-lane operations, GDS, image samples, what moves no data.
bool accesses_memory(const isa::Instruction&);
// The accesses of some lanes, from the operands as they are now. An SMEM access is every lane's.
void lane_accesses(const isa::Instruction&, const machine::Wave&, uint64_t lanes, LaneAccesses& out);
// The same for a DS instruction that accesses_memory(), as byte offsets in LDS.
void lds_offsets(const isa::Instruction&, const machine::Wave&, uint64_t lanes, LaneAccesses& out);
// The access of one lane. Empty: there is none.
std::optional<LaneAccess> lane_address(const isa::Instruction&, const machine::Wave&, int lane);

}  // namespace crosslane::engine
