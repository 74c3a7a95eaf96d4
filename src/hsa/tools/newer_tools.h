// Owns the declarations for profilers that are newer than the headers this is compiled with: of hsa_amd_tool.h (events
// of scratch memory), hsa_ven_amd_pc_sampling.h, and the streaming performance monitor of hsa_ext_amd.h. Names and
// numbers as there. Source: the headers of ROCR-Runtime 6.2 and of rocm-systems, August 2025.
#pragma once
#include <hsa/hsa.h>

// ---- hsa_amd_tool.h, since 6.1

typedef enum {
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_NONE = 0,
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_USE_ONCE = (1 << 0), // for one dispatch alone
  HSA_AMD_EVENT_SCRATCH_ALLOC_FLAG_ALT = (1 << 1),      // the alternate one
} hsa_amd_event_scratch_alloc_flag_t;

typedef enum {
  HSA_AMD_TOOL_EVENT_MIN = 0,
  HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_START,
  HSA_AMD_TOOL_EVENT_SCRATCH_ALLOC_END,
  HSA_AMD_TOOL_EVENT_SCRATCH_FREE_START,
  HSA_AMD_TOOL_EVENT_SCRATCH_FREE_END,
  HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_START,
  HSA_AMD_TOOL_EVENT_SCRATCH_ASYNC_RECLAIM_END,
  HSA_AMD_TOOL_EVENT_MAX,
} hsa_amd_tool_event_kind_t;

typedef struct {
  hsa_amd_tool_event_kind_t kind;
} hsa_amd_tool_event_none_t;

typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
  uint64_t dispatch_id; // of the packet that wants more
} hsa_amd_event_scratch_alloc_start_t;

typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
  uint64_t dispatch_id;
  size_t size;      // bytes
  size_t num_slots; // waves that it is enough for
} hsa_amd_event_scratch_alloc_end_t;

typedef struct {
  hsa_amd_tool_event_kind_t kind;
  const hsa_queue_t* queue;
  hsa_amd_event_scratch_alloc_flag_t flags;
} hsa_amd_event_scratch_free_start_t;

typedef hsa_amd_event_scratch_free_start_t hsa_amd_event_scratch_free_end_t;
typedef hsa_amd_event_scratch_free_start_t hsa_amd_event_scratch_async_reclaim_start_t;
typedef hsa_amd_event_scratch_free_start_t hsa_amd_event_scratch_async_reclaim_end_t;

typedef union {
  const hsa_amd_tool_event_none_t* none;
  const hsa_amd_event_scratch_alloc_start_t* scratch_alloc_start;
  const hsa_amd_event_scratch_alloc_end_t* scratch_alloc_end;
  const hsa_amd_event_scratch_free_start_t* scratch_free_start;
  const hsa_amd_event_scratch_free_end_t* scratch_free_end;
  const hsa_amd_event_scratch_async_reclaim_start_t* scratch_async_reclaim_start;
  const hsa_amd_event_scratch_async_reclaim_end_t* scratch_async_reclaim_end;
} hsa_amd_tool_event_t;

typedef hsa_status_t (*hsa_amd_tool_event)(hsa_amd_tool_event_t);

// ---- hsa_ven_amd_pc_sampling.h, since 6.2

typedef struct {
  uint64_t pc;
  uint64_t exec_mask;
  uint32_t workgroup_id_x, workgroup_id_y, workgroup_id_z;
  uint32_t wave_in_wg : 6;
  uint32_t chiplet : 3;
  uint32_t reserved : 23;
  uint32_t hw_id;
  uint32_t reserved0;
  uint64_t reserved1;
  uint64_t timestamp;
  uint64_t correlation_id;
} perf_sample_hosttrap_v1_t;

typedef struct {
  uint64_t pc;
  uint64_t exec_mask;
  uint32_t workgroup_id_x, workgroup_id_y, workgroup_id_z;
  uint32_t wave_in_wg : 6;
  uint32_t chiplet : 3;
  uint32_t reserved : 23;
  uint32_t hw_id;
  uint32_t perf_snapshot_data, perf_snapshot_data1, perf_snapshot_data2;
  uint64_t timestamp;
  uint64_t correlation_id;
} perf_sample_snapshot_v1_t;

typedef enum {
  HSA_VEN_AMD_PCS_METHOD_HOSTTRAP_V1,
  HSA_VEN_AMD_PCS_METHOD_STOCHASTIC_V1,
} hsa_ven_amd_pcs_method_kind_t;

typedef enum {
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_MICRO_SECONDS,
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_CLOCK_CYCLES,
  HSA_VEN_AMD_PCS_INTERVAL_UNITS_INSTRUCTIONS,
} hsa_ven_amd_pcs_units_t;

typedef enum {
  HSA_VEN_AMD_PCS_CONFIGURATION_FLAGS_INTERVAL_POWER_OF_2 = (1 << 0),
} hsa_ven_amd_pcs_configuration_flags_t;

typedef struct {
  uint64_t handle;
} hsa_ven_amd_pcs_t;

typedef struct {
  hsa_ven_amd_pcs_method_kind_t method;
  hsa_ven_amd_pcs_units_t units;
  size_t min_interval, max_interval;
  uint64_t flags;
} hsa_ven_amd_pcs_configuration_t;

