// Owns the question "which address does each lane access?", asked when an access has faulted or when a listener wants
// to know.
#pragma once
#include "isa/instruction.h"
#include "machine/wave.h"
#include <cstdint>
#include <optional>

namespace crosslane::engine {

struct LaneAccess {
  uint64_t address; // generic address
  uint32_t bytes;
};

// What LaneAccesses::second is of a DS instruction: nothing; accessed like the first; where the data is read
// (ds_*_src2).
enum class Second : uint8_t { none, same, operand };

struct LaneAccesses {
  uint64_t lanes = 0; // that have an address: not those outside of their buffer
  uint32_t bytes = 0; // of a lane, at each address
  Second second_is = Second::none;
  // Aligned, as whole lines are forwarded from store to load and halves of two are not.
  alignas(64) uint64_t address[64]; // generic, of `lanes`
  alignas(64) uint64_t second[64];  // byte offsets in LDS
};

// Whether lane_accesses() may find addresses. Not of: cross-lane operations, GDS, what moves no data.
bool accesses_memory(const isa::Instruction&);
// The accesses of some lanes, from the operands as they are now. An SMEM access is every lane's. Of an image sample a
// texel of each lane; all of them are engine/memory/image.h's find_samples().
void lane_accesses(const isa::Instruction&, const machine::Wave&, uint64_t lanes, LaneAccesses& out);
// image_sample*, image_gather4*: reads texels through a sampler.
bool samples_image(const isa::Instruction&);
// Whether an instruction that is none of DS moves data between memory and LDS.
bool transfers_lds(const isa::Instruction&);
// The accesses of a DS instruction that accesses_memory(), or of one that transfers_lds() there, as byte offsets in
// LDS, which may lie outside of it.
void lds_offsets(const isa::Instruction&, const machine::Wave&, uint64_t lanes, LaneAccesses& out);
// The access of one lane. Empty: there is none.
std::optional<LaneAccess> lane_address(const isa::Instruction&, const machine::Wave&, int lane);

} // namespace crosslane::engine
