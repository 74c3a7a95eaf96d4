// Owns the sums over a kernel's instructions that findings take shares of and the summary prints.
#pragma once
#include "findings/profile.h"

namespace crosslane::findings {

struct Totals {
  // Vector ALU: 64 lane-cycles for each wave-instruction of full rate; those that idle lanes waste.
  double lane_cycles = 0, lost_lane_cycles = 0, lost_to_partial_waves = 0;
  uint64_t vector_instructions = 0, vector_lanes = 0; // wave-instructions of a lane each, memory included; active lanes
  // Vector memory. Scalar loads have a cache of their own and are not in here.
  uint64_t requests = 0, lines = 0, ideal_lines = 0, excess_lines = 0, bytes_asked = 0, bytes_moved = 0;
  uint64_t l2_operations = 0, clocks = 0, ideal_clocks = 0, memory_lanes = 0;
  uint64_t lds_accesses = 0, lds_cycles = 0, conflict_cycles = 0;
  uint64_t branches = 0, divergences = 0;           // where lanes decide for themselves
  bool active = false, memory = false, lds = false; // any of it was collected
};
Totals totals(const KernelProfile&);

// Lane-cycles that one lane takes in an instruction: 1 for full rate, 0 for what is not the vector ALU's.
double lane_cycles(const isa::Instruction&);

} // namespace crosslane::findings
