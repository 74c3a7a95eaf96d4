// Owns how many cycles an instruction of one wavefront occupies its 16-lane SIMD unit.
// Source: CLRX, "GCN ISA Instruction Timings" (VOP tables and DPFACTOR), which tells one case of 32-bit FMA from
// another; LLVM 19, SISchedule.td, for gfx90a and for matrix operations. What neither has is marked assumed.
#pragma once
#include "isa/instruction.h"
#include <cstdint>

namespace crosslane::timing {

// 0 for what goes to another unit: scalar instructions, branches, messages, and also vector memory, LDS and export.
// Those take addresses and data from the registers of all lanes, but the SIMD unit computes for other wavefronts
// meanwhile, and what they cost is a matter of addresses: the memory and LDS views count it.
//
// Cards of a target may differ in double precision; taken is the target's usual one (isa::TargetInfo::f64_rate).
uint32_t issue_cycles(const isa::Instruction&);

// Vector instructions that do the same whatever EXEC says, so that no lane of theirs is idle: v_readlane, v_writelane,
// v_readfirstlane (they move one value), matrix operations (EXEC is taken as all ones), v_nop and v_clrexcp.
// Source: Vega ISA manual, descriptions of these; MI100 ISA manual, "Matrix Arithmetic Instructions".
bool ignores_exec(const isa::Instruction&);

} // namespace crosslane::timing
