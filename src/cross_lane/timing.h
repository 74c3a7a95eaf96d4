// Owns the cycles that the planner counts, for one wavefront alone on its SIMD. A figure that nobody published is named
// `assumed`, with what would settle it.
// Source of the issue cycles: the GCN timing tables of CLRadeonExtender (GcnTimings): nearly every vector and scalar
// instruction 4, ds_read_b32 and ds_swizzle_b32 4, ds_write_b32 8, buffer_load_dword 8. DPP runs at the full rate
// (GPUOpen, "AMD GCN Assembly: Cross-Lane Operations"). On gfx6 and gfx7 an instruction of 8 bytes may take 4 cycles
// more, depending on where in 32 bytes it lies: not counted.
#pragma once

namespace crosslane::cross_lane::timing {

inline constexpr int issue = 4;    // VALU, SALU, each wait state of s_nop, s_waitcnt itself
inline constexpr int ds_read = 4;  // ds_read_b32, ds_swizzle_b32
inline constexpr int ds_write = 8; // ds_write_b32
inline constexpr int ds_permute =
    8; // assumed: address and data go to the LDS as for ds_write_b32; a measurement would settle it
inline constexpr int load = 8; // buffer_load_dword; assumed the same for flat_ and global_
// assumed: from the last LDS instruction to its data, LDS idle. LLVM's scheduling model of GCN says between 2 and 64.
inline constexpr int lds_latency = 64;
// assumed: a load that hits the L2 cache; a measurement on the card would settle it.
inline constexpr int memory_latency = 300;

} // namespace crosslane::cross_lane::timing
