// Owns memory as the runtime's clients see it: pools and regions with their limits, allocations by address, host memory
// that is locked under an address of its own, and who may access what. A GPU virtual address is a host address.
#pragma once
#include "hsa/info/agent.h"
#include "machine/memory.h"
#include <mutex>
#include <optional>

namespace crosslane::hsa {

// A memory pool of hsa_ext_amd.h and, under the same handle, a region of hsa.h.
struct Pool {
  Agent* agent = nullptr;
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL; // GROUP: LDS, which nobody allocates
  uint32_t flags = 0;                                 // HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*
  uint64_t size = 0;                                  // bytes
  Pool* same_memory = nullptr;   // the pool whose bytes these are too: of the same memory in another way
  std::atomic<uint64_t> used{0}; // bytes; there, if they are another's too
  hsa_amd_memory_pool_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }
  hsa_region_t region() const { return {reinterpret_cast<uint64_t>(this)}; }
};

struct HeapTables; // heap_tables.h: for the API functions

class Heap {
public:
  Heap();
  ~Heap();
  // For the pools of an agent, when it is made.
  void make_pools(Agent&, bool fine_grain_pcie);

  // Memory that the runtime itself or a client wants. Null when the pool is exhausted or the host has none. `pool`
  // null: not accounted to any. The name is what faults call it. It is whole pages, or, if `tight`, begins at a
  // multiple of 256 and ends right before an inaccessible page.
  void* allocate(uint64_t size, Pool* pool, std::string name, bool tight = false);
  bool free(void* address); // false: not the start of an allocation

  machine::Memory& memory();
  // Bytes that the client has asked for of the allocation that begins there; 0: it is not the client's to free.
  uint64_t asked_for(uint64_t address) const;
  // Says what has been written around allocations: those that were freed, or `all`.
  void tell_overwritten(bool all = false);
  // From now on, see machine::Bounds.
  void use_card_bounds();
  // Whether device memory that clients ask for is tight: hsa/info/placement.h. Before any is.
  void place_tight(bool tight) { tight_ = tight; }
  bool tight() const { return tight_; }

  // Host memory [host, host + size) under an alias of its own, which is not readable until a kernel touches it; it then
  // becomes the same memory. Copies translate it first. Null when there is no room.
  void* lock(void* host, uint64_t size, const Agent* const* agents, size_t agent_count);
  bool unlock(void* host);
  // Of a host address: some lock covers it.
  bool is_locked(uint64_t host) const;
  // The host address of what may be an alias.
  void* to_host(const void* address) const;

  HeapTables& tables() { return *tables_; }

private:
  std::unique_ptr<HeapTables> tables_;
  bool card_bounds_ = false, tight_ = false;
};

} // namespace crosslane::hsa
