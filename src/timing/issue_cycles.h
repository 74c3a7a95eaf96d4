// Owns how many cycles an instruction of one wavefront occupies its 16-lane SIMD unit.
// Source: CLRX, "GCN ISA Instruction Timings" (VOP tables and DPFACTOR), which tells one case of 32-bit FMA from
// another; LLVM 19, SISchedule.td, for gfx90a and for matrix operations. What neither has is marked assumed. Where
// measurements of a card say otherwise (gpu/machine.h), they hold.
#pragma once
#include "gpu/machine.h"
#include "isa/instruction.h"
#include <cstdint>

namespace crosslane::timing {

enum class Model : uint8_t {
  card,     // what is known best of the card
  document, // CLRX's document as it is written, with the card's DPFACTOR
};

// What of a card the cycles of vector instructions depend on.
struct Rates {
  double dpfactor = 8;    // 0.5: f64 at the rate of f32, which the document does not know: 1
  uint32_t mul = 16;      // v_mul_lo_u32 and its like
  uint32_t fma_f32 = 4;   // v_fma_f32
  uint32_t div_f32 = 16;  // v_div_scale_f32, _fmas, _fixup
  uint32_t f64_root = 64; // v_rcp_f64, v_rsq_f64, v_sqrt_f64
};
Rates rates(const gpu::Machine&, Model = Model::card);
// Which of a card's parameters the cycles of an instruction come from, if any.
std::optional<gpu::Parameter> rate_parameter(const isa::Instruction&);

// 0 for what goes to another unit: scalar instructions, branches, messages, and also vector memory, LDS and export.
// Those take addresses and data from the registers of all lanes, but the SIMD unit computes for other wavefronts
// meanwhile, and what they cost is a matter of addresses: the memory and LDS views count it.
uint32_t issue_cycles(const isa::Instruction&, const Rates&);
// Of a target. Its cards may differ in double precision; taken is the usual one (isa::TargetInfo::f64_rate).
uint32_t issue_cycles(const isa::Instruction&);

// Vector instructions that do the same whatever EXEC says, so that no lane of theirs is idle: v_readlane, v_writelane,
// v_readfirstlane (they move one value), matrix operations (EXEC is taken as all ones), v_nop and v_clrexcp.
// Source: Vega ISA manual, descriptions of these; MI100 ISA manual, "Matrix Arithmetic Instructions".
bool ignores_exec(const isa::Instruction&);

} // namespace crosslane::timing
