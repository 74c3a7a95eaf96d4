// Owns what counters are made of: sums over a kernel's instructions, by the units that the hardware counts.
#pragma once
#include "findings/counter_value.h"
#include "findings/profile.h"

namespace crosslane::findings {

// Wave-instructions. Which instruction counts as what: docs/counters.md.
struct IssuedCounts {
  uint64_t valu = 0, salu = 0, smem = 0, lds = 0, gds = 0;
  uint64_t vmem_reads = 0, vmem_writes = 0; // FLAT, GLOBAL and SCRATCH among them
  uint64_t flat = 0;                        // FLAT, GLOBAL and SCRATCH
  uint64_t branches = 0, messages = 0, matrix = 0;
  struct Kinds {
    uint64_t reads = 0, writes = 0, atomics = 0;
    uint64_t all() const { return reads + writes + atomics; }
  };
  Kinds flat_kinds, buffer_kinds; // FLAT, GLOBAL and SCRATCH; MUBUF and MTBUF
  uint64_t ended = 0;             // waves that came to their end
  uint64_t valu_quads = 0;        // of 4 cycles in the SIMD unit
  uint64_t salu_quads = 0;
};
IssuedCounts issued(const KernelProfile&);

Value thread_quads(const KernelProfile&, const Views&);  // quads of the SIMD unit times active lanes
Value flat_lds_only(const KernelProfile&, const Views&); // FLAT instructions all of whose lanes reached LDS

// Vector memory: FLAT, GLOBAL, SCRATCH, buffers, images; not LDS, not scalar loads.
struct MemorySums {
  uint64_t requests = 0; // instructions that reached memory with at least one lane
  uint64_t read_lines = 0, written_lines = 0, atomic_lines = 0;
  uint64_t atomics = 0, atomics_with_return = 0; // lanes
  uint64_t clocks = 0;                           // of address coalescing, one at least for each 16 lanes, active or not
};
MemorySums memory(const KernelProfile&);

struct LdsSums {
  uint64_t cycles = 0, bank_conflict_cycles = 0, same_address_cycles = 0;
};
LdsSums lds(const KernelProfile&);

} // namespace crosslane::findings
