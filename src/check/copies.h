// Owns copies by which the host's program reaches beyond an allocation, or one that has been freed. Those that
// a language's runtime does by kernels are seen by check/memory.h.
#pragma once
#include "check/allocations.h"
#include "lint/placed.h"
#include <map>
#include <mutex>

namespace crosslane::check {

class Copies {
public:
  explicit Copies(const Allocations& allocations) : allocations_(allocations) {}

  enum class Side : uint8_t { reads, writes };
  // One side of a copy, from its first byte to its last, which `asked` (of HSA) is asked for by the calling thread.
  // What begins in no allocation is not judged: it is the host's own, or a fault.
  void judge(Side, Extent, const char* asked);
  // Of each place the first, with how often it came.
  std::vector<lint::PlacedFinding> findings() const;

private:
  struct Entry {
    std::string function, message;
    uint64_t times = 0;
  };
  const Allocations& allocations_;
  mutable std::mutex mutex_;
  std::map<std::pair<HostStack, Side>, Entry> entries_; // by program_frames()
  void tell(Side, const char* asked, const std::string& where);
};

} // namespace crosslane::check
