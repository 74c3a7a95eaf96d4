// Owns what a model of the card adds to the counters of a launch: those that take time, or what caches held.
#pragma once
#include "findings/profile.h"

namespace crosslane::findings {

struct Modelled {                             // sums over the card
  uint64_t cycles = 0;                        // from the first wave's launch to the last one's end
  uint32_t compute_units = 0, simds = 0;      // simds: of a compute unit
  uint64_t address_busy = 0;                  // cycles of compute units' vector memory
  uint64_t lds_waits = 0;                     // cycles of waves that wait for the LDS unit to take an instruction
  uint64_t l1_misses = 0;                     // lines of loads
  uint64_t l2_hits = 0, l2_misses = 0;        // requests of 64 bytes
  uint64_t bytes_read = 0, bytes_written = 0; // of memory
};

// The counters once more, with what the model knows. Nothing for a kernel of whose workgroups a sample was counted, or
// several launches.
void add_modelled(KernelProfile&, const Views&, const Modelled&);

} // namespace crosslane::findings
