// Functions that always fail: the finalizer of HSAIL, images of other drivers. Each checks its
// arguments as its header documents, says once that it is not there, and returns a status that its header documents.
#include "hsa/functions.h"
#include "hsa/runtime.h"
#include "hsa/settings.h"
#include <fmt/format.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

namespace crosslane::hsa {

namespace {

struct Status {
  int value;
  const char* name;
};
#define STATUS(name)                                                                                                   \
  Status { name, #name }

constexpr const char* no_metadata = "images of other drivers have layouts that are not known here";
constexpr const char* no_finalizer = "there is no compiler of HSAIL";

hsa_status_t refuse(const char* function, const char* why, Status status, bool good_arguments,
                    const hsa_agent_t* agent = nullptr) {
  return api([&](Runtime& runtime) {
    if (agent && !runtime.agent(*agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!good_arguments)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    say_once(function, fmt::format("{} is not supported: {}; it fails with {}", function, why, status.name));
    return static_cast<hsa_status_t>(status.value);
  });
}

bool valid(hsa_access_permission_t permission) {
  return permission == HSA_ACCESS_PERMISSION_RO || permission == HSA_ACCESS_PERMISSION_WO ||
         permission == HSA_ACCESS_PERMISSION_RW;
}

} // namespace

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

// Images of other drivers.

hsa_status_t hsa_amd_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* descriptor,
                                  const hsa_amd_image_descriptor_t* layout, const void* data,
                                  hsa_access_permission_t permission, hsa_ext_image_t* image) {
  return refuse(__func__, no_metadata, STATUS(HSA_STATUS_ERROR_INVALID_ARGUMENT),
                descriptor && layout && data && valid(permission) && image, &agent);
}

// The finalizer. No program is ever valid, as none is created.

hsa_status_t hsa_ext_program_create(hsa_machine_model_t model, hsa_profile_t profile,
                                    hsa_default_float_rounding_mode_t rounding, const char*,
                                    hsa_ext_program_t* program) {
  const bool good = (model == HSA_MACHINE_MODEL_SMALL || model == HSA_MACHINE_MODEL_LARGE) &&
                    (profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL) &&
                    rounding >= HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT &&
                    rounding <= HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR && program;
  return refuse(__func__, no_finalizer, STATUS(HSA_STATUS_ERROR_OUT_OF_RESOURCES), good);
}

hsa_status_t hsa_ext_program_destroy(hsa_ext_program_t) {
  return refuse(__func__, no_finalizer, STATUS(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM), true);
}

hsa_status_t hsa_ext_program_add_module(hsa_ext_program_t, hsa_ext_module_t) {
  return refuse(__func__, no_finalizer, STATUS(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM), true);
}

hsa_status_t hsa_ext_program_iterate_modules(hsa_ext_program_t,
                                             hsa_status_t (*callback)(hsa_ext_program_t, hsa_ext_module_t, void*),
                                             void*) {
  return refuse(__func__, no_finalizer, STATUS(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM), callback);
}

hsa_status_t hsa_ext_program_get_info(hsa_ext_program_t, hsa_ext_program_info_t, void* value) {
  return refuse(__func__, no_finalizer, STATUS(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM), value);
}

hsa_status_t hsa_ext_program_finalize(hsa_ext_program_t, hsa_isa_t, int32_t, hsa_ext_control_directives_t, const char*,
                                      hsa_code_object_type_t, hsa_code_object_t* code_object) {
  return refuse(__func__, no_finalizer, STATUS(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM), code_object);
}

} // namespace crosslane::hsa::functions
