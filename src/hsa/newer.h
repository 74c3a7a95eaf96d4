// Owns the declarations of the HSA interface that are newer than the headers this is compiled with (ROCm 5.2.3, Debian
// 12): of hsa.h, hsa_ext_amd.h and hsa_ext_image.h up to the release after 6.4 (HSA_AMD_INTERFACE_VERSION 1.11), names
// and numbers as there. "since" says which release brought what follows. newer_tools.h has what profilers use. Source:
// the headers of ROCR-Runtime 5.7, 6.0, 6.2 and of rocm-systems, August 2025.
#pragma once
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

// HSA_AMD_INTERFACE_VERSION_MAJOR and _MINOR of the newest header, which HSA_AMD_SYSTEM_INFO_EXT_VERSION_* tell.
inline constexpr uint16_t hsa_amd_newest_interface_major = 1, hsa_amd_newest_interface_minor = 11;

// ---- hsa.h

// hsa_access_permission_t, since 6.0: takes access away (hsa_amd_vmem_set_access).
inline constexpr auto HSA_ACCESS_PERMISSION_NONE = static_cast<hsa_access_permission_t>(0);

// hsa_status_t
enum : int {
  HSA_STATUS_ERROR_OUT_OF_REGISTERS = 45, // since 5.5: a kernel wants more VGPRs than there are
  HSA_STATUS_ERROR_RESOURCE_BUSY = 46,    // since 6.2
  HSA_STATUS_ERROR_NOT_SUPPORTED = 47,    // after 6.4: not by this system
};

// hsa_system_info_t
enum : uint32_t {
  HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED = 0x203,            // since 5.6: bool
  HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED = 0x204,          // since 5.6: bool
  HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED = 0x205, // since 6.0: bool
  HSA_AMD_SYSTEM_INFO_XNACK_ENABLED = 0x206,             // since 6.0: bool
  HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR = 0x207,         // since 6.2: uint16_t
  HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR = 0x208,         // since 6.2: uint16_t
};

// hsa_extension_t, since 6.2
enum : uint16_t { HSA_EXTENSION_AMD_PC_SAMPLING = 0x203 };

// hsa_device_type_t, after 6.2: an AI engine, which no agent here is
inline constexpr uint32_t HSA_DEVICE_TYPE_AIE = 3;

// hsa_region_global_flag_t and hsa_amd_memory_pool_global_flag_t, since 5.7: fine-grained, and atomics of the device's
// scope are the system's
enum : uint32_t {
  HSA_REGION_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8,
  HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED = 8,
};

// hsa_code_symbol_info_t, since 6.0: uint32_t, 32 or 64
enum : uint32_t { HSA_CODE_SYMBOL_INFO_KERNEL_WAVEFRONT_SIZE = 19 };

// ---- hsa_ext_amd.h: agents

// hsa_amd_agent_info_t
enum : uint32_t {
  HSA_AMD_AGENT_INFO_MEMORY_AVAIL = 0xA015,        // since 5.3: uint64_t, bytes of all pools of the agent that are free
  HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY = 0xA016, // since 5.4: uint64_t, Hz
  HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID = 0xA107,      // since 5.4: uint32_t
  HSA_AMD_AGENT_INFO_UCODE_VERSION = 0xA108,       // since 5.4: uint32_t, of the command processor
  HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION = 0xA109,  // since 5.4: uint32_t
  HSA_AMD_AGENT_INFO_NUM_SDMA_ENG = 0xA10A,        // since 5.4: uint32_t, engines for copies to and from the host
  HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG = 0xA10B,   // since 5.4: uint32_t, further ones for copies over links
  HSA_AMD_AGENT_INFO_IOMMU_SUPPORT = 0xA110,       // since 5.4: hsa_amd_iommu_version_t
  HSA_AMD_AGENT_INFO_NUM_XCC = 0xA111,             // since 5.6: uint32_t
  HSA_AMD_AGENT_INFO_DRIVER_UID = 0xA112,          // since 5.7: uint32_t
  HSA_AMD_AGENT_INFO_NEAREST_CPU = 0xA113,         // since 6.0: hsa_agent_t
  HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES = 0xA114,   // since 6.1: uint8_t[8], bits of hsa_amd_agent_memory_properties_t
  HSA_AMD_AGENT_INFO_AQL_EXTENSIONS = 0xA115,      // since 6.1: uint8_t[8]
  HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX = 0xA116,   // since 6.3: uint64_t, bytes
  HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT =
      0xA117,                                 // since 6.3: uint64_t, bytes; hsa_amd_agent_set_async_scratch_limit
  HSA_AMD_AGENT_INFO_CLOCK_COUNTERS = 0xA118, // after 6.4: hsa_amd_clock_counters_t
};

