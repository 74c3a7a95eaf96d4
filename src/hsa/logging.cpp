// hsa_amd_enable_logging: packets that the runtime itself puts into queues for copies by kernels. There are none here,
// because copies and fills are done by the host; so what is asked for is taken, and nothing is ever written.
#include "hsa/functions.h"
#include "hsa/newer.h"
#include "hsa/runtime.h"

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void*) {
  return api([&](Runtime&) { return flags ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT; });
}

} // namespace crosslane::hsa::functions
