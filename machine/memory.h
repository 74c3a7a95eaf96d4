// Owns guest memory. A GPU virtual address IS a host address; so this only hands out host memory (with guard pages, so
// that an overrun faults instead of corrupting a neighbour), remembers the allocations for diagnosis (freed ones too: their
// addresses stay inaccessible for a while, so that late accesses fault), and defines the LDS and scratch apertures: 4 GiB
// windows that no host allocation can ever occupy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace crosslane::machine {

// Where generic addresses mean LDS or scratch: the windows of gfx9 hardware (SH_MEM_BASES counts in units of 2^48). No host
// address has these bits, so nothing needs reserving. Source: ROCr's topology for gfx9; LLVM AMDGPUUsage, "Flat".
struct Apertures {
  uint64_t shared_base = uint64_t(1) << 48;   // generic address of LDS byte 0
  uint64_t private_base = uint64_t(2) << 48;  // generic address of scratch byte 0
  constexpr uint32_t shared_hi() const { return uint32_t(shared_base >> 32); }
  constexpr uint32_t private_hi() const { return uint32_t(private_base >> 32); }
};
constexpr Apertures apertures() { return {}; }

// From the high dword of a generic address: 0 LDS, 1 scratch, anything else global.
constexpr uint32_t aperture_window(uint32_t hi) { return (hi >> 16 | hi << 16) - 1; }

struct Allocation {
  uint64_t address = 0, size = 0;  // bytes
  std::string name;
};

class Memory {
public:
  ~Memory();
  // Zeroed memory that ends (to its alignment of 256 bytes) right before an inaccessible page. size 0 gives a valid, inaccessible
  // address. nullptr when the host has no memory left. Past 16,384 allocations there are no inaccessible pages between them:
  // the host allows a process only 65,530 mappings. From 2 MiB on, whole pages lie at a multiple of 2 MiB, where drivers of real
  // GPUs put them too: malloc() on the GPU finds the head of its heap by cutting off bits of an address.
  void* allocate(uint64_t size, std::string name);
  // The memory goes back at once; its addresses stay inaccessible until much else has been freed (1 TiB, 8,192 allocations).
  void free(void* address);
  // Memory that somebody else owns, to be found by the two below.
  void note(uint64_t address, uint64_t size, std::string name);
  void forget(uint64_t address);
  // The allocation that holds the address, or else the nearest one (in either direction).
  std::optional<Allocation> nearest(uint64_t address) const;
  // "12 bytes past the end of 'out' (4096 bytes)", "4 bytes into 'out' (4096 bytes), which has been freed", or "no allocation is
  // near".
  std::string describe(uint64_t address) const;

private:
  struct Block { uint64_t mapping = 0, mapping_size = 0; Allocation allocation; };  // mapping_size 0: not ours
  using Blocks = std::map<uint64_t, Block>;
  uint64_t map_or_make_room(uint64_t bytes);
  void retire(Block block);
  void release_oldest();
  void forget_freed(uint64_t begin, uint64_t end);
  mutable std::mutex mutex_;
  Blocks blocks_;
  Blocks freed_;
  std::deque<uint64_t> freed_order_;  // keys of freed_, oldest first; some are gone
  uint64_t freed_bytes_ = 0;          // of address space
};

}  // namespace crosslane::machine
