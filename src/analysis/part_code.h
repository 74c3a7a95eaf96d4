// Owns the code of one part in the form that masks and liveness go through many times: decoded once, a few bytes for
// each register range that an instruction touches, and for each write that may concern masks of lanes.
#pragma once
#include "analysis/graph.h"
#include "isa/operands.h"

namespace crosslane::analysis {

// Registers by one number: scalar ones by their code, then SCC, VGPRs, AccVGPRs.
namespace slot {
inline constexpr uint16_t scalar = 0, vcc = 106, m0 = 124, exec = 126, scc = 128, vgpr = 256, accvgpr = 512, end = 768;
}

struct Touch {
  enum Flag : uint8_t {
    read = 1,
    written = 2,
    kills = 4,     // nothing of the old value is left, in the lanes that take part
    all_lanes = 8, // of vector registers: EXEC does not decide which lanes take part, or other lanes are read
    everything = 16,
  };
  uint16_t first = 0; // a slot
  uint8_t count = 0;  // less one
  uint8_t flags = 0;
  bool has(Flag f) const { return flags & f; }
};

// What an instruction does with masks of lanes. Masks are SGPR pairs by the code of the first, or constants.
struct MaskStep {
  enum Kind : uint8_t {
    clobber, // scalar registers a to a + b are something else
    copy,    // d = a
    and_,
    andn2,
    or_,
    xor_,
    either, // d = a or b, the wave decides which
    part,   // d = some of EXEC: a comparison
    other,  // d = something
  };
  uint32_t instruction = 0; // in its block
  Kind kind{};
  bool saves = false; // EXEC is the destination, and d gets what it was
  bool puts = false;  // EXEC is the destination, and d gets the same
  uint8_t d = 0, a = 0, b = 0;
};
// Beyond the codes of registers.
inline constexpr uint8_t mask_all = 128, mask_empty = 129, mask_other = 130;

struct PartCode {
  // Of the blocks of the part, in its order; each has one more entry for the end.
  std::vector<uint32_t> first_instruction, first_step;
  std::vector<uint32_t> first_touch; // of each instruction, and the end
  std::vector<Touch> touches;
  std::vector<MaskStep> steps;
  uint32_t vector_slots = 0; // VGPRs and AccVGPRs are below slot::vgpr + this

  std::span<const Touch> touches_of(uint32_t instruction) const {
    return {touches.data() + first_touch[instruction], first_touch[instruction + 1] - first_touch[instruction]};
  }
};

// Where VGPR indexing (s_set_gpr_idx_on) may be on: at the beginning of each block. Empty: nowhere.
std::vector<bool> indexed_blocks(const Code&, const Graph&);
// What an instruction makes of it.
void follow_indexing(const isa::Instruction&, bool& on);

// Reuses the memory of `out`.
void decode_part(const Code&, const Graph&, const Part&, const std::vector<bool>& indexed, PartCode& out);

} // namespace crosslane::analysis
