// What only a card can do for profilers: samples of program counters (hsa_ven_amd_pc_sampling.h), the streaming
// performance monitor and news of scratch memory, which costs nothing here. Each checks its arguments, says once that
// it is not there, and returns what ROCr returns where the driver has none of it: HSA_STATUS_ERROR.
#include "hsa/functions.h"
#include "hsa/runtime.h"
#include "hsa/settings.h"
#include "hsa/tools/newer_tools.h"
#include <fmt/format.h>

using namespace crosslane::hsa;

namespace {

hsa_status_t refuse(const char* function, const char* what, hsa_agent_t agent, bool good_arguments = true) {
  return api([&](Runtime& runtime) {
    const Agent* gpu = runtime.agent(agent);
    if (!gpu || !gpu->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!good_arguments)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    say_once(function, fmt::format("{} is not supported: an emulated GPU has no {}; it fails with HSA_STATUS_ERROR",
                                   function, what));
    return HSA_STATUS_ERROR;
  });
}

constexpr const char* no_sampling =
    "hardware that samples program counters ('crosslane run --profile' counts instructions)";
constexpr const char* no_monitor = "streaming performance monitor";

// No session is ever created.
hsa_status_t no_such_session() {
  return api([](Runtime&) { return HSA_STATUS_ERROR_INVALID_ARGUMENT; });
}

// Nobody listens to an event but the tool that has put its own function into the table of these.
hsa_status_t nobody_listens() {
  return api([](Runtime&) { return HSA_STATUS_SUCCESS; });
}

// "A multiple of size of perf_sample_hosttrap_v1_t".
bool good_session(hsa_ven_amd_pcs_method_kind_t method, hsa_ven_amd_pcs_units_t units, size_t interval, size_t bytes) {
  static_assert(sizeof(perf_sample_hosttrap_v1_t) == sizeof(perf_sample_snapshot_v1_t));
  return unsigned(method) <= HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1 &&
         unsigned(units) <= HSA_VEN_AMD_PCS_INTERVAL_UNITS_INSTRUCTIONS && interval && bytes &&
         bytes % sizeof(perf_sample_hosttrap_v1_t) == 0;
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_ven_amd_pcs_iterate_configuration(hsa_agent_t agent,
                                                   hsa_ven_amd_pcs_iterate_configuration_callback_t callback, void*) {
  return refuse(__func__, no_sampling, agent, callback);
}

hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                    hsa_ven_amd_pcs_units_t units, size_t interval, size_t, size_t bytes,
                                    hsa_ven_amd_pcs_data_ready_callback_t callback, void*, hsa_ven_amd_pcs_t* session) {
  return refuse(__func__, no_sampling, agent, callback && session && good_session(method, units, interval, bytes));
}

hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t, hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                            hsa_ven_amd_pcs_units_t units, size_t interval, size_t, size_t bytes,
                                            hsa_ven_amd_pcs_data_ready_callback_t callback, void*,
                                            hsa_ven_amd_pcs_t* session) {
  return refuse(__func__, no_sampling, agent, callback && session && good_session(method, units, interval, bytes));
}

hsa_status_t hsa_ven_amd_pcs_destroy(hsa_ven_amd_pcs_t) { return no_such_session(); }
hsa_status_t hsa_ven_amd_pcs_start(hsa_ven_amd_pcs_t) { return no_such_session(); }
hsa_status_t hsa_ven_amd_pcs_stop(hsa_ven_amd_pcs_t) { return no_such_session(); }
hsa_status_t hsa_ven_amd_pcs_flush(hsa_ven_amd_pcs_t) { return no_such_session(); }

hsa_status_t hsa_amd_spm_acquire(hsa_agent_t agent) { return refuse(__func__, no_monitor, agent); }
hsa_status_t hsa_amd_spm_release(hsa_agent_t agent) { return refuse(__func__, no_monitor, agent); }
hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t agent, size_t, uint32_t* timeout, uint32_t* copied, void*,
                                         bool* lost) {
  return refuse(__func__, no_monitor, agent, timeout && copied && lost);
}

hsa_status_t hsa_tools_scratch_event_alloc_start(hsa_amd_tool_event_t) { return nobody_listens(); }
hsa_status_t hsa_tools_scratch_event_alloc_end(hsa_amd_tool_event_t) { return nobody_listens(); }
hsa_status_t hsa_tools_scratch_event_free_start(hsa_amd_tool_event_t) { return nobody_listens(); }
hsa_status_t hsa_tools_scratch_event_free_end(hsa_amd_tool_event_t) { return nobody_listens(); }
hsa_status_t hsa_tools_scratch_event_async_reclaim_start(hsa_amd_tool_event_t) { return nobody_listens(); }
hsa_status_t hsa_tools_scratch_event_async_reclaim_end(hsa_amd_tool_event_t) { return nobody_listens(); }

} // namespace crosslane::hsa::functions
