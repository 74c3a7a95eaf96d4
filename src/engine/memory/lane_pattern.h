// Owns the plans for the cross-lane patterns that an instruction carries in itself (DPP_CTRL, the offset of
// ds_swizzle_b32): cross_lane/control.h says what lanes read, lanes/wave_permute.h how the host moves them. Planned
// once, when the instruction is decoded.
#pragma once
#include "isa/target.h"
#include "lanes/wave_permute.h"

namespace crosslane::engine {

// Kept for the life of the process; the same control gives the same object.
const lanes::WavePermute& dpp_pattern(uint32_t dpp_ctrl);
const lanes::WavePermute& swizzle_pattern(uint32_t offset, isa::Generation);

} // namespace crosslane::engine
