// Owns the SIGSEGV/SIGBUS handler: guest addresses are host addresses, so an unmapped guest access is a host fault. While a
// thread runs waves it holds a Guard; a fault then jumps back to it instead of ending the process.
#pragma once
#include <csetjmp>
#include <cstdint>

namespace crosslane::engine {

// Asked first about every address that faults, of a wave or of any other code: true when the access now works, and is repeated.
// Runs in the signal handler, so it may only do what a signal handler may.
using Repair = bool (*)(uint64_t address);
void set_repair(Repair);

struct Guard {
  Guard();
  ~Guard();
  Guard(const Guard&) = delete;
  // Once jumped to: a further fault is no guest's, and must not jump here again.
  void disarm();
  sigjmp_buf jump;
  volatile uint64_t address = 0;  // of the access that faulted; 0 when the host does not say (non-canonical)
  Guard* outer;
};

}  // namespace crosslane::engine
