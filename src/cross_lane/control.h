// Owns which lane each lane reads from under the patterns that an instruction carries in itself: DPP_CTRL, and the
// offset of ds_swizzle_b32. The engine executes these tables and the planner (cross_lane/planner.h) searches them, so
// there is one of each. Source: GCN3 ISA manual, "DPP" and "DS_SWIZZLE_B32 details"; Vega ISA manual, the latter, for
// rotation and FFT; LLVM AMDGPUUsage and SIDefines.h (DppCtrl) for gfx90a's row_newbcast.
#pragma once
#include "isa/target.h"
#include <array>
#include <cstdint>

namespace crosslane::cross_lane {

inline constexpr int lane_count = 64;
inline constexpr int8_t no_lane = -1; // reads outside of the wave or its row: what then happens is BOUND_CTRL's matter

using Sources = std::array<int8_t, lane_count>; // per lane the lane that it reads, or no_lane

// A 9-bit DPP_CTRL. Controls that no GPU has read no lane at all.
Sources dpp_sources(uint32_t dpp_ctrl);
// The 16-bit offset of ds_swizzle_b32. Rotation and FFT exist since gfx9; before, their offsets are bit masks or quads.
Sources swizzle_sources(uint32_t offset, isa::Generation);

} // namespace crosslane::cross_lane
