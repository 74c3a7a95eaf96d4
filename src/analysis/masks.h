// Owns reaching EXEC masks: which mask EXEC holds at each instruction, and which masks are part of which.
//
// A mask is the value that one place of the code gives to EXEC, or to SGPRs that EXEC is made of: an
// s_and_saveexec_b64, a comparison, a block where ways with different masks meet. It means what that place gave last;
// SGPRs that still hold what it gave before count as unknown. That a mask is part of another one (its parent) holds
// whenever both are the last of their places. Masks are followed through s_and, s_andn2, s_or, s_xor, s_mov, s_cselect
// and the saveexec family, so that the end of an `if` is known to have the mask of before. What comes from memory or
// VGPR lanes is unknown, and a callee may leave any mask.
#pragma once
#include "analysis/part_code.h"

namespace crosslane::analysis {

using MaskId = uint32_t; // of a part
inline constexpr MaskId all_lanes = 0, no_lanes = 1;

struct Mask {
  MaskId parent = all_lanes;
  BlockId block = none;        // whose beginning or instruction gives it
  uint32_t instruction = none; // in its block; none: the beginning
  MaskId minus = all_lanes;    // it is its parent without this one; all_lanes: not known
};

// Before an instruction's effects: `after` is what EXEC is behind it.
struct MaskChange {
  uint32_t instruction = 0;
  MaskId after = all_lanes;
  MaskId defines = all_lanes; // a mask that has a new value behind it; all_lanes: none
};

struct PartMasks {
  std::vector<Mask> masks;
  // By place in the part's order:
  std::vector<MaskId> begin, end;     // EXEC
  std::vector<uint32_t> first_change; // one more for the end
  std::vector<MaskChange> changes;
  bool settled = true; // false: too tangled, every block has a mask of its own that nothing is known of

  bool part_of(MaskId inner, MaskId outer) const;
  MaskId common(MaskId a, MaskId b) const; // the smallest known to have both
};

void find_masks(const Graph&, const Part&, const PartCode&, PartMasks& out);

} // namespace crosslane::analysis
