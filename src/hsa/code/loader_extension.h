// Owns the extension HSA_EXTENSION_AMD_LOADER: what tools, and HIP, ask about loaded code.
#pragma once
#include <hsa/hsa_ven_amd_loader.h>

namespace crosslane::hsa {

// All of it; older versions of the table are its beginning.
const hsa_ven_amd_loader_1_03_pfn_t& loader_table();

} // namespace crosslane::hsa
