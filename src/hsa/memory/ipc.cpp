// Files in memory, their handles, and the processes that attach them.
#include "hsa/memory/ipc.h"
#include "hsa/functions.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/shared_pages.h"
#include "hsa/queue/signal.h"
#include "hsa/runtime.h"
#include "hsa/statistics.h"
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

// What the 32 bytes of a handle say. The inode tells whether the file is still the one that was meant.
struct Ticket {
  uint32_t magic;
  int32_t process, file;
  uint32_t offset; // of the first byte in its page
  uint64_t size, inode;
};
static_assert(sizeof(Ticket) == sizeof(hsa_amd_ipc_memory_t));

struct Kind {
  uint32_t magic;
  const char* file_name;
};
constexpr Kind memory_kind{0x786c6d31, memory_file}, signal_kind{0x786c7331, "crosslane-signal"};

uint64_t inode_of(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

hsa_amd_ipc_memory_t make_handle(const Kind& kind, int file, uint32_t offset, uint64_t size) {
  const Ticket ticket{kind.magic, getpid(), file, offset, size, inode_of(file)};
  hsa_amd_ipc_memory_t handle;
  std::memcpy(&handle, &ticket, sizeof handle);
  return handle;
}

// The file that a handle means; -1 if it means none any more. A handle is what another process says: it may name
// anything, such as a file that this process may write and the other may not.
int open_handle(const hsa_amd_ipc_memory_t& handle, const Kind& kind, Ticket& ticket) {
  std::memcpy(&ticket, &handle, sizeof ticket);
  if (ticket.magic != kind.magic || ticket.offset >= page_bytes || !ticket.size || ticket.size > INT64_MAX)
    return -1;
  const int path = open(fmt::format("/proc/{}/fd/{}", ticket.process, ticket.file).c_str(), O_PATH | O_CLOEXEC);
  if (path < 0)
    return -1;
  const int file = open_memory_file(path, kind.file_name);
  close(path);
  struct stat status;
  if (file >= 0 && (fstat(file, &status) != 0 || uint64_t(status.st_ino) != ticket.inode ||
                    uint64_t(status.st_size) != page_ceil(ticket.offset + ticket.size))) {
    close(file);
    return -1;
  }
  return file;
}

struct SharedBlock {
  int file;
  uint64_t size;
};
std::mutex blocks_mutex;
auto& blocks = *new std::map<void*, SharedBlock>; // signals outlive the runtime

// Leaves memory that is no signal there, for those who are late.
void empty(void* place) {
  if (mmap(place, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
    ipc_signal_slots.give_back(reinterpret_cast<uint64_t>(place));
}

void* map_block(int file, uint64_t size) {
  void* const place = ipc_signal_slots.take();
  if (!place)
    return nullptr;
  if (mmap(place, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    empty(place);
    return nullptr;
  }
  const std::lock_guard lock(blocks_mutex);
  blocks[place] = {file, size};
  return place;
}

} // namespace

void* allocate_shared(uint64_t size) {
  const int file = make_memory_file(signal_kind.file_name, page_bytes);
  void* p = file < 0 ? nullptr : map_block(file, size);
  if (!p && file >= 0)
    close(file);
  return p;
}

bool share(Runtime& runtime, Record& record) {
  if (record.file >= 0)
    return true;
  const uint64_t begin = page_floor(record.address), bytes = page_ceil(record.address + record.size) - begin;
  const int file = make_memory_file(memory_kind.file_name, bytes);
  if (file < 0)
    return false;
  const std::lock_guard lock(sharing);
  if (!share_pages(begin, bytes, file, 0, 0)) {
    close(file);
    return false;
  }
  record.file = file;
  runtime.statistics->written({record.address, record.address + record.size});
  return true;
}

bool free_shared(void* address) {
  const std::lock_guard lock(blocks_mutex);
  const auto it = blocks.find(address);
  if (it == blocks.end())
    return false;
  close(it->second.file);
  blocks.erase(it);
  empty(address);
  notify_all(); // who waits for it
  return true;
}

} // namespace crosslane::hsa

using namespace crosslane::hsa;

namespace crosslane::hsa::functions {

hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t length, hsa_amd_ipc_memory_t* handle) {
  return api([&](Runtime& runtime) {
    if (!ptr || !handle)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock guard(heap.mutex);
    const auto it = heap.records.find(reinterpret_cast<uint64_t>(ptr));
    if (it == heap.records.end() || !it->second.client ||
        (length != it->second.asked && length != page_ceil(it->second.asked)))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Record& record = it->second;
    if (!share(runtime, record))
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *handle = make_handle(memory_kind, record.file, uint32_t(record.address % page_bytes), record.asked);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t length, uint32_t agent_count,
                                       const hsa_agent_t* agent_handles, void** mapped) {
  return api([&](Runtime& runtime) {
    if (!handle || !mapped || (agent_count && !agent_handles))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<Agent*> agents;
    for (uint32_t i = 0; i < agent_count; ++i) {
      agents.push_back(runtime.agent(agent_handles[i]));
      if (!agents.back())
        return HSA_STATUS_ERROR_INVALID_AGENT;
    }
    if (!agent_count)
      for (const auto& agent : runtime.agents)
        agents.push_back(agent.get());
    Ticket ticket;
    const int file = open_handle(*handle, memory_kind, ticket);
    if (file < 0 || (length != ticket.size && length != page_ceil(ticket.size))) {
      if (file >= 0)
        close(file);
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    HeapTables& heap = heap_of(runtime);
    const uint64_t bytes = page_ceil(ticket.offset + ticket.size);
    void* pages = heap.memory.allocate(bytes, fmt::format("memory {} of process {}", ticket.file, ticket.process));
    if (!pages || mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
      heap.memory.free(pages);
      close(file);
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    Record record;
    record.address = reinterpret_cast<uint64_t>(pages) + ticket.offset;
    record.size = ticket.offset ? ticket.size : page_ceil(ticket.size); // whole pages, unless they were tight
    record.asked = ticket.size;
    record.agents = std::move(agents);
    record.file = file;
    record.imports = 1;
    *mapped = reinterpret_cast<void*>(record.address);
    const std::unique_lock guard(heap.mutex);
    heap.records[record.address] = std::move(record);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_memory_detach(void* mapped) {
  return api([&](Runtime& runtime) {
    HeapTables& heap = heap_of(runtime);
    const std::unique_lock guard(heap.mutex);
    const auto it = heap.records.find(reinterpret_cast<uint64_t>(mapped));
    if (it == heap.records.end() || !it->second.imports || it->second.interop)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    heap.memory.free(reinterpret_cast<void*>(page_floor(it->first)));
    close(it->second.file);
    heap.records.erase(it);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
  return api([&](Runtime&) {
    const std::lock_guard lock(blocks_mutex);
    const auto it = blocks.find(Signal::from(signal));
    if (it == blocks.end() || !handle)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *handle = make_handle(signal_kind, it->second.file, 0, it->second.size);
    return HSA_STATUS_SUCCESS;
  });
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  return api([&](Runtime&) {
    Ticket ticket;
    if (!handle || !signal)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const int file = open_handle(*handle, signal_kind, ticket);
    if (file < 0 || ticket.size != sizeof(Signal)) {
      if (file >= 0)
        close(file);
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    void* p = map_block(file, ticket.size);
    if (!p) {
      close(file);
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *signal = static_cast<Signal*>(p)->handle();
    return HSA_STATUS_SUCCESS;
  });
}

} // namespace crosslane::hsa::functions
