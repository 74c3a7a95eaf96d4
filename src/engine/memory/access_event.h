// Owns the Uop that tells a listener of memory accesses. Emitted by engine/decode/program.cpp before the instruction
// itself.
#pragma once
#include "engine/decode/lowering.h"
#include "events/listener.h"

namespace crosslane::engine {

// Whether an instruction of this kind may access what listeners hear of.
bool tells_accesses(const isa::Instruction&);
// What an instruction that is about to execute accesses, wherever that is.
void tell_accesses(events::Listener&, const isa::Instruction*, uint64_t pc, const Wave&);
// Nothing if it accesses neither what is wanted: LDS, and all else. `kept` lives as long as the code.
void emit_access_event(Lowering&, const isa::Instruction* kept, bool memory, bool lds);

} // namespace crosslane::engine
