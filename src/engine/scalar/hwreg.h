// Owns the hardware registers that s_getreg and s_setreg reach.
// Source: Vega ISA manual, "Access Instructions" and chapter 3; ids beyond its table from LLVM AMDGPUOperandSyntax and
// CLRX; amdgpu's cwsr_trap_handler_gfx8.asm and _gfx9.asm for units and for what a trap handler may write.
#pragma once
#include "isa/target.h"
#include "machine/wave.h"

namespace crosslane::engine {

inline constexpr uint32_t hwreg_mode = 1;
inline constexpr uint32_t trapsts_savectx = 1u << 10, trapsts_illegal_inst = 1u << 11;

// `hwreg` is the instruction's immediate: id [5:0], offset [10:6], size-1 [15:11]. `pc`: address of the s_getreg
// itself.
uint32_t read_hwreg(const machine::Wave&, uint32_t hwreg, uint64_t pc);
void write_hwreg(machine::Wave&, uint32_t hwreg, uint32_t value);
bool hwreg_readable(uint32_t id, isa::Target);
bool hwreg_writable(uint32_t id);

// MODE bits -> the two host MXCSR values; called whenever MODE changes. The caller's MXCSR becomes mxcsr32.
void apply_mode(machine::Wave&);
struct FloatModes {
  uint32_t mxcsr32, mxcsr64; // of 32-bit operations, of 16- and 64-bit ones
  bool split() const { return mxcsr32 != mxcsr64; }
};
FloatModes float_modes(uint32_t mode);

} // namespace crosslane::engine
