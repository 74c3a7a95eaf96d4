// A tool as profilers are: a library that is told of the API tables, remembers what it was told, and puts a function of
// its own in front of hsa_system_get_info. Compiled once per behaviour: PRIORITY gives HSA_AMD_TOOL_PRIORITY, REFUSES
// an OnLoad that fails, NO_ONLOAD none. Against the tables of Debian's headers, 5.2.
#include "tests/hsa/tools/counter.h"
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

ToolRecord record;
decltype(CoreApiTable::hsa_system_get_info_fn) next = nullptr;

[[maybe_unused]] hsa_status_t count(hsa_system_info_t attribute, void* value) {
  ++record.calls;
  return next(attribute, value);
}

// The order of events of all tools of the process.
void note(const char* what) {
  const char* before = std::getenv("TOOL_LOG");
  setenv("TOOL_LOG", ((before ? before : "") + std::string(what) + NAME " ").c_str(), 1);
}

} // namespace

extern "C" {

#define EXPORTED [[gnu::visibility("default")]]

#ifdef PRIORITY
EXPORTED extern const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = PRIORITY;
#endif

#ifndef NO_ONLOAD
EXPORTED bool OnLoad(HsaApiTable* table, uint64_t runtime_version, uint64_t failed_tool_count,
                     const char* const* failed_tool_names) {
  note("+");
  ++record.loads;
  record.table = table;
  record.runtime_version = runtime_version;
  record.failed_count = failed_tool_count;
  record.failed[0] = 0;
  for (uint64_t i = 0; i < failed_tool_count; ++i)
    std::strncat(std::strncat(record.failed, failed_tool_names[i], 200), " ", 2);
#ifdef REFUSES
  return false;
#endif
  next = table->core_->hsa_system_get_info_fn;
  table->core_->hsa_system_get_info_fn = count;
  uint16_t version = 0; // the runtime is up
  record.status_in_on_load = next(HSA_SYSTEM_INFO_VERSION_MAJOR, &version);
  return true;
}
#endif

EXPORTED void OnUnload() {
  note("-");
  uint16_t version = 0;
  ++record.unloads;
  record.status_in_on_unload = next(HSA_SYSTEM_INFO_VERSION_MAJOR, &version);
}

EXPORTED ToolRecord* tool_record() { return &record; }

} // extern "C"
