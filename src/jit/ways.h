// Owns what is known of calls before a kernel is compiled: where jumps, calls and returns by addresses in SGPRs go, as
// the static analysis finds it (analysis/graph.h). Compiled code asks each time whether it is so.
#pragma once
#include "engine/dispatch.h"
#include "engine/unit.h"

namespace crosslane::jit {

// Of what a kernel reaches from its first instruction on, at that dword index of the code, without functions with which
// it had more than `most` instructions.
engine::Ways find_ways(const engine::Code&, uint32_t entry, size_t most);

// Whether the unit has instructions that this could tell something of.
bool wants_ways(const engine::Unit&);

} // namespace crosslane::jit
