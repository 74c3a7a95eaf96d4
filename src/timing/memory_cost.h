// Owns what memory instructions cost: their addresses, and LDS with its bank conflicts. The memory behind them is a
// matter of latencies (timing/path.h).
#pragma once
#include "timing/cost.h"

namespace crosslane::timing {

Cost scalar_memory_cost(const isa::Instruction&);
Cost vector_memory_cost(const isa::Instruction&, const gpu::Machine&, Model, const Lanes&);
Cost lds_cost(const isa::Instruction&, const gpu::Machine&, Model, const Lanes&);

// What `lanes` lanes, the first ones of a wave, cost beyond the first cycle of each group that is served together
// (views/lds.h) if each is `stride` bytes behind the one before and takes `bytes`: in a group as many cycles as the
// fullest bank has different dwords.
uint32_t conflict_cycles(uint32_t bytes, int32_t stride, bool store, uint32_t lanes = 64);

} // namespace crosslane::timing