typedef enum { HSA_IOMMU_SUPPORT_NONE = 0, HSA_IOMMU_SUPPORT_V2 = 1 } hsa_amd_iommu_version_t;

typedef enum hsa_amd_agent_memory_properties_s {
  HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU = (1 << 0), // which bit, of the 64
} hsa_amd_agent_memory_properties_t;

typedef struct hsa_amd_clock_counters_s {
  uint64_t gpu_clock_counter, cpu_clock_counter, system_clock_counter, system_clock_frequency;
} hsa_amd_clock_counters_t;

// since 5.6
typedef enum hsa_amd_sdma_engine_id {
  HSA_AMD_SDMA_ENGINE_0 = 0x1,
  HSA_AMD_SDMA_ENGINE_1 = 0x2,
  HSA_AMD_SDMA_ENGINE_2 = 0x4,
  HSA_AMD_SDMA_ENGINE_3 = 0x8,
  HSA_AMD_SDMA_ENGINE_4 = 0x10,
  HSA_AMD_SDMA_ENGINE_5 = 0x20,
  HSA_AMD_SDMA_ENGINE_6 = 0x40,
  HSA_AMD_SDMA_ENGINE_7 = 0x80,
  HSA_AMD_SDMA_ENGINE_8 = 0x100,
  HSA_AMD_SDMA_ENGINE_9 = 0x200,
  HSA_AMD_SDMA_ENGINE_10 = 0x400,
  HSA_AMD_SDMA_ENGINE_11 = 0x800,
  HSA_AMD_SDMA_ENGINE_12 = 0x1000,
  HSA_AMD_SDMA_ENGINE_13 = 0x2000,
  HSA_AMD_SDMA_ENGINE_14 = 0x4000,
  HSA_AMD_SDMA_ENGINE_15 = 0x8000,
} hsa_amd_sdma_engine_id_t;

// ---- memory

// hsa_amd_memory_pool_info_t
enum : uint32_t {
  HSA_AMD_MEMORY_POOL_INFO_LOCATION = 17,                  // since 5.5: hsa_amd_memory_pool_location_t
  HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE = 18, // since 6.0: size_t, bytes
};

typedef enum hsa_amd_memory_pool_location_s {
  HSA_AMD_MEMORY_POOL_LOCATION_CPU = 0,
  HSA_AMD_MEMORY_POOL_LOCATION_GPU = 1,
} hsa_amd_memory_pool_location_t;

// Of hsa_amd_memory_pool_allocate.
typedef enum hsa_amd_memory_pool_flag_s {
  HSA_AMD_MEMORY_POOL_STANDARD_FLAG = 0,
  HSA_AMD_MEMORY_POOL_PCIE_FLAG = (1 << 0),       // since 5.5
  HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG = (1 << 1), // since 6.2
  HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG = (1 << 2), // after 6.2
} hsa_amd_memory_pool_flag_t;

// hsa_amd_pointer_type_t, since 6.3: an address that is reserved, with nothing there
inline constexpr auto HSA_EXT_POINTER_TYPE_RESERVED_ADDR = static_cast<hsa_amd_pointer_type_t>(5);

// hsa_amd_svm_attribute_t, since 5.6: bool, kernels may execute what is there
enum : uint64_t { HSA_AMD_SVM_ATTRIB_GPU_EXEC = 7 };

// after 6.4
typedef enum hsa_amd_dma_buf_mapping_type_s : int {
  HSA_AMD_DMABUF_MAPPING_TYPE_NONE = 0,
  HSA_AMD_DMABUF_MAPPING_TYPE_PCIE = 1,
} hsa_amd_dma_buf_mapping_type_t;

