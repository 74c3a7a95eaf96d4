// What there is without a context.
#include "api/crosslane.h"
#include "engine/dispatch.h"
#include "gpu/card.h"
#include "jit/jit.h"

using namespace crosslane;

const char* crosslane_status_name(crosslane_status status) {
  switch (status) {
  case CROSSLANE_OK: return "ok";
  case CROSSLANE_ERROR_ARGUMENT: return "wrong argument";
  case CROSSLANE_ERROR_NAME: return "unknown name";
  case CROSSLANE_ERROR_CODE: return "no code to run";
  case CROSSLANE_ERROR_LAUNCH: return "impossible launch";
  case CROSSLANE_ERROR_MEMORY: return "out of memory";
  case CROSSLANE_FAULT: return "fault";
  case CROSSLANE_REFUSED: return "refused";
  case CROSSLANE_TIMEOUT: return "timeout";
  case CROSSLANE_CANCELLED: return "cancelled";
  case CROSSLANE_DIFFERENT: return "different";
  case CROSSLANE_ERROR_FILE: return "file not written";
  case CROSSLANE_ERROR_INTERNAL: return "internal error";
  }
  return "unknown status";
}

const char* crosslane_version() { return CROSSLANE_VERSION; }
uint32_t crosslane_api_version() { return CROSSLANE_API_VERSION; }
const char* crosslane_host_level() { return engine::host_level(); }

// Names are literals.
const char* crosslane_target(size_t index) {
  return index < isa::targets().size() ? isa::targets()[index].name.data() : nullptr;
}
const char* crosslane_card(size_t index) {
  return index < gpu::cards().size() ? gpu::cards()[index].name.data() : nullptr;
}

crosslane_status crosslane_set_jit(const char* policy) {
  if (!policy)
    return CROSSLANE_ERROR_ARGUMENT;
  const jit::Policy wanted = jit::policy_of(policy);
  if (wanted == jit::Policy::unknown)
    return CROSSLANE_ERROR_NAME;
  return jit::choose(wanted) ? CROSSLANE_OK : CROSSLANE_ERROR_ARGUMENT;
}
