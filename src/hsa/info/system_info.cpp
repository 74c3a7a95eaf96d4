// Questions about the system and its extensions. There are three: images, and AMD's loader and profiler. The finalizer
// is not among them.
#include "hsa/code/loader_extension.h"
#include "hsa/extensions.h"
#include "hsa/functions.h"
#include "hsa/info/give.h"
#include "hsa/memory/svm.h"
#include "hsa/newer.h"
#include "hsa/queue/signal.h"
#include "hsa/runtime.h"
#include "hsa/tools/aqlprofile.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <hsa/hsa_ext_image.h>

namespace crosslane::hsa {

namespace {

struct Extension {
  uint16_t id;
  const char* name;
  bool supported; // by the system and all GPUs
  uint16_t minor; // of version 1, the only one there is
};
constexpr std::array extensions{
    Extension{HSA_EXTENSION_FINALIZER, "HSA_EXTENSION_FINALIZER", false, 0},
    Extension{HSA_EXTENSION_IMAGES, "HSA_EXTENSION_IMAGES", true, 0},
    Extension{HSA_EXTENSION_PERFORMANCE_COUNTERS, "HSA_EXTENSION_PERFORMANCE_COUNTERS", false, 0},
    Extension{HSA_EXTENSION_PROFILING_EVENTS, "HSA_EXTENSION_PROFILING_EVENTS", false, 0},
    Extension{HSA_EXTENSION_AMD_PROFILER, "HSA_EXTENSION_AMD_PROFILER", true, 0},
    Extension{HSA_EXTENSION_AMD_LOADER, "HSA_EXTENSION_AMD_LOADER", true, 3},
    Extension{HSA_EXTENSION_AMD_AQLPROFILE, "HSA_EXTENSION_AMD_AQLPROFILE", false, 0},
    Extension{HSA_EXTENSION_AMD_PC_SAMPLING, "HSA_EXTENSION_AMD_PC_SAMPLING", false, 0},
};

// What tools put in the table of images is called through these, too, as with ROCr.
const hsa_ext_images_1_newest_pfn_t image_table{
    {hsa_ext_image_get_capability, hsa_ext_image_data_get_info, hsa_ext_image_create, hsa_ext_image_destroy,
     hsa_ext_image_copy, hsa_ext_image_import, hsa_ext_image_export, hsa_ext_image_clear, hsa_ext_sampler_create,
     hsa_ext_sampler_destroy, hsa_ext_image_get_capability_with_layout, hsa_ext_image_data_get_info_with_layout,
     hsa_ext_image_create_with_layout},
    hsa_ext_sampler_create_v2};

const Extension* find(uint16_t id) {
  const auto* found = std::ranges::find(extensions, id, &Extension::id);
  return found == extensions.end() ? nullptr : found;
}

hsa_status_t tell(const Runtime& runtime, hsa_system_info_t attribute, void* value) {
  switch (uint32_t(attribute)) {
  case HSA_SYSTEM_INFO_VERSION_MAJOR:
  case HSA_SYSTEM_INFO_VERSION_MINOR: // 1.1, as ROCr
    return give(value, uint16_t(1));
  case HSA_SYSTEM_INFO_TIMESTAMP: return give(value, now());
  case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: return give(value, uint64_t(1'000'000'000));
  case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: return give(value, UINT64_MAX);
  case HSA_SYSTEM_INFO_ENDIANNESS: return give(value, HSA_ENDIANNESS_LITTLE);
  case HSA_SYSTEM_INFO_MACHINE_MODEL: return give(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_SYSTEM_INFO_EXTENSIONS: return give(value, extension_bits());
  case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: return give(value, static_cast<const char*>("crosslane"));
  case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED: return give(value, svm_supported(runtime));
  case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT: // XNACK, which no card here has on
    return give(value, false);
  case HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED: // by HSA_ENABLE_MWAITX=1 of ROCr, which changes how it waits
  case HSA_AMD_SYSTEM_INFO_XNACK_ENABLED: return give(value, false);
  case HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED:
  case HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED: return give(value, true);
  case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR: return give(value, hsa_amd_newest_interface_major);
  case HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR: return give(value, hsa_amd_newest_interface_minor);
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

} // namespace

std::array<uint8_t, 128> extension_bits() {
  std::array<uint8_t, 128> bits{};
  for (const Extension& extension : extensions)
    if (extension.supported)
      bits[extension.id / 8] |= uint8_t(1 << extension.id % 8);
  return bits;
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
  return api(
      [&](Runtime& runtime) { return value ? tell(runtime, attribute, value) : HSA_STATUS_ERROR_INVALID_ARGUMENT; });
}

hsa_status_t hsa_extension_get_name(uint16_t id, const char** name) {
  return api([&](Runtime&) {
    const Extension* extension = find(id);
    if (!extension || !name)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *name = extension->name;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_extension_supported(uint16_t id, uint16_t major, uint16_t minor, bool* result) {
  return api([&](Runtime&) {
    const Extension* extension = find(id);
    if (!extension || !result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = extension->supported && major == 1 && minor <= extension->minor;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_major_extension_supported(uint16_t id, uint16_t major, uint16_t* minor, bool* result) {
  return api([&](Runtime&) {
    const Extension* extension = find(id);
    if (!extension || !minor || !result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = extension->supported && major == 1;
    *minor = *result ? extension->minor : uint16_t(0);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_extension_supported(uint16_t id, hsa_agent_t agent, uint16_t major, uint16_t minor,
                                           bool* result) {
  return api([&](Runtime& runtime) {
    const Agent* of = runtime.agent(agent);
    if (!of)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const hsa_status_t status = functions::hsa_system_extension_supported(id, major, minor, result);
    if (status == HSA_STATUS_SUCCESS)
      *result = *result && of->gpu();
    return status;
  });
}

hsa_status_t hsa_agent_major_extension_supported(uint16_t id, hsa_agent_t agent, uint16_t major, uint16_t* minor,
                                                 bool* result) {
  return api([&](Runtime& runtime) {
    const Agent* of = runtime.agent(agent);
    if (!of)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const hsa_status_t status = functions::hsa_system_major_extension_supported(id, major, minor, result);
    if (status == HSA_STATUS_SUCCESS)
      *result = *result && of->gpu();
    return status;
  });
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t id, uint16_t major, size_t length, void* table) {
  return api([&](Runtime&) {
    const Extension* extension = find(id);
    if (!extension || !table || !length)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (id == HSA_EXTENSION_AMD_AQLPROFILE && major == 1)
      if (const auto* functions = aqlprofile_table()) {
        std::memcpy(table, functions, std::min(length, sizeof *functions));
        return HSA_STATUS_SUCCESS;
      }
    if ((id != HSA_EXTENSION_AMD_LOADER && id != HSA_EXTENSION_IMAGES) || major != 1)
      return HSA_STATUS_ERROR; // as ROCr: the profiler has no table, the others are not there
    if (id == HSA_EXTENSION_IMAGES) {
      std::memcpy(table, &image_table, std::min(length, sizeof image_table));
      return HSA_STATUS_SUCCESS;
    }
    const auto& functions = loader_table();
    std::memcpy(table, &functions, std::min(length, sizeof functions));
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_system_get_extension_table(uint16_t id, uint16_t major, uint16_t minor, void* table) {
  // What each version of the loader's table holds.
  constexpr std::array lengths{sizeof(hsa_ven_amd_loader_1_00_pfn_t), sizeof(hsa_ven_amd_loader_1_01_pfn_t),
                               sizeof(hsa_ven_amd_loader_1_02_pfn_t), sizeof(hsa_ven_amd_loader_1_03_pfn_t)};
  if (Runtime::current() && find(id) && table && minor >= lengths.size())
    return HSA_STATUS_ERROR;
  if (id == HSA_EXTENSION_IMAGES)
    return functions::hsa_system_get_major_extension_table(id, major, minor ? 0 : sizeof(hsa_ext_images_1_00_pfn_t),
                                                           table);
  return functions::hsa_system_get_major_extension_table(id, major, minor < lengths.size() ? lengths[minor] : 0, table);
}

} // namespace crosslane::hsa::functions
