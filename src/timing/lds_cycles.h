// Owns how long LDS takes for an access of a wavefront in which no two lanes meet in a bank.
// Source: CLRX, "GCN ISA Instruction Timings", DS table: the inverse of the greatest throughput, which holds for 64
// lanes.
// - Loads are as fast as their banks: a cycle for each group of lanes that is served together (views/lds.h). Stores and
//   atomics are slower: their data has to come from the registers as well, and what atomics compare with.
// - Lanes that take no part save nothing. Measured on an MI250, of loads of a dword: one lane takes 2 cycles as 64 do,
//   and n lanes in one bank n + 1 ("LDS examples" of the ROCm Compute Profiler's documentation). assumed: of all others
//   too.
// - "?" in the table (ds_append, ds_consume), and data that comes from memory straight to LDS: as the banks. What the
//   table has not (ds_add_f32, FLAT in LDS, ...) goes like its instructions of the same kind and width;
//   ds_wrap_rtn_b32,
//   "?" there too, has a comparison and goes like ds_cmpst_b32.
#pragma once
#include "events/listener.h"
#include <cstdint>

namespace crosslane::timing {

// Of one access: a ds_*_src2_* has two, the load and what it writes.
uint32_t lds_cycles(const events::Access&);

// Of a DS instruction. `wave`: the table's cycles of a wave that is alone, until its next instruction may start.
struct LdsCycles {
  uint32_t wave = 0, unit = 0;
};
LdsCycles lds_cycles(const isa::Instruction&);

} // namespace crosslane::timing
