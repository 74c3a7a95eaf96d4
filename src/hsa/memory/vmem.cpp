// Source: hsa_ext_amd.h, "hsa_amd_vmem_*"; where that leaves a status open, ROCr's runtime.cpp.
#include "hsa/memory/vmem.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/ipc.h"
#include "hsa/memory/shared_pages.h"
#include "hsa/runtime.h"
#include "machine/window.h"
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

bool whole_pages(uint64_t value) { return value % page_bytes == 0; }

// Nothing there any more, but the addresses stay taken.
bool map_nothing(uint64_t address, uint64_t size, int protection) {
  return mmap(pointer(address), size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
         MAP_FAILED;
}

uint64_t map_at(uint64_t address, uint64_t size, int protection) {
  void* p = mmap(pointer(address), size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
                 -1, 0);
  if (p != MAP_FAILED && p != pointer(address)) // a host that does not know the flag
    munmap(p, size);
  return p == pointer(address) ? address : 0;
}

int protection_of(const VirtualMemory::Access& access) {
  uint32_t all = 0;
  for (const auto& [agent, permission] : access)
    all |= permission;
  return (all & HSA_ACCESS_PERMISSION_RO ? PROT_READ : 0) |
         (all & HSA_ACCESS_PERMISSION_WO ? PROT_READ | PROT_WRITE : 0);
}

// The name tells whoever imports the file whose memory it is.
constexpr const char* name_format = "crosslane-vmem-%u-%u"; // node of the agent, type of the memory

// Each memory has a file, and many programs may have but 1024.
int make_file(const char* name, uint64_t size) {
  int file = make_memory_file(name, size);
  rlimit limit{};
  if (file < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
      file = make_memory_file(name, size);
  }
  return file;
}

} // namespace

VirtualMemory::~VirtualMemory() {
  for (const auto& [address, reservation] : reservations_)
    munmap(pointer(address), reservation.size);
  for (const auto& [handle, memory] : memories_)
    close(memory.file);
}

hsa_status_t VirtualMemory::reserve(uint64_t size, uint64_t wanted, uint64_t alignment, bool registered,
                                    uint64_t& address) {
  alignment = alignment ? alignment : page_bytes;
  if (!whole_pages(size) || alignment < page_bytes || !std::has_single_bit(alignment))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES; // ROCr's answer; the header has no other
  const int protection = registered ? PROT_NONE : PROT_READ | PROT_WRITE;
  const machine::Reach reach = runtime_.reaches_host ? machine::everything : machine::device_reach();
  const std::lock_guard lock(mutex_);
  uint64_t place = 0;
  if (wanted && wanted % alignment == 0 && wanted + size > wanted && reach.contains(wanted) &&
      reach.contains(wanted + size - 1))
    place = map_at(wanted, size, protection);
  if (!place)
    place = machine::map_in_window(size, protection, alignment);
  if (!place)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const Reservation& made = reservations_[place] = {size, ++last_number_, registered, nullptr, {}};
  note_gap(place, made, place);
  address = place;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::unreserve(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex_);
  const auto it = reservations_.find(address);
  if (it == reservations_.end())
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (size != it->second.size)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!it->second.mappings.empty())
    return HSA_STATUS_ERROR_RESOURCE_FREE;
  if (munmap(pointer(address), size) != 0)
    return HSA_STATUS_ERROR;
  heap_of(runtime_).memory.forget(address);
  reservations_.erase(it);
  return HSA_STATUS_SUCCESS;
}

VirtualMemory::Memory* VirtualMemory::memory(uint64_t handle) {
  const auto it = memories_.find(handle);
  return it == memories_.end() ? nullptr : &it->second;
}

// HIP takes handles for addresses, and has tables of the bytes behind each: none may lie in another's, nor where memory
// is. ROCr's are from 2^47 on, too.
uint64_t VirtualMemory::add(const Memory& memory) {
  const uint64_t handle = next_handle_;
  next_handle_ += page_ceil(memory.size);
  memories_[handle] = memory;
  return handle;
}

void VirtualMemory::drop_if_unused(uint64_t handle) {
  const Memory& memory = memories_.at(handle);
  if (memory.references || memory.mappings)
    return;
  close(memory.file);
  if (!memory.imported)
    heap_of(runtime_).give_back(memory.pool, memory.size);
  memories_.erase(handle);
}

