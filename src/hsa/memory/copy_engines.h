// Owns the engines of a card that copy (SDMA), as far as clients see them: which there are for a direction, and which
// have nothing to do. Any thread of the runtime does any engine's work. Engine i is bit i of hsa_amd_sdma_engine_id_t.
#pragma once
#include "hsa/info/agent.h"
#include "hsa/newer.h"

namespace crosslane::hsa {

// The card's driver for a copy: of a copy between a card and the host the card, else the source. ROCr's rule too.
Agent& copying_agent(Agent& to, Agent& from);
// A mask of those that may be named for the direction.
uint32_t engines_for(const Agent& to, const Agent& from);
// The engine that a copy without a named one is counted for; null: done by a kernel, or by the host.
std::atomic<uint32_t>* default_engine(Agent& to, Agent& from);

} // namespace crosslane::hsa
