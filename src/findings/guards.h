// Owns finding out which instruction took the lanes away that an instruction lacks: the nearest one before it that made
// EXEC narrower and is still in force. So that lanes lost in the body of an `if` are told of at the `if`.
//
// Which mask EXEC holds, and which masks are part of which, is analysis/masks.h's; here is only who is to blame: the
// instruction that gave EXEC a smaller mask, until EXEC has one again that it had before, or a larger one. The lanes of
// an `else` are behind its `if`, and a loop is behind what lets lanes leave it.
// assumed: an s_or of EXEC and a mask that the analysis does not know (from memory, VGPR lanes, or before a call) ends
// the innermost region, as compilers write it, and an s_andn2_saveexec, or an s_xor of EXEC behind the s_or, begins the
// `else`. Code that does otherwise is blamed on the wrong branch.
#pragma once
#include "findings/profile.h"
#include <vector>

namespace crosslane::findings {

// For each instruction those that narrow EXEC around it, the nearest first. Instructions that many share are stored
// once.
class Guards {
public:
  explicit Guards(const std::vector<ProfiledInstruction>&);

  // Calls f(guard) for each guard of an instruction, the nearest first.
  template <class F> void outwards(int instruction, F f) const {
    for (int node = at_[static_cast<size_t>(instruction)]; node > 0; node = nodes_[static_cast<size_t>(node)].parent)
      f(nodes_[static_cast<size_t>(node)].guard);
  }

private:
  friend class GuardBuilder;
  struct Node {
    int guard = -1, parent = 0;
  };
  std::vector<Node> nodes_ = {{}}; // nodes_[0]: all lanes
  std::vector<int> at_;            // node of each instruction
};

} // namespace crosslane::findings
