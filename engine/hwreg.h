// Owns the hardware registers that s_getreg and s_setreg reach.
// Source: GCN3 ISA manual, "Hardware registers"; ids from LLVM AMDGPUOperandSyntax, "hwreg".
#pragma once
#include "machine/wave.h"

namespace crosslane::engine {

// `hwreg` is the instruction's immediate: id [5:0], offset [10:6], size-1 [15:11].
uint32_t read_hwreg(const machine::Wave&, uint32_t hwreg);
void write_hwreg(machine::Wave&, uint32_t hwreg, uint32_t value);
bool hwreg_readable(uint32_t id);
bool hwreg_writable(uint32_t id);

// MODE bits -> the two host MXCSR values; called whenever MODE changes. The caller's MXCSR becomes mxcsr32.
void apply_mode(machine::Wave&);

}  // namespace crosslane::engine
