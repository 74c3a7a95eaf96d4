// Owns the wait states that are missing between the instructions of one block (isa/hazards.h): where the hardware does
// not hold the second back, and the code does not either. What comes before the block is not looked at: `crosslane
// lint` does.
#pragma once
#include "isa/hazards.h"
#include <deque>

namespace crosslane::timing {

class WaitStates {
public:
  // How many are missing before the next instruction of the block.
  uint32_t missing(const isa::Instruction&);

private:
  struct Before {
    isa::Instruction instruction;
    isa::Operands operands;
    isa::hazards::Kinds kinds;
    int states = 0; // that it is itself
  };
  bool concerns(const isa::hazards::Hazard&, size_t first, const Before& second) const;
  std::deque<Before> before_; // the last ones, the nearest at the end
};

} // namespace crosslane::timing
