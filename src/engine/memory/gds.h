// Owns the instructions of the global data share: DS with the GDS bit, ordered counts and the global wave sync. A wave
// that must wait stops in WaveState::waiting and executes its instruction again when the runner comes round.
#pragma once
#include "engine/decode/lowering.h"

namespace crosslane::engine {

// Around a handler of LDS: makes the wave see the part of the GDS that M0 gives {base[31:16], size[15:0]} as its LDS,
// alone.
Handler enter_gds();
Handler leave_gds();

// ds_gws_*, ds_ordered_count. False: not executed.
bool lower_gds(Lowering&);

} // namespace crosslane::engine
