// Owns virtual memory: addresses that a client reserves, memory without addresses that it creates, what is mapped
// where, and which agents may access it (hsa_amd_vmem_*). Memory is a file in memory, so that it may appear at several
// addresses and in other processes. What nobody may access is inaccessible pages; what one agent may access all may, as
// pages belong to the process.
#pragma once
#include "hsa/info/agent.h"
#include "hsa/newer.h"
#include <map>
#include <mutex>
#include <span>

namespace crosslane::hsa {

class Runtime;

class VirtualMemory {
public:
  using Access = std::map<Agent*, hsa_access_permission_t>;

  explicit VirtualMemory(Runtime& runtime) : runtime_(runtime) {}
  ~VirtualMemory();

  // At `wanted` if that is free and a device reaches it. `registered` false: host memory at once.
  hsa_status_t reserve(uint64_t size, uint64_t wanted, uint64_t alignment, bool registered, uint64_t& address);
  hsa_status_t unreserve(uint64_t address, uint64_t size);

  hsa_status_t create(Pool&, uint64_t size, hsa_amd_memory_type_t, uint64_t& handle);
  hsa_status_t release(uint64_t handle);
  // One more reference to what is mapped there.
  hsa_status_t retain(uint64_t address, uint64_t& handle);
  hsa_status_t properties(uint64_t handle, Pool*& pool, hsa_amd_memory_type_t& type);
  // A file descriptor that is the caller's to close.
  hsa_status_t export_file(uint64_t handle, int& file);
  // The file descriptor stays the caller's.
  hsa_status_t import_file(int file, uint64_t& handle);

  hsa_status_t map(uint64_t address, uint64_t size, uint64_t offset, uint64_t handle);
  hsa_status_t unmap(uint64_t address, uint64_t size);
  // Agents that are not named keep what they may.
  hsa_status_t set_access(uint64_t address, uint64_t size, const Access&);
  hsa_status_t get_access(uint64_t address, Agent&, hsa_access_permission_t&);

  // hsa_amd_agents_allow_access: from the mapping that has the address on, as far as one joins the next. False: there
  // is none.
  bool allow(uint64_t address, std::span<Agent* const> agents);
  // All of it may be written by some agent.
  bool writable(uint64_t address, uint64_t size);
  // Mapped there, and agents may only read it.
  bool read_only(uint64_t address);
  // hsa_amd_pointer_info of a reserved address; false: it is none. With the agents that have access.
  bool describe(uint64_t address, hsa_amd_pointer_info_t&, std::vector<Agent*>&);
  bool set_user_data(uint64_t address, void* data); // of a whole reservation

private:
  struct Memory { // of hsa_amd_vmem_handle_create, or of another process
    int file = -1;
    uint64_t size = 0;
    Pool* pool = nullptr;
    bool imported = false; // taken from no pool
    hsa_amd_memory_type_t type = MEMORY_TYPE_NONE;
    uint64_t references = 1, mappings = 0; // neither: it goes back
  };
  struct Mapping {
    uint64_t size, handle;
    Access access; // of those that were named
  };
  using Mappings = std::map<uint64_t, Mapping>; // by address
  struct Reservation {
    uint64_t size, number; // number: for its name
    bool registered;
    void* user_data = nullptr;
    Mappings mappings;
    uint64_t end(uint64_t address) const { return address + size; }
  };
  using Reservations = std::map<uint64_t, Reservation>;
  // Of several mappings that follow each other without gap.
  struct Row {
    Reservation* reservation = nullptr; // null: the range is in none
    std::vector<Mappings::iterator> mappings;
    uint64_t end = 0; // where they end
  };
  Reservations::iterator reservation_of(uint64_t address); // end(): none
  Row row(uint64_t address, uint64_t size);
  Memory* memory(uint64_t handle); // null: there is none
  uint64_t add(const Memory&);
  void drop_if_unused(uint64_t handle);
  hsa_status_t give_access(const Reservation&, Mappings::iterator, const Access&);
  void note(const Reservation&, uint64_t address, const Mapping&);
  void note_gap(uint64_t begin, const Reservation&, uint64_t address);

  Runtime& runtime_;
  std::mutex mutex_;
  std::map<uint64_t, Memory> memories_; // by handle
  Reservations reservations_;           // by address
  uint64_t next_handle_ = uint64_t(1) << 47, last_number_ = 0;
};

} // namespace crosslane::hsa
