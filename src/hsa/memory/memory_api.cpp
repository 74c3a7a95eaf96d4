// The API functions on regions, pools, allocations and locked memory.
#include "hsa/functions.h"
#include "hsa/info/give.h"
#include "hsa/info/place.h"
#include "hsa/memory/copy.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/shared_pages.h"
#include "hsa/memory/vmem.h"
#include "hsa/newer.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

using namespace crosslane::hsa;

namespace {

Pool* find_pool(Runtime& runtime, uint64_t handle) {
  HeapTables& heap = heap_of(runtime);
  const std::shared_lock lock(heap.mutex);
  return heap.pool(handle);
}

bool allocatable(const Pool& pool) { return pool.segment == HSA_AMD_SEGMENT_GLOBAL; }

// "device memory 12": what faults call an allocation.
std::string name_for(HeapTables& heap, const Pool& pool) {
  if (pool.agent->gpu())
    return fmt::format("device memory {}", ++heap.named[0]);
  if (pool.flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
    return fmt::format("kernarg memory {}", ++heap.named[1]);
  return fmt::format("host memory {}", ++heap.named[2]);
}

// Memory has no physical addresses here, so that all of it counts as contiguous, and kernels may execute any.
constexpr uint32_t pool_flags =
    HSA_AMD_MEMORY_POOL_PCIE_FLAG | HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG | HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG;

hsa_status_t allocate(Runtime& runtime, Pool& pool, size_t size, void** ptr) {
  if (!allocatable(pool) || size > pool.size)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  HeapTables& heap = heap_of(runtime);
  const bool tight = pool.agent->gpu() && runtime.heap->tight();
  void* const p = runtime.heap->allocate(size, &pool, name_for(heap, pool), tight);
  if (!p)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::unique_lock lock(heap.mutex);
  if (Record* const record = heap.find(reinterpret_cast<uint64_t>(p)))
    record->client = true;
  if (const auto begin = reinterpret_cast<uint64_t>(p); pool.agent->gpu())
    runtime.statistics->allocated({begin, begin + size});
  *ptr = p;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t free_allocation(Runtime& runtime, void* ptr) {
  if (!ptr)
    return HSA_STATUS_SUCCESS;
  {
    // What came from another process is given back by hsa_amd_ipc_memory_detach.
    HeapTables& heap = heap_of(runtime);
    const std::shared_lock lock(heap.mutex);
    const auto it = heap.records.find(reinterpret_cast<uint64_t>(ptr));
    if (it == heap.records.end() || !it->second.client)
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  return runtime.heap->free(ptr) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

// What pools and regions have in common. Their attributes have the same numbers.
hsa_status_t common_info(const Runtime& runtime, const Pool& pool, uint32_t attribute, void* value) {
  switch (attribute) {
  case HSA_REGION_INFO_SEGMENT: return give<uint32_t>(value, pool.segment);
  case HSA_REGION_INFO_GLOBAL_FLAGS: return give<uint32_t>(value, pool.flags);
  case HSA_REGION_INFO_SIZE: return give<size_t>(value, pool.size);
  case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED: return give<bool>(value, allocatable(pool));
  case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE: return give<size_t>(value, allocatable(pool) ? granule_bytes : 0);
  case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT: // see allocate()
    return give<size_t>(value, !allocatable(pool)                           ? 0
                               : pool.agent->gpu() && runtime.heap->tight() ? 256
                                                                            : granule_bytes);
  default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_amd_memory_pool_access_t access(const Agent& agent, const Pool& pool) {
  if (pool.agent == &agent)
    return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
  if (pool.segment != HSA_AMD_SEGMENT_GLOBAL)
    return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  if (!agent.gpu()) // As on a machine without large BAR: HIP would else write to device memory by itself, unchecked.
    return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
}

bool has_xgmi(const Agent& agent) { return agent.gpu() && agent.card->xgmi; }

hsa_amd_memory_pool_link_info_t link(const Agent& agent, const Pool& pool) {
  hsa_amd_memory_pool_link_info_t info = {};
  const bool xgmi = has_xgmi(agent) && has_xgmi(*pool.agent);
  info.max_bandwidth = xgmi ? xgmi_megabytes : pcie_megabytes;
  info.atomic_support_32bit = info.atomic_support_64bit = info.coherent_support = true;
  info.link_type = xgmi ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE;
  info.numa_distance = xgmi ? 15 : pool.agent->gpu() ? 40 : 20;
  return info;
}

// Null entries and unknown handles: false.
bool find_agents(Runtime& runtime, const hsa_agent_t* handles, size_t count, std::vector<Agent*>& agents) {
  for (size_t i = 0; i < count; ++i) {
    agents.push_back(runtime.agent(handles[i]));
    if (!agents.back())
      return false;
  }
  return true;
}

hsa_status_t lock_memory(Runtime& runtime, void* host, size_t size, hsa_agent_t* handles, int count, void** agent_ptr) {
  std::vector<Agent*> agents;
  if (!find_agents(runtime, handles, size_t(count), agents))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!handles)
    for (const auto& agent : runtime.agents)
      agents.push_back(agent.get());
  // The driver takes what is mapped, from the first byte to the last. msync tells.
  const uint64_t first = page_floor(reinterpret_cast<uint64_t>(host)), last = reinterpret_cast<uint64_t>(host) + size;
  if (last < first || msync(reinterpret_cast<void*>(first), last - first, MS_ASYNC) != 0)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *agent_ptr = runtime.heap->lock(host, size, agents.data(), agents.size());
  return *agent_ptr ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

bool bad_lock(void* host, size_t size, hsa_agent_t* agents, int count, void** agent_ptr) {
  return !host || !size || !agent_ptr || count < 0 || (agents != nullptr) != (count != 0);
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t handle, hsa_status_t (*callback)(hsa_region_t, void*), void* data) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    // A GPU has its own memory first and then the host's, fine-grained before coarse-grained.
    std::vector<const Agent*> owners = {agent};
    if (agent->gpu())
      owners.push_back(runtime.agents[0].get());
    for (const Agent* owner : owners)
      for (const auto& pool : owner->pools)
        if (const hsa_status_t status = callback(pool->region(), data))
          return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void* value) {
  return api([&](Runtime& runtime) {
    const Pool* pool = find_pool(runtime, region.handle);
    if (!pool)
      return HSA_STATUS_ERROR_INVALID_REGION;
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (uint32_t(attribute)) {
    case HSA_REGION_INFO_ALLOC_MAX_SIZE: return give<size_t>(value, allocatable(*pool) ? pool->size : 0);
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE: return give<bool>(value, !pool->agent->gpu());
    case HSA_AMD_REGION_INFO_BASE: return give<void*>(value, nullptr);
    case HSA_AMD_REGION_INFO_BUS_WIDTH:
      return give<uint32_t>(value, pool->agent->gpu() && allocatable(*pool) ? pool->agent->card->memory_width_bits : 0);
    case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
      return give<uint32_t>(value, pool->agent->gpu() && allocatable(*pool) ? pool->agent->card->memory_clock_mhz : 0);
    default: return common_info(runtime, *pool, attribute, value);
    }
  });
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t handle,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const auto& pool : agent->pools)
      if (const hsa_status_t status = callback(pool->handle(), data))
        return status;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle, hsa_amd_memory_pool_info_t attribute,
                                          void* value) {
  return api([&](Runtime& runtime) {
    const Pool* pool = find_pool(runtime, handle.handle);
    if (!pool)
      return hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (uint32_t(attribute)) {
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL: return give<bool>(value, !pool->agent->gpu());
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE: return give<size_t>(value, allocatable(*pool) ? pool->size : 0);
    case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
      if (!allocatable(*pool))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      return give(value, pool->agent->gpu() ? HSA_AMD_MEMORY_POOL_LOCATION_GPU : HSA_AMD_MEMORY_POOL_LOCATION_CPU);
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE: // ROCr hands out device memory in pieces of such blocks
      return give<size_t>(value, !allocatable(*pool) ? 0 : pool->agent->gpu() ? size_t(2) << 20 : granule_bytes);
    default: return common_info(runtime, *pool, attribute, value);
    }
  });
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent_handle, hsa_amd_memory_pool_t handle,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(agent_handle);
    const Pool* pool = find_pool(runtime, handle.handle);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!pool)
      return hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    if (!value)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto allowed = access(*agent, *pool);
    const bool linked = allowed != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED && pool->agent != agent;
    switch (attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS: return give<hsa_amd_memory_pool_access_t>(value, allowed);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS: return give<uint32_t>(value, linked);
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: // one entry per hop; without any ROCr writes one of zeros
      return give(value, linked ? link(*agent, *pool) : hsa_amd_memory_pool_link_info_t{});
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
  });
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  return api([&](Runtime& runtime) {
    if (!size || !ptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Pool* pool = find_pool(runtime, region.handle);
    return pool ? allocate(runtime, *pool, size, ptr) : HSA_STATUS_ERROR_INVALID_REGION;
  });
}

hsa_status_t hsa_memory_free(void* ptr) {
  return api([&](Runtime& runtime) { return free_allocation(runtime, ptr); });
}

hsa_status_t hsa_memory_copy(void* dst, const void* src, size_t size) {
  return api([&](Runtime& runtime) {
    if (!dst || !src)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto copying =
        check_copy(runtime, {static_cast<uint8_t*>(dst), static_cast<const uint8_t*>(src), size}, "hsa_memory_copy");
    copy_bytes(runtime, dst, src, size, "hsa_memory_copy");
    runtime.statistics->copied(copying);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_memory_assign_agent(void* ptr, hsa_agent_t agent, hsa_access_permission_t permission) {
  return api([&](Runtime& runtime) {
    if (!ptr || permission < HSA_ACCESS_PERMISSION_RO || permission > HSA_ACCESS_PERMISSION_RW)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime.agent(agent) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT; // all memory is coherent
  });
}

hsa_status_t hsa_memory_register(void* ptr, size_t size) {
  return api([&](Runtime&) { return ptr && !size ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS; });
}

hsa_status_t hsa_memory_deregister(void*, size_t) {
  return api([](Runtime&) { return HSA_STATUS_SUCCESS; });
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size, uint32_t flags, void** ptr) {
  return api([&](Runtime& runtime) {
    if (!size || !ptr || flags & ~pool_flags)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Pool* pool = find_pool(runtime, handle.handle);
    if (!pool)
      return hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    const hsa_status_t status = allocate(runtime, *pool, size, ptr);
    if (status == HSA_STATUS_SUCCESS && flags & HSA_AMD_MEMORY_POOL_PCIE_FLAG) {
      HeapTables& heap = heap_of(runtime);
      const std::unique_lock lock(heap.mutex);
      if (Record* record = heap.find(reinterpret_cast<uint64_t>(*ptr)))
        record->fine = true;
    }
    return status;
  });
}

hsa_status_t hsa_amd_memory_pool_free(void* ptr) {
  return api([&](Runtime& runtime) { return free_allocation(runtime, ptr); });
}

hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t* handles, const uint32_t* flags,
                                         const void* ptr) {
  return api([&](Runtime& runtime) {
    if (!count || !handles || flags || !ptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<Agent*> agents;
    if (!find_agents(runtime, handles, count, agents))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock lock(heap.mutex);
    Record* record = heap.find(reinterpret_cast<uint64_t>(ptr));
    if (!record)
      return runtime.virtual_memory->allow(reinterpret_cast<uint64_t>(ptr), agents) ? HSA_STATUS_SUCCESS
                                                                                    : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    record->agents = std::move(agents);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t from, hsa_amd_memory_pool_t to, bool* result) {
  return api([&](Runtime& runtime) {
    if (!result)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!find_pool(runtime, from.handle) || !find_pool(runtime, to.handle))
      return hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    *result = false;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t pool, uint32_t flags) {
  return api([&](Runtime& runtime) {
    if (!ptr || flags)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!find_pool(runtime, pool.handle))
      return hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    say_once("hsa_amd_memory_migrate",
             "hsa_amd_memory_migrate: buffers stay in the pool that they came from, as with the "
             "real runtime; hsa_amd_memory_pool_can_migrate says so");
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}

hsa_status_t hsa_amd_memory_lock(void* host, size_t size, hsa_agent_t* agents, int count, void** agent_ptr) {
  return api([&](Runtime& runtime) {
    if (bad_lock(host, size, agents, count, agent_ptr))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return lock_memory(runtime, host, size, agents, count, agent_ptr);
  });
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host, size_t size, hsa_agent_t* agents, int count,
                                         hsa_amd_memory_pool_t handle, uint32_t flags, void** agent_ptr) {
  return api([&](Runtime& runtime) {
    if (bad_lock(host, size, agents, count, agent_ptr) || flags)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Pool* pool = find_pool(runtime, handle.handle);
    if (!pool || pool->agent->gpu())
      return hsa_status_t(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    return lock_memory(runtime, host, size, agents, count, agent_ptr);
  });
}

hsa_status_t hsa_amd_memory_unlock(void* host) {
  return api([&](Runtime& runtime) {
    if (!host)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime.heap->unlock(host); // of memory that is not locked: nothing happens, as with the real runtime
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t handle, hsa_amd_coherency_type_t* type) {
  return api([&](Runtime& runtime) {
    const Agent* agent = runtime.agent(handle);
    if (!agent || !agent->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!type)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *type = agent->coherency;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t handle, hsa_amd_coherency_type_t type) {
  return api([&](Runtime& runtime) {
    Agent* agent = runtime.agent(handle);
    if (!agent || !agent->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (type != HSA_AMD_COHERENCY_TYPE_COHERENT && type != HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    agent->coherency = type; // and memory is coherent all the same, which satisfies both
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
