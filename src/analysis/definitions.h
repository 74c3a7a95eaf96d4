// Owns reaching definitions: for each register that an instruction reads, the one instruction that wrote it last, where
// there is only one whatever way was gone. Writes that may leave something of the old value (halves, lanes, an index)
// define nothing, and neither does what a call may have written; a vector register that EXEC confines counts as
// written.
#pragma once
#include "analysis/part_code.h"

namespace crosslane::analysis {

struct Definition {
  uint64_t pc = 0;     // of the instruction that reads
  uint64_t writer = 0; // of the one that wrote; 0: what the function was entered with
  uint16_t slot = 0;   // the register, see analysis/part_code.h
};

// By pc, then slot; uses with several definitions are left out.
std::vector<Definition> definitions(const Code&, const Graph&);

} // namespace crosslane::analysis
