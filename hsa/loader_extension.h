// Owns the table of AMD's loader extension, version 1.3: questions about loaded code that debuggers and profilers ask.
// Source: hsa_ven_amd_loader.h.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ven_amd_loader.h>

namespace crosslane::hsa {

const hsa_ven_amd_loader_1_03_pfn_t& loader_table();

} // namespace crosslane::hsa
