// Owns guest memory. A GPU virtual address IS a host address; so this only hands out host memory (with guard pages, so
// that an overrun faults instead of corrupting a neighbour), remembers the allocations for diagnosis, and reserves the
// LDS and scratch apertures: 4 GiB windows that no host allocation can ever occupy.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace crosslane::machine {

struct Apertures {
  uint64_t shared_base;   // generic address of LDS byte 0; a multiple of 4 GiB
  uint64_t private_base;  // generic address of scratch byte 0; always shared_base + 4 GiB
  uint32_t shared_hi() const { return uint32_t(shared_base >> 32); }
  uint32_t private_hi() const { return uint32_t(private_base >> 32); }
};

// The process's apertures, reserved (inaccessible) at first use.
const Apertures& apertures();

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