typedef hsa_status_t (*hsa_ven_amd_pcs_data_copy_callback_t)(void* hsa_callback_data, size_t data_size,
                                                             void* destination);
typedef void (*hsa_ven_amd_pcs_data_ready_callback_t)(void* client_callback_data, size_t data_size,
                                                      size_t lost_sample_count,
                                                      hsa_ven_amd_pcs_data_copy_callback_t data_copy_callback,
                                                      void* hsa_callback_data);
typedef hsa_status_t (*hsa_ven_amd_pcs_iterate_configuration_callback_t)(const hsa_ven_amd_pcs_configuration_t*,
                                                                         void* callback_data);

extern "C" {

hsa_status_t hsa_ven_amd_pcs_iterate_configuration(hsa_agent_t agent,
                                                   hsa_ven_amd_pcs_iterate_configuration_callback_t callback,
                                                   void* callback_data);
hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                    hsa_ven_amd_pcs_units_t units, size_t interval, size_t latency, size_t buffer_size,
                                    hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback,
                                    void* client_callback_data, hsa_ven_amd_pcs_t* pc_sampling);
hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t pcs_id, hsa_agent_t agent, hsa_ven_amd_pcs_method_kind_t method,
                                            hsa_ven_amd_pcs_units_t units, size_t interval, size_t latency,
                                            size_t buffer_size,
                                            hsa_ven_amd_pcs_data_ready_callback_t data_ready_callback,
                                            void* client_callback_data, hsa_ven_amd_pcs_t* pc_sampling);
hsa_status_t hsa_ven_amd_pcs_destroy(hsa_ven_amd_pcs_t pc_sampling);
hsa_status_t hsa_ven_amd_pcs_start(hsa_ven_amd_pcs_t pc_sampling);
hsa_status_t hsa_ven_amd_pcs_stop(hsa_ven_amd_pcs_t pc_sampling);
hsa_status_t hsa_ven_amd_pcs_flush(hsa_ven_amd_pcs_t pc_sampling);

// ---- hsa_ext_amd.h, since 5.5: the streaming performance monitor

hsa_status_t hsa_amd_spm_acquire(hsa_agent_t preferred_agent);
hsa_status_t hsa_amd_spm_release(hsa_agent_t preferred_agent);
hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t preferred_agent, size_t size_in_bytes, uint32_t* timeout,
                                         uint32_t* size_copied, void* dest, bool* is_data_loss);

// ---- exports of no header, since 6.1: the events above, by name

hsa_status_t hsa_tools_scratch_event_alloc_start(hsa_amd_tool_event_t event);
hsa_status_t hsa_tools_scratch_event_alloc_end(hsa_amd_tool_event_t event);
hsa_status_t hsa_tools_scratch_event_free_start(hsa_amd_tool_event_t event);
hsa_status_t hsa_tools_scratch_event_free_end(hsa_amd_tool_event_t event);
hsa_status_t hsa_tools_scratch_event_async_reclaim_start(hsa_amd_tool_event_t event);
hsa_status_t hsa_tools_scratch_event_async_reclaim_end(hsa_amd_tool_event_t event);

} // extern "C"

// ---- hsa_api_trace.h: in the tables alone

using hsa_amd_queue_intercept_packet_writer = void (*)(const void* packets, uint64_t count);
using hsa_amd_queue_intercept_handler = void (*)(const void* packets, uint64_t count, uint64_t user_packet_index,
                                                 void* data, hsa_amd_queue_intercept_packet_writer writer);
using hsa_amd_runtime_queue_notifier = void (*)(const hsa_queue_t* queue, hsa_agent_t agent, void* data);

hsa_status_t hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                            void (*callback)(hsa_status_t status, hsa_queue_t* source, void* data),
                                            void* data, uint32_t private_segment_size, uint32_t group_segment_size,
                                            hsa_queue_t** queue);
hsa_status_t hsa_amd_queue_intercept_register(hsa_queue_t* queue, hsa_amd_queue_intercept_handler callback,
                                              void* user_data);
hsa_status_t hsa_amd_runtime_queue_create_register(hsa_amd_runtime_queue_notifier callback, void* user_data);

// The table of the extension HSA_EXTENSION_AMD_PC_SAMPLING.
typedef struct hsa_ven_amd_pc_sampling_1_00_pfn_t {
  decltype(&::hsa_ven_amd_pcs_iterate_configuration) hsa_ven_amd_pcs_iterate_configuration;
  decltype(&::hsa_ven_amd_pcs_create) hsa_ven_amd_pcs_create;
  decltype(&::hsa_ven_amd_pcs_create_from_id) hsa_ven_amd_pcs_create_from_id;
  decltype(&::hsa_ven_amd_pcs_destroy) hsa_ven_amd_pcs_destroy;
  decltype(&::hsa_ven_amd_pcs_start) hsa_ven_amd_pcs_start;
  decltype(&::hsa_ven_amd_pcs_stop) hsa_ven_amd_pcs_stop;
  decltype(&::hsa_ven_amd_pcs_flush) hsa_ven_amd_pcs_flush;
} hsa_ven_amd_pc_sampling_1_00_pfn_t;
