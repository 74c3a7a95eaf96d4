// Device memory as file descriptors (hsa_amd_portable_export_dmabuf), which UCX and RCCL hand to network cards and
// other processes: here files in memory, which every process that has one can map. hsa_amd_interop_map_buffer takes
// them back.
#include "hsa/functions.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/ipc.h"
#include "hsa/memory/shared_pages.h"
#include "hsa/runtime.h"
#include "hsa/settings.h"
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
    if (!share(runtime, *record))
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const int copy = fcntl(record->file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *file = copy;
    *offset = address - page_floor(record->address);
    return HSA_STATUS_SUCCESS;
  });
}

// Files of others than this runtime, which no driver here could make: said once.
hsa_status_t refuse_file(int file) {
  say_once(
      "hsa_amd_interop_map_buffer",
      fmt::format("hsa_amd_interop_map_buffer: file descriptor {} is no memory of this runtime, which knows no other "
                  "driver; it fails with HSA_STATUS_ERROR_INVALID_ARGUMENT",
                  file));
  return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

} // namespace

namespace crosslane::hsa::functions {

// Each call maps it anew. There is no metadata: the header lets both pointers be null.
hsa_status_t hsa_amd_interop_map_buffer(uint32_t count, hsa_agent_t* handles, int interop, uint32_t flags, size_t* size,
                                        void** pointer, size_t* metadata_size, const void** metadata) {
  return api([&](Runtime& runtime) {
    if (!count || !handles || flags || !size || !pointer)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Record record;
    for (uint32_t i = 0; i < count; ++i) {
      record.agents.push_back(runtime.agent(handles[i]));
      if (!record.agents.back())
        return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    struct stat status;
    if (memory_file_name(interop).empty() || fstat(interop, &status) != 0)
      return refuse_file(interop);
    const auto bytes = uint64_t(status.st_size);
    HeapTables& heap = heap_of(runtime);
    void* const pages = heap.memory.allocate(bytes, fmt::format("buffer of file {}", interop));
    record.file = pages ? fcntl(interop, F_DUPFD_CLOEXEC, 0) : -1;
    if (record.file < 0 ||
        mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, interop, 0) == MAP_FAILED) {
      if (record.file >= 0)
        close(record.file);
      if (pages)
        heap.memory.free(pages);
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    record.address = reinterpret_cast<uint64_t>(pages);
    record.size = record.asked = bytes;
    record.imports = 1;
    record.interop = true;
    *size = bytes;
    *pointer = pages;
    if (metadata_size)
      *metadata_size = 0;
    if (metadata)
      *metadata = nullptr;
    const std::unique_lock lock(heap.mutex);
    heap.records[record.address] = std::move(record);
    return HSA_STATUS_SUCCESS;
  });
}

// As ROCr, it succeeds whatever it is given.
hsa_status_t hsa_amd_interop_unmap_buffer(void* pointer) {
  return api([&](Runtime& runtime) {
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock lock(heap.mutex);
    const auto it = heap.records.find(reinterpret_cast<uint64_t>(pointer));
    if (it == heap.records.end() || !it->second.interop)
      return HSA_STATUS_SUCCESS;
    heap.memory.free(pointer);
    close(it->second.file);
    heap.records.erase(it);
    return HSA_STATUS_SUCCESS;
  });
}

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
