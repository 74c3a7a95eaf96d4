// Owns the second addresses under which kernels see host memory that a client locked. Clients need them to differ from
// the host's (HIP keys its tables by both). One range of address space is set aside for all of them; a lock takes whole
// granules of it. Nothing stands there until a kernel touches it: then the signal handler turns that granule's host
// pages into shared ones (hsa/memory/shared_pages.h) and maps them there too.
#pragma once
#include <cstdint>

namespace crosslane::hsa {

class LockedMemory {
public:
  // There is one for the process, and it is never destroyed: the signal handler uses it.
  static LockedMemory& get();

  // A second address for [host, host + size), with the same offset in its page; 0 when there is no room.
  uint64_t lock(uint64_t host, uint64_t size);
  void unlock(uint64_t alias);
  bool contains(uint64_t address) const { return address - base_ < bytes_; }
  // All of it that kernels have not touched yet, as if they had: who is to see what they write sees what is mapped.
  void bring_in();
  // In the signal handler: true if the access works now.
  bool repair(uint64_t address);

private:
  LockedMemory();
  void make_private(uint64_t begin, uint64_t end);
  void before_fork();
  void after_fork(bool child);
  struct Entry {
    uint64_t host, size;
    uint32_t first, granules; // of alias space
    uint32_t mapped;          // granules that kernels have touched, about
    int file;                 // that holds the pages once touched; -1
    bool touched;
  };
  uint32_t find_granules(uint32_t count);
  uint64_t base_ = 0, bytes_ = 0;
  uint32_t granule_count_ = 0, next_ = 0;
  uint32_t used_ = 0; // granules from here on have never been
  // Per granule: index + 1 of its entry, and whether it has been mapped. In untouched pages until used.
  uint32_t* owner_ = nullptr;
  uint8_t* mapped_ = nullptr;
  Entry* entries_ = nullptr; // by first granule
  uint32_t touched_ = 0;     // how many are
  int fork_pipe_[2] = {-1, -1};
};

} // namespace crosslane::hsa
