// Owns finding out which instruction took the lanes away that an instruction lacks: the nearest one before it that made
// EXEC narrower and is still in force. So that lanes lost in the body of an `if` are told of at the `if`.
//
// EXEC is followed through the code as compilers write it: s_and_saveexec and s_or of the saved mask around an `if`,
// s_or_saveexec or s_andn2_saveexec for its `else`, s_andn2 of EXEC where lanes leave a loop, v_cmpx. Masks are known
// by the SGPRs that hold them; what goes through memory or VGPR lanes is closed by the next s_or of EXEC, which in
// structured code ends the innermost region. Calls start anew.
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
