// The heap: pools, allocations and locked memory. Device memory is memory of the host, which the kernel hands out page
// by page as it is touched. A host that runs out of it kills processes; therefore nobody gets more than the host has.
#include "hsa/memory/memory.h"
#include "engine/guard.h"
#include "hsa/memory/heap_tables.h"
#include "hsa/memory/host_memory.h"
#include "hsa/memory/locked_memory.h"
#include "hsa/newer.h"
#include "hsa/runtime.h"
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

namespace crosslane::hsa {

namespace {

constexpr uint64_t lds_bytes = 64 << 10;
constexpr uint64_t looked_at_bytes = 64 << 20; // allocations from here on are compared with what the host has left

constexpr uint64_t round_up(uint64_t value) { return (value + granule_bytes - 1) / granule_bytes * granule_bytes; }

Pool& add_pool(Agent& agent, std::vector<Pool*>& all, hsa_amd_segment_t segment, uint32_t flags, uint64_t size) {
  auto pool = std::make_unique<Pool>();
  pool->agent = &agent;
  pool->segment = segment;
  pool->flags = flags;
  pool->size = size;
  all.push_back(pool.get());
  return *agent.pools.emplace_back(std::move(pool));
}

std::atomic<uint64_t>& used_of(Pool& pool) { return (pool.same_memory ? pool.same_memory : &pool)->used; }

} // namespace

Record* HeapTables::find(uint64_t address) {
  auto it = records.upper_bound(address);
  if (it == records.begin())
    return nullptr;
  Record& record = std::prev(it)->second;
  return address - record.address < std::max<uint64_t>(record.size, 1) ? &record : nullptr;
}

Lock* HeapTables::find_lock(uint64_t address) {
  if (LockedMemory::get().contains(address)) {
    auto it = locks.upper_bound(address);
    return it != locks.begin() && std::prev(it)->second.holds(address) ? &std::prev(it)->second : nullptr;
  }
  for (auto& [alias, lock] : locks)
    if (lock.holds(address))
      return &lock;
  return nullptr;
}

Pool* HeapTables::pool(uint64_t handle) const {
  const auto it = std::ranges::find(pools, reinterpret_cast<Pool*>(handle));
  return it == pools.end() ? nullptr : *it;
}

bool HeapTables::take(Pool* pool, uint64_t bytes) {
  if (bytes >= looked_at_bytes && bytes > host_memory_available())
    return false;
  if (used.fetch_add(bytes) + bytes > capacity) {
    used -= bytes;
    return false;
  }
  if (pool && used_of(*pool).fetch_add(bytes) + bytes > pool->size) {
    give_back(pool, bytes);
    return false;
  }
  return true;
}

void HeapTables::give_back(Pool* pool, uint64_t bytes) {
  used -= bytes;
  if (pool)
    used_of(*pool) -= bytes;
}

Heap::Heap() : tables_(std::make_unique<HeapTables>()) { tables_->capacity = host_memory_bytes(); }

Heap::~Heap() {
  if (card_bounds_)
    engine::set_card_bounds(nullptr);
  for (const auto& [alias, lock] : tables_->locks)
    LockedMemory::get().unlock(alias);
  for (const auto& [address, record] : tables_->records)
    if (record.file >= 0)
      close(record.file);
}

// As ROCr: what GPUs may share while kernels run is fine-grained, and a GPU without links has it only if the user
// insists; since 5.7 each GPU has its memory also fine-grained for itself, which HIP takes for hipDeviceMallocUncached.
void Heap::make_pools(Agent& agent, bool fine_grain_pcie) {
  const std::unique_lock lock(tables_->mutex);
  auto& all = tables_->pools;
  constexpr uint32_t fine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
  constexpr uint32_t kernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
  constexpr uint32_t coarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  if (agent.gpu()) {
    Pool& memory = add_pool(agent, all, HSA_AMD_SEGMENT_GLOBAL, coarse, agent.vram_bytes);
    add_pool(agent, all, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED,
             agent.vram_bytes)
        .same_memory = &memory;
    if (agent.card->xgmi || fine_grain_pcie)
      add_pool(agent, all, HSA_AMD_SEGMENT_GLOBAL, fine, agent.vram_bytes).same_memory = &memory;
    add_pool(agent, all, HSA_AMD_SEGMENT_GROUP, 0, lds_bytes);
  } else {
    for (const uint32_t flags : {fine, fine | kernarg, coarse})
      add_pool(agent, all, HSA_AMD_SEGMENT_GLOBAL, flags, tables_->capacity);
  }
}

void Heap::use_card_bounds() {
  card_bounds_ = true;
  tables_->memory.set_bounds(machine::Bounds::card);
  engine::set_card_bounds(&tables_->memory);
}

void* Heap::allocate(uint64_t size, Pool* pool, std::string name, bool tight) {
  if (size > UINT64_MAX - granule_bytes)
    return nullptr;
  const uint64_t bytes = round_up(size);
  if (!tables_->take(pool, bytes))
    return nullptr;
  void* p = tables_->memory.allocate(tight ? size : bytes, std::move(name));
  if (!p) {
    tables_->give_back(pool, bytes);
    return nullptr;
  }
  const std::unique_lock lock(tables_->mutex);
  Record& record = tables_->records[reinterpret_cast<uint64_t>(p)];
  record.address = reinterpret_cast<uint64_t>(p);
  record.size = tight ? size : bytes;
  record.asked = size;
  record.pool = pool;
  return p;
}

bool Heap::free(void* address) {
  Record record;
  {
    const std::unique_lock lock(tables_->mutex);
    const auto it = tables_->records.find(reinterpret_cast<uint64_t>(address));
    if (it == tables_->records.end())
      return false;
    record = std::move(it->second);
    tables_->records.erase(it);
  }
  for (const Notice& notice : record.notices)
    notice.callback(notice.address, notice.data);
  tables_->memory.free(address);
  if (record.file >= 0)
    close(record.file);
  tables_->give_back(record.pool, round_up(record.size));
  return true;
}

void Heap::tell_overwritten(bool all) {
  for (const std::string& where : tables_->memory.overwritten(all))
    say(fmt::format("warning: a kernel or a copy wrote {}, within what its size is rounded up to; 'crosslane run "
                    "--check memory' says which one, and where",
                    where));
}

machine::Memory& Heap::memory() { return tables_->memory; }

uint64_t Heap::asked_for(uint64_t address) const {
  const std::shared_lock lock(tables_->mutex);
  const auto it = tables_->records.find(address);
  return it != tables_->records.end() && it->second.client ? it->second.asked : 0;
}

void* Heap::lock(void* host, uint64_t size, const Agent* const* agents, size_t agent_count) {
  const auto address = reinterpret_cast<uint64_t>(host);
  std::vector<Agent*> may_access;
  may_access.reserve(agent_count);
  for (size_t i = 0; i < agent_count; ++i)
    may_access.push_back(const_cast<Agent*>(agents[i]));
  const std::unique_lock guard(tables_->mutex);
  for (auto& [alias, lock] : tables_->locks)
    if (lock.host == address && lock.size == size) {
      ++lock.count;
      for (Agent* agent : may_access)
        if (std::ranges::find(lock.agents, agent) == lock.agents.end())
          lock.agents.push_back(agent);
      return reinterpret_cast<void*>(alias);
    }
  const uint64_t alias = LockedMemory::get().lock(address, size);
  if (!alias)
    return nullptr;
  tables_->memory.note(alias, size, fmt::format("locked host memory {}", ++tables_->named[3]));
  tables_->locks[alias] = {alias, address, size, 1, std::move(may_access), nullptr};
  return reinterpret_cast<void*>(alias);
}

// An unlock does not say which of several ranges that begin at its address it means. AMD's thunk then unlocks nothing
// (vm_find_object_by_userptr), so that clients which lock a longer range and then unlock the one before (UCX) are
// right, and so are those which unlock in reverse. Here all go with the last of their unlocks.
bool Heap::unlock(void* host) {
  const std::unique_lock guard(tables_->mutex);
  const auto address = reinterpret_cast<uint64_t>(host);
  std::vector<uint64_t> aliases;
  uint32_t locked = 0;
  for (const auto& [alias, lock] : tables_->locks)
    if (lock.host == address) {
      aliases.push_back(alias);
      locked += lock.count;
    }
  if (aliases.empty())
    return false;
  if (++tables_->unlocked[address] < locked)
    return true;
  tables_->unlocked.erase(address);
  for (const uint64_t alias : aliases) {
    LockedMemory::get().unlock(alias);
    tables_->memory.forget(alias);
    tables_->locks.erase(alias);
  }
  return true;
}

bool Heap::is_locked(uint64_t host) const {
  const std::shared_lock guard(tables_->mutex);
  return !LockedMemory::get().contains(host) && tables_->find_lock(host);
}

void* Heap::to_host(const void* address) const {
  const auto a = reinterpret_cast<uint64_t>(address);
  if (LockedMemory::get().contains(a)) {
    const std::shared_lock guard(tables_->mutex);
    if (const Lock* lock = tables_->find_lock(a))
      return reinterpret_cast<void*>(lock->host + (a - lock->alias));
  }
  return const_cast<void*>(address);
}

HeapTables& heap_of(Runtime& runtime) { return runtime.heap->tables(); }

} // namespace crosslane::hsa
