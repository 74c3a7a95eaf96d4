// Owns the words of a fault: instruction text, lane, and which allocation an address belongs to.
#pragma once
#include "engine/context.h"

namespace crosslane::engine {

void diagnose(machine::Fault& fault, const Wave& w);

// The code that a wave's Uop belongs to: the kernel's, or the trap handler's.
Program& program_of(const Wave& w, const Uop* op);
// The instruction at an address of the program as text, and decoded; a dword where there is none.
std::string text_at(const Program&, uint64_t pc, isa::Instruction&);

} // namespace crosslane::engine
