// Owns how many registers probes may have: those above all that the copied code touches, up to where a SIMD unit would
// hold fewer waves, and up to what a wave may have at all.
// Source: LLVM AMDGPUUsage, "Kernel Descriptor"; LLVM 19, AMDGPUBaseInfo.cpp (IsaInfo).
#pragma once
#include "rewrite/kernels.h"
#include <span>

namespace crosslane::rewrite {

struct Budget {
  uint16_t first_sgpr = 0, first_vgpr = 0; // that nothing touches
  uint16_t free_sgprs = 0, free_vgprs = 0; // from there on, with as many waves as now
  uint16_t most_sgprs = 0, most_vgprs = 0; // from there on, with fewer waves
};

// Of kernels that share code.
Budget budget_of(const lint::Subject&, std::span<const CopiedKernel* const>);

// SGPRs that a wave has beyond its own: VCC, FLAT_SCRATCH, XNACK_MASK.
uint32_t extra_sgprs(isa::Target);

} // namespace crosslane::rewrite
