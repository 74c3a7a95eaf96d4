// The functions on virtual memory: what they check of their arguments.
#include "hsa/functions.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/vmem.h"
#include "hsa/runtime.h"

using namespace crosslane::hsa;

namespace {

uint64_t number(const void* address) { return reinterpret_cast<uint64_t>(address); }

hsa_status_t reserve(void** va, size_t size, uint64_t address, uint64_t alignment, uint64_t flags) {
  return api([&](Runtime& runtime) {
    if (!va || !size)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t place = 0;
    const hsa_status_t status =
        runtime.virtual_memory->reserve(size, address, alignment, !(flags & HSA_AMD_VMEM_ADDRESS_NO_REGISTER), place);
    if (status == HSA_STATUS_SUCCESS)
      *va = reinterpret_cast<void*>(place);
    return status;
  });
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags) {
  return reserve(va, size, address, 0, flags);
}

hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address, uint64_t alignment,
                                                uint64_t flags) {
  return reserve(va, size, address, alignment, flags);
}

hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size) {
  return api([&](Runtime& runtime) {
    return va && size ? runtime.virtual_memory->unreserve(number(va), size) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool_handle, size_t size, hsa_amd_memory_type_t type,
                                        uint64_t, hsa_amd_vmem_alloc_handle_t* memory) {
  return api([&](Runtime& runtime) {
    if (!size || !memory || unsigned(type) > MEMORY_TYPE_PINNED)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Pool* pool = nullptr;
    {
      HeapTables& heap = heap_of(runtime);
      const std::shared_lock lock(heap.mutex);
      pool = heap.pool(pool_handle.handle);
    }
    if (!pool)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t handle = 0;
    const hsa_status_t status = runtime.virtual_memory->create(*pool, size, type, handle);
    if (status == HSA_STATUS_SUCCESS)
      memory->handle = handle;
    return status;
  });
}

hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory) {
  return api([&](Runtime& runtime) { return runtime.virtual_memory->release(memory.handle); });
}

hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t offset, hsa_amd_vmem_alloc_handle_t memory, uint64_t) {
  return api([&](Runtime& runtime) {
    return va && size ? runtime.virtual_memory->map(number(va), size, offset, memory.handle)
                      : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size) {
  return api([&](Runtime& runtime) {
    return va && size ? runtime.virtual_memory->unmap(number(va), size) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* list, size_t count) {
  return api([&](Runtime& runtime) {
    if (!va || !size || !list || !count)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    VirtualMemory::Access access;
    for (size_t i = 0; i < count; ++i) {
      Agent* agent = runtime.agent(list[i].agent_handle);
      if (!agent)
        return HSA_STATUS_ERROR_INVALID_AGENT;
      if (unsigned(list[i].permissions) > HSA_ACCESS_PERMISSION_RW)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      access[agent] = list[i].permissions;
    }
    return runtime.virtual_memory->set_access(number(va), size, access);
  });
}

hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* permission, hsa_agent_t handle) {
  return api([&](Runtime& runtime) {
    if (!va || !permission)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *permission = HSA_ACCESS_PERMISSION_NONE;
    Agent* agent = runtime.agent(handle);
    return agent ? runtime.virtual_memory->get_access(number(va), *agent, *permission) : HSA_STATUS_ERROR_INVALID_AGENT;
  });
}

hsa_status_t hsa_amd_vmem_export_shareable_handle(int* file, hsa_amd_vmem_alloc_handle_t memory, uint64_t) {
  return api([&](Runtime& runtime) {
    if (!file)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *file = -1;
    return runtime.virtual_memory->export_file(memory.handle, *file);
  });
}

hsa_status_t hsa_amd_vmem_import_shareable_handle(int file, hsa_amd_vmem_alloc_handle_t* memory) {
  return api([&](Runtime& runtime) {
    return memory && file >= 0 ? runtime.virtual_memory->import_file(file, memory->handle)
                               : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory, void* address) {
  return api([&](Runtime& runtime) {
    return memory && address ? runtime.virtual_memory->retain(number(address), memory->handle)
                             : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory,
                                                           hsa_amd_memory_pool_t* pool_handle,
                                                           hsa_amd_memory_type_t* type) {
  return api([&](Runtime& runtime) {
    if (!pool_handle || !type)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Pool* pool = nullptr;
    const hsa_status_t status = runtime.virtual_memory->properties(memory.handle, pool, *type);
    if (status == HSA_STATUS_SUCCESS)
      *pool_handle = pool->handle();
    return status;
  });
}

} // namespace crosslane::hsa::functions
