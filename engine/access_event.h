// Owns the Uop that tells a listener of memory accesses. Emitted by engine/program.cpp before the instruction itself.
#pragma once
#include "engine/lowering.h"

namespace crosslane::engine {

// Nothing if it accesses neither what is wanted: LDS, and all else. `kept` lives as long as the code.
void emit_access_event(Lowering&, const isa::Instruction* kept, bool memory, bool lds);

}  // namespace crosslane::engine
