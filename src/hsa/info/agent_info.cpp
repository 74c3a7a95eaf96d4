// Agents and their caches, and the questions about them. What a GPU answers is what rocminfo prints on the real card
// with ROCm 5 or later, except where the emulation differs: no microcode.
#include "gpu/machine.h"
#include "hsa/extensions.h"
#include "hsa/functions.h"
#include "hsa/host.h"
#include "hsa/image/image.h"
#include "hsa/info/give.h"
#include "hsa/info/isa.h"
#include "hsa/info/place.h"
#include "hsa/memory/memory.h"
#include "hsa/newer.h"
#include "hsa/queue/queue.h"
#include "hsa/queue/signal.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <hsa/hsa_ext_image.h>

namespace crosslane::hsa {

namespace {

// A string of 64 characters, NUL included.
hsa_status_t give_name(void* value, std::string_view name) {
  std::array<char, 64> text{};
  name.copy(text.data(), text.size() - 1);
  return give(value, text);
}

hsa_status_t give_uuid(void* value, const std::string& uuid) {
  std::memcpy(value, uuid.c_str(), uuid.size() + 1);
  return HSA_STATUS_SUCCESS;
}

// Writes to what a real card would flush its host data path with; memory is coherent here, so nothing need happen.
hsa_amd_hdp_flush_t hdp_flush() {
  static uint32_t registers[2];
  return {&registers[0], &registers[1]};
}

std::array<uint32_t, 4> cache_bytes(const Agent& agent) {
  if (!agent.gpu())
    return host().cache_bytes;
  return {agent.card->l1_bytes, agent.card->l2_bytes, agent.card->l3_bytes, 0};
}

uint64_t free_bytes(const Agent& gpu) {
  for (const auto& pool : gpu.pools)
    if (pool->segment == HSA_AMD_SEGMENT_GLOBAL)
      return pool->size - std::min(pool->size, pool->used.load());
  return 0;
}

// What hsa_ext_image.h asks. Its types are those of ROCr and HIP, 32 bits, not those of its comments. The CPU has no
// images.
hsa_status_t tell_images(const Agent& agent, uint32_t attribute, void* value) {
  const auto limit = [&](hsa_ext_image_geometry_t geometry) {
    return agent.gpu() ? largest_image(geometry) : std::array<uint32_t, 4>{};
  };
  switch (attribute) {
  case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: {
    const auto most = limit(HSA_EXT_IMAGE_GEOMETRY_2D);
    return give(value, std::array{most[0], most[1]});
  }
  case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS: {
    const auto most = limit(HSA_EXT_IMAGE_GEOMETRY_3D);
    return give(value, std::array{most[0], most[1], most[2]});
  }
  case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
  case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS: return give(value, limit(HSA_EXT_IMAGE_GEOMETRY_1D)[0]);
  case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS: return give(value, limit(HSA_EXT_IMAGE_GEOMETRY_1DB)[0]);
  case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS: return give(value, limit(HSA_EXT_IMAGE_GEOMETRY_2DA)[3]);
  // The least that the header allows; there is no limit here.
  case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES: return give(value, uint32_t(agent.gpu() ? 128 : 0));
  case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES: return give(value, uint32_t(agent.gpu() ? 64 : 0));
  case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: return give(value, uint32_t(agent.gpu() ? 16 : 0));
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

// What both kinds of agents have the same answer to.
hsa_status_t tell_any(const Agent& agent, uint32_t attribute, void* value) {
  switch (attribute) {
  case HSA_AGENT_INFO_MACHINE_MODEL: return give(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
  case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    return give(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  case HSA_AGENT_INFO_QUEUE_TYPE: return give(value, HSA_QUEUE_TYPE_MULTI);
  case HSA_AGENT_INFO_NODE:
  case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID: return give(value, agent.node);
  case HSA_AGENT_INFO_CACHE_SIZE: return give(value, cache_bytes(agent));
  case HSA_AGENT_INFO_ISA: return give(value, agent.isa_handle());
  case HSA_AGENT_INFO_VERSION_MAJOR:
  case HSA_AGENT_INFO_VERSION_MINOR: // 1.1, as ROCr
    return give(value, uint16_t(1));
  case HSA_AMD_AGENT_INFO_DOMAIN: return give(value, uint32_t(0));
  default: return tell_images(agent, attribute, value);
  }
}

hsa_status_t tell_cpu(const Agent& cpu, uint32_t attribute, void* value) {
  switch (attribute) {
  case HSA_AGENT_INFO_NAME:
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME: return give_name(value, host().name);
  case HSA_AGENT_INFO_VENDOR_NAME: return give_name(value, "CPU");
  case HSA_AGENT_INFO_FEATURE: return give(value, hsa_agent_feature_t(0));
  case HSA_AGENT_INFO_PROFILE: return give(value, HSA_PROFILE_FULL);
  case HSA_AGENT_INFO_FAST_F16_OPERATION: return give(value, false);
  case HSA_AGENT_INFO_DEVICE: return give(value, HSA_DEVICE_TYPE_CPU);
  case HSA_AGENT_INFO_EXTENSIONS: return give(value, std::array<uint8_t, 128>{});
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: return give(value, std::array<uint16_t, 3>{});
  case HSA_AGENT_INFO_GRID_MAX_DIM: return give(value, hsa_dim3_t{0, 0, 0});
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: return give(value, uint32_t(64));
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: return give(value, host().cores);
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: return give(value, host().clock_mhz);
  case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: return give(value, uint32_t(1)); // what ROCr says of every CPU
  case HSA_AMD_AGENT_INFO_HDP_FLUSH: return give(value, hsa_amd_hdp_flush_t{nullptr, nullptr});
  case HSA_AMD_AGENT_INFO_UUID: return give_uuid(value, "CPU-XX");
  case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: return give(value, true);
  case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY: return give(value, uint64_t(1'000'000'000));
  case HSA_AMD_AGENT_INFO_NEAREST_CPU: // of these ROCr says nothing for a CPU
  case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
  case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS:
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT: return give(value, uint64_t(0));
  case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: return give(value, hsa_amd_clock_counters_t{});
  case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID:
  case HSA_AMD_AGENT_INFO_UCODE_VERSION:
  case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION:
  case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG:
  case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG:
  case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT:
  case HSA_AMD_AGENT_INFO_NUM_XCC:
  case HSA_AMD_AGENT_INFO_DRIVER_UID: return give(value, uint32_t(0));
  case HSA_AGENT_INFO_WAVEFRONT_SIZE: // it runs no kernels
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
  case HSA_AGENT_INFO_GRID_MAX_SIZE:
  case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
  case HSA_AGENT_INFO_QUEUES_MAX:
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
  case HSA_AMD_AGENT_INFO_CHIP_ID:
  case HSA_AMD_AGENT_INFO_BDFID:
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
  case HSA_AMD_AGENT_INFO_ASIC_REVISION: return give(value, uint32_t(0));
  default: return tell_any(cpu, attribute, value);
  }
}

hsa_status_t tell_gpu(const Runtime& runtime, const Agent& gpu, uint32_t attribute, void* value) {
  const gpu::Card& card = *gpu.card;
  switch (attribute) {
  case HSA_AGENT_INFO_NAME: return give_name(value, gpu.name);
  case HSA_AMD_AGENT_INFO_PRODUCT_NAME: return give_name(value, card.product);
  case HSA_AGENT_INFO_VENDOR_NAME: return give_name(value, "AMD");
  case HSA_AGENT_INFO_FEATURE: return give(value, HSA_AGENT_FEATURE_KERNEL_DISPATCH);
  case HSA_AGENT_INFO_PROFILE: return give(value, full_profile(card.target) ? HSA_PROFILE_FULL : HSA_PROFILE_BASE);
  case HSA_AGENT_INFO_FAST_F16_OPERATION:
    return give(value, isa::info(card.target).generation >= isa::Generation::gfx8);
  case HSA_AGENT_INFO_WAVEFRONT_SIZE: return give(value, uint32_t(64));
  case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: return give(value, std::array<uint16_t, 3>{1024, 1024, 1024});
  case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: return give(value, uint32_t(1024));
  case HSA_AGENT_INFO_GRID_MAX_DIM: return give(value, hsa_dim3_t{UINT32_MAX, UINT32_MAX, UINT32_MAX});
  case HSA_AGENT_INFO_GRID_MAX_SIZE: return give(value, UINT32_MAX);
  case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: return give(value, uint32_t(32));
  case HSA_AGENT_INFO_QUEUES_MAX: return give(value, uint32_t(128));
  case HSA_AGENT_INFO_QUEUE_MIN_SIZE: return give(value, smallest_queue);
  case HSA_AGENT_INFO_QUEUE_MAX_SIZE: return give(value, largest_queue);
  case HSA_AGENT_INFO_DEVICE: return give(value, HSA_DEVICE_TYPE_GPU);
  case HSA_AGENT_INFO_EXTENSIONS: return give(value, extension_bits());
  case HSA_AMD_AGENT_INFO_CHIP_ID: return give(value, card.device_id);
  case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: return give(value, card.cacheline_bytes);
  case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
  case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT: return give(value, card.compute_units);
  case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: // under CROSSLANE_TIME the rate of the model's cycles
    return give(value, modelled_now ? gpu.chosen.machine().whole(gpu::Parameter::clock) : uint32_t(card.clock_mhz));
  case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: return give(value, uint32_t(4));
  case HSA_AMD_AGENT_INFO_BDFID: return give(value, bus_location(gpu.node));
  case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: return give(value, card.memory_width_bits);
  case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY: return give(value, card.memory_clock_mhz);
  case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: return give(value, card.max_waves_per_unit);
  case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU: return give(value, card.simds_per_unit);
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: return give(value, card.shader_engines);
  case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: return give(value, card.arrays_per_engine);
  case HSA_AMD_AGENT_INFO_HDP_FLUSH: return give(value, hdp_flush());
  case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: return give(value, true);
  case HSA_AMD_AGENT_INFO_UUID: return give_uuid(value, gpu.uuid());
  case HSA_AMD_AGENT_INFO_ASIC_REVISION: return give(value, card.revision);
  case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: return give(value, false);
  case HSA_AMD_AGENT_INFO_MEMORY_AVAIL: return give(value, free_bytes(gpu));
  case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY: // of s_memrealtime
    return give(value, uint64_t(1'000'000'000 / nanoseconds_per_tick));
  case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID: return give(value, card.family);
  case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT: return give(value, uint32_t(0));
  case HSA_AMD_AGENT_INFO_UCODE_VERSION:
  case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION: // there is none
    return give(value, uint32_t(0));
  case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG: return give(value, card.sdma_engines);
  case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG: return give(value, card.sdma_link_engines);
  case HSA_AMD_AGENT_INFO_NUM_XCC: return give(value, uint32_t(1));
  case HSA_AMD_AGENT_INFO_DRIVER_UID: return give(value, driver_id(card, gpu.node));
  case HSA_AMD_AGENT_INFO_NEAREST_CPU: return give(value, runtime.agents.front()->handle());
  case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES:
    return give(value, std::array<uint8_t, 8>{uint8_t(card.apu << HSA_AMD_MEMORY_PROPERTY_AGENT_IS_APU)});
  case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS: return give(value, std::array<uint8_t, 8>{});
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
    return give(value, uint64_t(4) << 30);       // what ROCr sets aside of addresses for it
  case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT: // no asynchronous reclaim before gfx942
    return give(value, uint64_t(0));
  case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: { // of one moment; but for the card's in nanoseconds
    const uint64_t time = now();
    return give(value, hsa_amd_clock_counters_t{time / nanoseconds_per_tick, time, time, 1'000'000'000});
  }
  default: return tell_any(gpu, attribute, value);
  }
}

// A cache has no object of its own: its handle is its agent's with the level in the low bits.
constexpr uint64_t level_bits = 7;
static_assert(alignof(Agent) > level_bits);

hsa_cache_t cache_handle(const Agent& agent, uint64_t level) { return {agent.handle().handle | level}; }

} // namespace

std::string Agent::uuid() const { return gpu() ? fmt::format("GPU-{:016x}", unique_id(*card, node)) : "CPU-XX"; }

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data) {
  return api([&](Runtime& runtime) {
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const auto& agent : runtime.agents)
      if (const hsa_status_t status = callback(agent->handle(), data); status != HSA_STATUS_SUCCESS)
        return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void* value) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return agent->gpu() ? tell_gpu(runtime, *agent, attribute, value) : tell_cpu(*agent, attribute, value);
  });
}

hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t handle, hsa_agent_info_t attribute, void* value) {
  return api([&](Runtime& runtime) {
    if (!runtime.agent(handle))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const uint32_t a = attribute;
    if (!value || a < HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS || a > HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return tell_images(*runtime.agent(handle), a, value);
  });
}

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t handle, hsa_status_t (*callback)(hsa_cache_t, void*), void* data) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto sizes = cache_bytes(*agent);
    for (uint64_t level = 1; level <= sizes.size(); ++level)
      if (sizes[level - 1])
        if (const hsa_status_t status = callback(cache_handle(*agent, level), data); status != HSA_STATUS_SUCCESS)
          return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void* value) {
  return api([&](Runtime& runtime) {
    const uint64_t level = cache.handle & level_bits;
    const Agent* agent = runtime.agent({cache.handle & ~level_bits});
    if (!agent || level < 1 || level > 4 || !cache_bytes(*agent)[level - 1])
      return HSA_STATUS_ERROR_INVALID_CACHE;
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::string name = fmt::format("{} L{}", agent->gpu() ? agent->name : host().name, level);
    switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH: return give(value, uint32_t(name.size()));
    case HSA_CACHE_INFO_NAME: // an array, as hsa.h says; ROCr gives the address of one
      std::memcpy(value, name.c_str(), name.size() + 1);
      return HSA_STATUS_SUCCESS;
    case HSA_CACHE_INFO_LEVEL: return give(value, uint8_t(level));
    case HSA_CACHE_INFO_SIZE: // in bytes, as hsa.h says; ROCr gives kilobytes
      return give(value, cache_bytes(*agent)[level - 1]);
    }
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

} // namespace crosslane::hsa::functions