// after 6.4: only addresses, which the driver is not told of
typedef enum hsa_amd_vmem_address_reserve_flag_s {
  HSA_AMD_VMEM_ADDRESS_NO_REGISTER = (1UL << 0),
} hsa_amd_vmem_address_reserve_flag_t;

// since 6.0
typedef struct hsa_amd_vmem_alloc_handle_s {
  uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;

typedef enum { MEMORY_TYPE_NONE, MEMORY_TYPE_PINNED } hsa_amd_memory_type_t;

typedef struct hsa_amd_memory_access_desc_s {
  hsa_access_permission_t permissions;
  hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;

// ---- queues

// since 6.2
typedef enum {
  HSA_AMD_QUEUE_INFO_AGENT,       // hsa_agent_t
  HSA_AMD_QUEUE_INFO_DOORBELL_ID, // uint64_t
} hsa_queue_info_attribute_t;

// after 6.4; nothing takes them, the environment says it (HSA_ALLOCATE_QUEUE_DEV_MEM)
typedef enum {
  HSA_AMD_QUEUE_CREATE_SYSTEM_MEM = 0,
  HSA_AMD_QUEUE_CREATE_DEVICE_MEM_RING_BUF = (1 << 0),
  HSA_AMD_QUEUE_CREATE_DEVICE_MEM_QUEUE_DESCRIPTOR = (1 << 1),
} hsa_amd_queue_create_flag_t;

// after 6.4: bits of the flags of hsa_amd_enable_logging
typedef enum hsa_amd_log_flag_s { HSA_AMD_LOG_FLAG_BLIT_KERNEL_PKTS = 0 } hsa_amd_log_flag_t;

// ---- events (hsa_amd_event_type_t); none of these happens to an emulated card

enum : uint32_t {
  HSA_AMD_GPU_HW_EXCEPTION_EVENT = 1, // since 5.7
  HSA_AMD_GPU_MEMORY_ERROR_EVENT = 2, // after 6.2
};

// ---- hsa_ext_image.h, after 6.2

// With an address mode for each of x, y and z.
typedef struct hsa_ext_sampler_descriptor_v2_s {
  hsa_ext_sampler_coordinate_mode32_t coordinate_mode;
  hsa_ext_sampler_filter_mode32_t filter_mode;
  hsa_ext_sampler_addressing_mode32_t address_modes[3];
} hsa_ext_sampler_descriptor_v2_t;

extern "C" {

hsa_status_t hsa_ext_sampler_create_v2(hsa_agent_t agent, const hsa_ext_sampler_descriptor_v2_t* descriptor,
                                       hsa_ext_sampler_t* sampler);

// since 5.6
hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals, hsa_signal_t completion_signal,
                                                 hsa_amd_sdma_engine_id_t engine_id, bool force_copy_on_sdma);
hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent, uint32_t* engine_ids_mask);
hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf, uint64_t* offset);
hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf);

// since 6.0
hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags);
hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size);
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t flags, hsa_amd_vmem_alloc_handle_t* memory_handle);
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle);
hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t memory_handle,
                              uint64_t flags);
hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size);
hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt);
hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* perms, hsa_agent_t agent_handle);
hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags);
hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle);
hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle, void* addr);
hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                                           hsa_amd_memory_pool_t* pool, hsa_amd_memory_type_t* type);

// since 6.1
hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t threshold);

// since 6.2
hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, hsa_queue_info_attribute_t attribute, void* value);
hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address, uint64_t alignment,
                                                uint64_t flags);

// after 6.2
hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void* file);
hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                      uint32_t* recommended_ids_mask);
hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* ptr, size_t size, int* dmabuf, uint64_t* offset,
                                               uint64_t flags);
uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint, hsa_wait_state_t wait_hint,
                                 hsa_signal_value_t* satisfying_values);

} // extern "C"

// The table of the images' extension with what came last.
struct hsa_ext_images_1_newest_pfn_t {
  hsa_ext_images_1_pfn_t table;
  decltype(&::hsa_ext_sampler_create_v2) hsa_ext_sampler_create_v2;
};
