// Owns occupancy: how many wavefronts of a kernel a SIMD unit holds at once, and what limits it. No listener.
// Sources: CLRX, "GCN ISA Instruction Timings", occupancy table; LLVM AMDGPUUsage, "Kernel Descriptor", for granules,
// and LLVM 19, AMDGPUBaseInfo.cpp (IsaInfo), for waves of a unit, the unified registers of gfx90a and workgroups of a
// unit.
#pragma once
#include "gpu/machine.h"
#include "isa/target.h"
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::timing {

struct OccupancyInput {
  isa::Target target{};
  // Of a wave, as the kernel descriptor allocates them. `vgprs` has the AccVGPRs in it: on gfx90a the sum of both,
  // which share a file, on gfx908 the larger number, since each kind has its own.
  uint32_t vgprs = 0, agprs = 0, sgprs = 0;
  uint32_t lds_bytes = 0;                // of a workgroup, static and dynamic
  uint32_t workgroup_items = 64;         // work-items of a workgroup
  const gpu::Machine* machine = nullptr; // null: what the target has
};

struct OccupancyLimit {
  std::string name;   // "waves" (the unit's own limit), "vgprs", "sgprs", "lds", "workgroups"
  uint32_t waves = 0; // that it allows in the SIMD unit with most of them, in whole workgroups
};

struct Occupancy {
  uint32_t waves_per_simd = 0;
  uint32_t max_waves_per_simd = 10;   // of the target
  std::string limiter;                // name of the lowest limit; "waves" if nothing of the kernel limits it
  std::vector<OccupancyLimit> limits; // all of them
  // What would give a wave more: "use 24 VGPRs or fewer (now 28) for 10 waves"; empty if nothing limits it or no less
  // of what limits it would do.
  std::string advice;
};

Occupancy occupancy(const OccupancyInput&);

// The most instructions that a compute unit starts in a clock, each of another wavefront of one SIMD unit and of
// another kind: vector, scalar, vector memory, LDS, and branches or messages. Column "Issue" of CLRX's occupancy table.
uint32_t instructions_per_clock(uint32_t waves_per_simd);

} // namespace crosslane::timing
