// Owns what a wave that is alone loses between instructions: to where code lies in memory (GCN 1.0 and 1.1: gfx6,
// gfx7), and to what the unit before has not told yet. More than one wave on a SIMD masks all of it. Source: CLRX, "GCN
// ISA Instruction Timings", "Instruction alignment" and "Instruction scheduling".
#pragma once
#include "isa/instruction.h"
#include <cstdint>

namespace crosslane::timing {

bool has_fetch_penalties(isa::Target);

// The rules go by the dword of its block of 32 bytes that an instruction begins at. Cycles; a penalty is 4.
//
// An instruction of 8 bytes that takes `cycles`: free in the first 3 dwords, and in the last cycles / 4 if it takes
// more than 4; and behind one of 8 bytes and 16 cycles or more that ends where it begins in dword 4.
uint32_t size_penalty(uint64_t address, uint32_t bytes, double cycles, bool behind_long = false);
uint32_t target_penalty(uint64_t address);    // jumped to, from before it: beyond the first 5 dwords
uint32_t not_taken_penalty(uint64_t address); // a conditional jump that does not jump: beyond the first half

// Follows the instructions of a wave, in order.
class SchedulingDelays {
public:
  // What this one has to wait if it would start at `now`.
  double before(const isa::Instruction&, double now) const;
  // It started, and the next one may at `end`.
  void issued(const isa::Instruction&, double end);

private:
  double scalar_ready_ = 0; // 16 cycles behind an integer v_add, v_sub or v_readlane
  bool wrote_vcc_ = false, wrote_exec_ = false, wrote_scc_ = false; // the instruction before
};

} // namespace crosslane::timing