hsa_status_t VirtualMemory::create(Pool& pool, uint64_t size, hsa_amd_memory_type_t type, uint64_t& handle) {
  if (pool.segment != HSA_AMD_SEGMENT_GLOBAL)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (!pool.agent->gpu() || !whole_pages(size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (size > pool.size)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  HeapTables& heap = heap_of(runtime_);
  if (!heap.take(&pool, size))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  char name[64];
  std::snprintf(name, sizeof name, name_format, pool.agent->node, unsigned(type));
  const int file = make_file(name, size);
  if (file < 0) {
    heap.give_back(&pool, size);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  const std::lock_guard lock(mutex_);
  handle = add({.file = file, .size = size, .pool = &pool, .type = type});
  return HSA_STATUS_SUCCESS;
}

// What is mapped stays until it is unmapped.
hsa_status_t VirtualMemory::release(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  Memory* const found = memory(handle);
  if (!found || !found->references)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  --found->references;
  drop_if_unused(handle);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::retain(uint64_t address, uint64_t& handle) {
  const std::lock_guard lock(mutex_);
  const Row found = row(address, 1);
  if (found.mappings.empty())
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  handle = found.mappings[0]->second.handle;
  ++memories_.at(handle).references;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::properties(uint64_t handle, Pool*& pool, hsa_amd_memory_type_t& type) {
  const std::lock_guard lock(mutex_);
  const Memory* found = memory(handle);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  pool = found->pool;
  type = found->type;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::export_file(uint64_t handle, int& file) {
  const std::lock_guard lock(mutex_);
  const Memory* found = memory(handle);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  file = fcntl(found->file, F_DUPFD_CLOEXEC, 0);
  return file < 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
}

// As with ROCr every import is a handle of its own, on which HIP relies.
hsa_status_t VirtualMemory::import_file(int file, uint64_t& handle) {
  const std::string name = memory_file_name(file);
  unsigned node = 0, type = 0;
  if (name != hsa::memory_file && std::sscanf(name.c_str(), name_format, &node, &type) != 2)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  struct stat status;
  if (fstat(file, &status) != 0 || type > MEMORY_TYPE_PINNED)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  // Of a card that is not among this process's: the first one's.
  const auto& agents = runtime_.agents;
  const Agent& owner = *agents[node > 0 && node < agents.size() ? node : std::min<size_t>(1, agents.size() - 1)];
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const std::lock_guard lock(mutex_);
  handle = add({.file = copy,
                .size = uint64_t(status.st_size),
                .pool = owner.pools[0].get(),
                .imported = true,
                .type = hsa_amd_memory_type_t(type)});
  return HSA_STATUS_SUCCESS;
}

VirtualMemory::Reservations::iterator VirtualMemory::reservation_of(uint64_t address) {
  auto it = reservations_.upper_bound(address);
  if (it == reservations_.begin() || address - std::prev(it)->first >= std::prev(it)->second.size)
    return reservations_.end();
  return std::prev(it);
}

// The first one holds the address; the last one holds the end of the range, if they reach as far.
VirtualMemory::Row VirtualMemory::row(uint64_t address, uint64_t size) {
  Row row;
  const auto found = reservation_of(address);
  if (found == reservations_.end() || size > found->second.end(found->first) - address)
    return row;
  row.reservation = &found->second;
  Mappings& all = found->second.mappings;
  auto it = all.upper_bound(address);
  if (it == all.begin() || address - std::prev(it)->first >= std::prev(it)->second.size)
    return row;
  row.end = (--it)->first;
  for (; it != all.end() && it->first == row.end && row.end < address + size; ++it) {
    row.mappings.push_back(it);
    row.end += it->second.size;
  }
  return row;
}

hsa_status_t VirtualMemory::map(uint64_t address, uint64_t size, uint64_t offset, uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = reservation_of(address);
  if (!whole_pages(address) || !whole_pages(size) || !whole_pages(offset) || found == reservations_.end() ||
      size > found->second.end(found->first) - address)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Reservation& reservation = found->second;
  const auto next = reservation.mappings.lower_bound(address);
  const uint64_t gap_end = next == reservation.mappings.end() ? reservation.end(found->first) : next->first;
  const uint64_t gap_begin =
      next == reservation.mappings.begin() ? found->first : std::prev(next)->first + std::prev(next)->second.size;
  Memory* const from = memory(handle);
  if (address < gap_begin || size > gap_end - address || !from || offset > from->size || size > from->size - offset)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (mmap(pointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, from->file, off_t(offset)) == MAP_FAILED)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  ++from->mappings;
  const Mapping& made = reservation.mappings[address] = {size, handle, {}};
  heap_of(runtime_).memory.forget(gap_begin);
  note_gap(gap_begin, reservation, found->first);
  note(reservation, address, made);
  note_gap(address + size, reservation, found->first);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::unmap(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex_);
  const Row found = row(address, size);
  if (found.mappings.empty() || found.mappings[0]->first != address)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found.end != address + size)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Reservation& reservation = *found.reservation;
  const uint64_t begin = reservation_of(address)->first;
  if (!map_nothing(address, size, reservation.registered ? PROT_NONE : PROT_READ | PROT_WRITE))
    return HSA_STATUS_ERROR;
  auto& notes = heap_of(runtime_).memory;
  for (const auto it : found.mappings) {
    notes.forget(it->first);
    --memories_.at(it->second.handle).mappings;
    drop_if_unused(it->second.handle);
    reservation.mappings.erase(it);
  }
  notes.forget(address + size); // the gap behind joins the one that this leaves
  const auto next = reservation.mappings.upper_bound(address);
  uint64_t gap = begin;
  if (next != reservation.mappings.begin())
    gap = std::prev(next)->first + std::prev(next)->second.size;
  if (next != reservation.mappings.end() && next->first == address + size)
    note(reservation, next->first, next->second);
  note_gap(gap, reservation, begin);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::give_access(const Reservation& reservation, Mappings::iterator it, const Access& wanted) {
  Mapping& mapping = it->second;
  Access access = mapping.access;
  for (const auto& [agent, permission] : wanted)
    access[agent] = permission;
  const int protection = protection_of(access);
  if (protection != protection_of(mapping.access) && mprotect(pointer(it->first), mapping.size, protection) != 0)
    return HSA_STATUS_ERROR;
  mapping.access = std::move(access);
  note(reservation, it->first, mapping);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t VirtualMemory::set_access(uint64_t address, uint64_t size, const Access& wanted) {
  const std::lock_guard lock(mutex_);
  const Row found = row(address, size);
  if (!found.reservation)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (found.mappings.empty() || found.mappings[0]->first != address || found.end < address + size)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (found.end > address + size) // "must be equal to size of previously mapped virtual memory handle"
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (const auto it : found.mappings)
    if (const hsa_status_t status = give_access(*found.reservation, it, wanted))
      return status;
  return HSA_STATUS_SUCCESS;
}

// ROCr and its tests: an agent that was never named has no access, which is no error.
hsa_status_t VirtualMemory::get_access(uint64_t address, Agent& agent, hsa_access_permission_t& permission) {
  const std::lock_guard lock(mutex_);
  const Row found = row(address, 1);
  if (found.mappings.empty())
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  const Access& access = found.mappings[0]->second.access;
  const auto it = access.find(&agent);
  permission = it == access.end() ? HSA_ACCESS_PERMISSION_NONE : it->second;
  return HSA_STATUS_SUCCESS;
}

bool VirtualMemory::allow(uint64_t address, std::span<Agent* const> agents) {
  const std::lock_guard lock(mutex_);
  const auto found = reservation_of(address);
  if (found == reservations_.end())
    return false;
  const Row all = row(address, found->second.end(found->first) - address);
  Access access;
  for (Agent* agent : agents)
    access[agent] = HSA_ACCESS_PERMISSION_RW;
  for (const auto it : all.mappings)
    if (give_access(*all.reservation, it, access) != HSA_STATUS_SUCCESS)
      return false;
  return !all.mappings.empty();
}

bool VirtualMemory::writable(uint64_t address, uint64_t size) {
  const std::lock_guard lock(mutex_);
  const Row found = row(address, size);
  return !found.mappings.empty() && found.end >= address + size &&
         std::ranges::all_of(found.mappings,
                             [](const auto it) { return protection_of(it->second.access) & PROT_WRITE; });
}

bool VirtualMemory::read_only(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const Row found = row(address, 1);
  return !found.mappings.empty() && protection_of(found.mappings[0]->second.access) == PROT_READ;
}

// As ROCr: the whole reservation, whatever is mapped; the owner is that of the memory, or without memory the CPU.
bool VirtualMemory::describe(uint64_t address, hsa_amd_pointer_info_t& info, std::vector<Agent*>& agents) {
  const std::lock_guard lock(mutex_);
  const auto found = reservation_of(address);
  if (found == reservations_.end() || !found->second.registered)
    return false;
  info.type = HSA_EXT_POINTER_TYPE_RESERVED_ADDR;
  info.agentBaseAddress = info.hostBaseAddress = pointer(found->first);
  info.sizeInBytes = found->second.size;
  info.userData = found->second.user_data;
  info.agentOwner = runtime_.agents[0]->handle();
  info.global_flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  const Row here = row(address, 1);
  if (!here.mappings.empty()) {
    const Pool& pool = *memories_.at(here.mappings[0]->second.handle).pool;
    info.agentOwner = pool.agent->handle();
    info.global_flags = pool.flags;
    for (const auto& [agent, permission] : here.mappings[0]->second.access)
      if (permission != HSA_ACCESS_PERMISSION_NONE)
        agents.push_back(agent);
  }
  return true;
}

bool VirtualMemory::set_user_data(uint64_t address, void* data) {
  const std::lock_guard lock(mutex_);
  const auto it = reservations_.find(address);
  if (it == reservations_.end() || !it->second.registered)
    return false;
  it->second.user_data = data;
  return true;
}

// What faults and profiles call it.
void VirtualMemory::note(const Reservation& reservation, uint64_t address, const Mapping& mapping) {
  const int protection = protection_of(mapping.access);
  heap_of(runtime_).memory.note(address, mapping.size,
                                fmt::format("virtual memory {}{}", reservation.number,
                                            protection & PROT_WRITE  ? ""
                                            : protection & PROT_READ ? ", which agents may only read"
                                                                     : ", which no agent may access"));
}

// Of the addresses from `begin` on up to the next mapping, if there are any.
void VirtualMemory::note_gap(uint64_t begin, const Reservation& reservation, uint64_t address) {
  const auto next = reservation.mappings.lower_bound(begin);
  const uint64_t end = next == reservation.mappings.end() ? reservation.end(address) : next->first;
  if (begin < end && reservation.registered)
    heap_of(runtime_).memory.note(
        begin, end - begin, fmt::format("addresses reserved as virtual memory {}, without memory", reservation.number));
}

} // namespace crosslane::hsa
