// Its table of functions; each says that there are no counters.
#include "hsa/tools/aqlprofile.h"
#include <cstddef>
#include <cstring>
#include <dlfcn.h>

namespace crosslane::hsa {

const hsa_ven_amd_aqlprofile_pfn_t* aqlprofile_table() {
  static hsa_ven_amd_aqlprofile_pfn_t table{};
  static const bool good = [] {
    void* const library = dlopen("libhsa-amd-aqlprofile64.so.1", RTLD_LAZY);
    if (!library)
      return false;
    const auto find = [&]<class Function>(Function*& function, const char* name) {
      function = reinterpret_cast<Function*>(dlsym(library, name));
    };
#define FIND(name) find(table.hsa_ven_amd_aqlprofile_##name, "hsa_ven_amd_aqlprofile_" #name)
    FIND(version_major);
    FIND(version_minor);
    FIND(error_string);
    FIND(validate_event);
    FIND(start);
    FIND(stop);
    FIND(read);
    FIND(legacy_get_pm4);
    FIND(get_info);
    FIND(iterate_data);
    return table.hsa_ven_amd_aqlprofile_version_major && table.hsa_ven_amd_aqlprofile_version_major() == 1;
  }();
  return good ? &table : nullptr;
}

} // namespace crosslane::hsa
