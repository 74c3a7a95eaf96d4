// Owns what the parts of Heap share: its tables. memory.cpp fills them; the API functions look things up.
#pragma once
#include "hsa/memory/memory.h"
#include <map>
#include <shared_mutex>
#include <vector>

namespace crosslane::hsa {

class Runtime;

inline constexpr uint64_t granule_bytes = 4096; // HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE

// hsa_amd_register_deallocation_callback
struct Notice {
  hsa_amd_deallocation_callback_t callback;
  void *address, *data;
};

struct Record {
  uint64_t address = 0, size = 0; // bytes that the client may use
  uint64_t asked = 0;             // bytes that it asked for
  Pool* pool = nullptr;           // null: memory of the runtime's own, or of another process
  bool client = false;            // the client may free it; false: code, for example
  std::vector<Agent*> agents;     // that may access it, beside the pool's
  void* user_data = nullptr;
  std::vector<Notice> notices;
  int file = -1;        // that holds the pages once another process may see them
  uint32_t imports = 0; // how often hsa_amd_ipc_memory_attach gave it out; 1: hsa_amd_interop_map_buffer did
  bool interop = false; // which of the two
  bool fine = false;    // fine-grained whatever the pool is: HSA_AMD_MEMORY_POOL_PCIE_FLAG
};

// Host memory under a second address.
struct Lock {
  uint64_t alias = 0, host = 0, size = 0;
  uint32_t count = 0; // of hsa_amd_memory_lock with the same range
  std::vector<Agent*> agents;
  void* user_data = nullptr;
  bool holds(uint64_t address) const { return address - alias < size || address - host < size; }
};

struct HeapTables {
  machine::Memory memory;
  mutable std::shared_mutex mutex;
  std::map<uint64_t, Record> records;    // by address
  std::map<uint64_t, Lock> locks;        // by alias
  std::map<uint64_t, uint32_t> unlocked; // by host address: unlocks of what is locked still; see Heap::unlock
  std::vector<Pool*> pools;              // of all agents
  std::atomic<uint64_t> used{0};         // bytes of the host
  uint64_t capacity = 0;
  std::atomic<uint64_t> named[4] = {};

  // Under the mutex.
  Record* find(uint64_t address);
  Lock* find_lock(uint64_t address);
  Pool* pool(uint64_t handle) const; // null: no such pool

  // Takes the bytes of the pool (may be null) and of the host; false if they are not there.
  bool take(Pool* pool, uint64_t bytes);
  void give_back(Pool* pool, uint64_t bytes);
};

HeapTables& heap_of(Runtime&);

} // namespace crosslane::hsa
