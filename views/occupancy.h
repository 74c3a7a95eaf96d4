// Owns occupancy: how many wavefronts of a kernel a SIMD unit holds at once, and what limits it. No listener.
// Source: CLRX, "GCN ISA Instruction Timings", occupancy table; LLVM AMDGPUUsage for granules; gfx90a: its own unified
// register file of 512.
#pragma once
#include "isa/target.h"
#include <cstdint>
#include <string>
#include <vector>

namespace crosslane::views {

struct OccupancyInput {
  isa::Target target{};
  uint32_t vgprs = 0, agprs = 0, sgprs = 0; // of a wave, as allocated
  uint32_t lds_bytes = 0;                   // of a workgroup, static and dynamic
  uint32_t workgroup_items = 64;            // work-items of a workgroup
};

struct OccupancyLimit {
  std::string name;   // "waves" (the unit's own limit), "vgprs", "sgprs", "lds", "workgroups"
  uint32_t waves = 0; // per SIMD unit that it allows
};

struct Occupancy {
  uint32_t waves_per_simd = 0;
  uint32_t max_waves_per_simd = 10;   // of the target
  std::string limiter;                // name of the lowest limit; "waves" if nothing of the kernel limits it
  std::vector<OccupancyLimit> limits; // all of them
  std::string advice;                 // what would give one wave more: "use 24 VGPRs or fewer (now 28) for 10 waves"; may be empty
};

Occupancy occupancy(const OccupancyInput&);

} // namespace crosslane::views
