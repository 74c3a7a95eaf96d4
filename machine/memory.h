// Owns guest memory. A GPU virtual address IS a host address; so this only hands out host memory (with guard pages, so
// that an overrun faults instead of corrupting a neighbour), remembers the allocations for diagnosis, and defines the
// LDS and scratch apertures: 4 GiB windows that no host allocation can ever occupy.
#pragma once
#include <cstddef>
#include <cstdint>
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
  // address. nullptr when the host has no memory left.
  void* allocate(uint64_t size, std::string name);
  void free(void* address);
  // The allocation that holds the address, or else the nearest one (in either direction).
  std::optional<Allocation> nearest(uint64_t address) const;
  // "12 bytes past the end of 'out' (4096 bytes)", or "no allocation is near".
  std::string describe(uint64_t address) const;

private:
  struct Block { uint64_t mapping, mapping_size; Allocation allocation; };
  mutable std::mutex mutex_;
  std::map<uint64_t, Block> blocks_;
};

}  // namespace crosslane::machine
