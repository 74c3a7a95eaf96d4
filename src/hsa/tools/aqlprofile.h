// AMD's library of performance counters (libhsa-amd-aqlprofile64.so.1), which profilers of ROCm up to 6 get through the
// runtime, whether they want counters or not. It is AMD's own; the commands that it makes for a card's counters are
// packets that queues here refuse.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ven_amd_aqlprofile.h>

namespace crosslane::hsa {

// Its functions; null if there is no such library, or of another version.
const hsa_ven_amd_aqlprofile_pfn_t* aqlprofile_table();

} // namespace crosslane::hsa
