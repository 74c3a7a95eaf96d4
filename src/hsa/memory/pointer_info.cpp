// What a client may know about an address: hsa_amd_pointer_info; and its wish to hear of the end of an allocation.
#include "hsa/functions.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/vmem.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <cstring>

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_pointer_info(const void* ptr, hsa_amd_pointer_info_t* info, void* (*alloc)(size_t),
                                  uint32_t* agent_count, hsa_agent_t** agent_list) {
  return api([&](Runtime& runtime) {
    if (!ptr || !info || !info->size)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto address = reinterpret_cast<uint64_t>(ptr);
    hsa_amd_pointer_info_t found = {};
    std::vector<Agent*> agents;
    HeapTables& heap = heap_of(runtime);
    {
      const std::shared_lock guard(heap.mutex);
      if (const Record* record = heap.find(address)) {
        found.type = record->interop   ? HSA_EXT_POINTER_TYPE_GRAPHICS
                     : record->imports ? HSA_EXT_POINTER_TYPE_IPC
                                       : HSA_EXT_POINTER_TYPE_HSA;
        found.agentBaseAddress = found.hostBaseAddress = reinterpret_cast<void*>(record->address);
        found.sizeInBytes = record->size;
        found.userData = record->user_data;
        found.global_flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
        agents = record->agents;
        if (record->imports) {
          found.agentOwner = runtime.agents.back()->handle(); // which of the other process's GPUs has no meaning here
        } else if (record->pool) {
          found.agentOwner = record->pool->agent->handle();
          found.global_flags = record->fine ? HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED : record->pool->flags;
          if (std::ranges::find(agents, record->pool->agent) == agents.end())
            agents.insert(agents.begin(), record->pool->agent);
        }
      } else if (const Lock* lock = heap.find_lock(address)) {
        found.type = HSA_EXT_POINTER_TYPE_LOCKED;
        found.agentBaseAddress = reinterpret_cast<void*>(lock->alias);
        found.hostBaseAddress = reinterpret_cast<void*>(lock->host);
        found.sizeInBytes = lock->size;
        found.userData = lock->user_data;
        found.agentOwner = runtime.agents[0]->handle();
        found.global_flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
        agents = lock->agents;
      } else {
        runtime.virtual_memory->describe(address, found, agents);
      }
    }
    // An older or newer client's structure may be smaller or larger than ours.
    found.size = uint32_t(std::min<size_t>(info->size, sizeof found));
    std::memcpy(info, &found, found.size);
    if (!alloc || !agent_count || !agent_list)
      return HSA_STATUS_SUCCESS;
    *agent_count = 0;
    *agent_list = nullptr;
    if (agents.empty())
      return HSA_STATUS_SUCCESS;
    auto* list = static_cast<hsa_agent_t*>(alloc(agents.size() * sizeof(hsa_agent_t)));
    if (!list)
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::ranges::transform(agents, list, [](const Agent* agent) { return agent->handle(); });
    *agent_count = uint32_t(agents.size());
    *agent_list = list;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void* ptr, void* user_data) {
  return api([&](Runtime& runtime) {
    const auto address = reinterpret_cast<uint64_t>(ptr);
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock guard(heap.mutex);
    if (const auto it = heap.records.find(address); it != heap.records.end()) {
      it->second.user_data = user_data;
      return HSA_STATUS_SUCCESS;
    }
    Lock* lock = heap.find_lock(address);
    if (!lock && runtime.virtual_memory->set_user_data(address, user_data))
      return HSA_STATUS_SUCCESS;
    if (!ptr || !lock || (address != lock->alias && address != lock->host))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    lock->user_data = user_data;
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_register_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback, void* data) {
  return api([&](Runtime& runtime) {
    if (!ptr || !callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock guard(heap.mutex);
    Record* record = heap.find(reinterpret_cast<uint64_t>(ptr));
    if (!record)
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    record->notices.push_back({callback, ptr, data});
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void* ptr, hsa_amd_deallocation_callback_t callback) {
  return api([&](Runtime& runtime) {
    if (!ptr || !callback)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock guard(heap.mutex);
    Record* record = heap.find(reinterpret_cast<uint64_t>(ptr));
    if (!record)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    // However often it was registered, as ROCr does.
    const auto removed = std::erase_if(
        record->notices, [&](const Notice& notice) { return notice.callback == callback && notice.address == ptr; });
    return removed ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

} // namespace crosslane::hsa::functions
