// Owns reading the window of this process while others use it: what is mapped there, and what it holds. Memory that
// somebody unmaps meanwhile is no fault.
#pragma once
#include "capture/pack.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace crosslane::capture {

struct Mapped {
  uint64_t address = 0, size = 0; // whole pages
  bool writable = false, shared = false;
};

class LiveMemory {
public:
  LiveMemory();
  ~LiveMemory();
  LiveMemory(const LiveMemory&) = delete;
  // Everything that kernels can read, by address. False: the system does not tell.
  static bool list(std::vector<Mapped>& mapped);

  // What a range holds, while this lives.
  class Range final : public Source {
  public:
    Range(const LiveMemory& memory, const Mapped& mapped) : memory_(memory), mapped_(mapped) {}
    bool read(uint64_t offset, std::span<uint8_t> to) const override;
    bool untouched(uint64_t offset, uint64_t bytes) const override;

  private:
    const LiveMemory& memory_;
    const Mapped mapped_;
  };

private:
  int memory_ = -1, pages_ = -1; // /proc/self/mem and pagemap
};

} // namespace crosslane::capture
