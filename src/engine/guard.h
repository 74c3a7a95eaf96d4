// Owns the SIGSEGV/SIGBUS handler: guest addresses are host addresses, so an unmapped guest access is a host fault.
// While a thread runs waves it holds a Guard; a fault then jumps back to it instead of ending the process.
#pragma once
#include <csetjmp>
#include <cstdint>

namespace crosslane::machine {
class Memory;
}

namespace crosslane::engine {

// Asked first about every address that faults, of a wave or of any other code: true when the access now works, and is
// repeated. Runs in the signal handler, so it may only do what a signal handler may. One after the other is asked.
using Repair = bool (*)(uint64_t address);
void add_repair(Repair); // once is enough
// This thread's faults reach the handler, also where they are blocked: the system then ends the process at the first
// one, and nobody is asked. HIP blocks all signals in threads of its own.
void unblock_faults();

// The memory whose ends are held to as a card does (Memory::let_through); null: none. One at a time.
void set_card_bounds(machine::Memory*);

struct Guard {
  Guard();
  ~Guard();
  Guard(const Guard&) = delete;
  // Once jumped to: a further fault is no guest's, and must not jump here again.
  void disarm();
  void arm(); // again
  sigjmp_buf jump;
  volatile uint64_t address = 0; // of the access that faulted; 0 when the host does not say (non-canonical)
  Guard* outer;
};

} // namespace crosslane::engine
