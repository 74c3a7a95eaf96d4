// Device memory as file descriptors (hsa_amd_portable_export_dmabuf), which UCX and RCCL hand to network cards and other processes:
// here files in memory, which every process that has one can map.
#include "hsa/functions.h"
#include "hsa/heap_tables.h"
#include "hsa/ipc.h"
#include "hsa/runtime.h"
#include "hsa/shared_pages.h"
#include <fcntl.h>
#include <unistd.h>

using namespace crosslane::hsa;

namespace {

hsa_status_t export_memory(const void* pointer, size_t size, int* file, uint64_t* offset, uint64_t flags) {
  return api([&](Runtime& runtime) {
    if (!pointer || !size || !file || !offset)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto address = reinterpret_cast<uint64_t>(pointer);
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock lock(heap.mutex);
    Record* record = heap.find(address);
    if (!record || !record->pool || size > record->address + record->size - address)
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (!record->pool->agent->gpu())
      return HSA_STATUS_ERROR_INVALID_AGENT;
    if (flags & HSA_AMD_DMABUF_MAPPING_TYPE_PCIE) // which takes a card whose memory the host sees all of
      return hsa_status_t(HSA_STATUS_ERROR_NOT_SUPPORTED);
    if (!share(*record))
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const int copy = fcntl(record->file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *file = copy;
    *offset = address - page_floor(record->address);
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_portable_export_dmabuf(const void* pointer, size_t size, int* file, uint64_t* offset) {
  return export_memory(pointer, size, file, offset, HSA_AMD_DMABUF_MAPPING_TYPE_NONE);
}

hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* pointer, size_t size, int* file, uint64_t* offset,
                                               uint64_t flags) {
  return export_memory(pointer, size, file, offset, flags);
}

hsa_status_t hsa_amd_portable_close_dmabuf(int file) {
  return api([&](Runtime&) { return close(file) == 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_RESOURCE_FREE; });
}

} // namespace crosslane::hsa::functions
