// Owns what kernels cost on the host: a line per kernel of a program for the terminal, and as JSON.
#pragma once
#include "findings/branches.h"
#include <cstdint>
#include <span>
#include <string>

namespace crosslane::report {

// One kernel on one card, all its launches.
struct KernelStats {
  std::string name;   // its symbol, mangled
  std::string target; // "gfx900"
  std::string card;   // "vega10"
  uint64_t launches = 0;
  uint64_t instructions = 0; // executed by wavefronts, each counted once for all its lanes
  uint64_t waves = 0;
  uint64_t workgroups = 0;
  double seconds = 0;            // of host time, from the first wavefront of each launch to its last
  uint32_t grid[3] = {1, 1, 1};  // work-items of the last launch
  uint32_t block[3] = {1, 1, 1}; // work-items of its workgroups
  bool varied = false;           // launches before it had another grid or block
  uint32_t vgprs = 0, agprs = 0, sgprs = 0;
  uint32_t lds_bytes = 0;     // of a workgroup, static and dynamic, the largest
  uint32_t scratch_bytes = 0; // of a work-item
};

// One line per kernel, the longest time first, and their sum. Ends with a newline; one line if there is no kernel.
std::string table(std::span<const KernelStats>);
// {"kernels":[{...}], "profiles":[{...}]}, in the orders given. Keys as in KernelStats and in findings/branches.h,
// whose reports have the symbol for the kernel's name; "readable" is the name without mangling, and "mips" are millions
// of wave-instructions per second of host time.
std::string json(std::span<const KernelStats>, std::span<const findings::BranchReport> = {});

} // namespace crosslane::report
