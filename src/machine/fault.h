// Owns Fault: why a dispatch stopped, with everything a kernel developer needs to find the place.
#pragma once
#include <cstdint>
#include <string>

namespace crosslane::machine {

enum class FaultKind : uint8_t {
  none,
  unmapped_address,      // no such memory
  misaligned_address,    // where the ISA requires alignment
  illegal_instruction,   // not an instruction of the target
  unimplemented,         // an instruction of the target that crosslane does not execute
  bad_pc,                // jump outside of loaded code
  trap,                  // s_trap (2: llvm.trap, 3: llvm.debugtrap)
  halted,                // s_sethalt, s_sendmsghalt: the wave waits for a debugger that there is not
  register_out_of_range, // beyond those that the kernel was given
  lds_out_of_range,      // beyond what the workgroup was given
  scratch_out_of_range,
  deadlock,     // every wave waits for another one
  bad_dispatch, // the launch itself asks for something impossible
  cancelled,
};

const char* name(FaultKind);

struct Fault {
  FaultKind kind = FaultKind::none;
  std::string kernel;      // demangled by whoever prints
  uint64_t pc = 0;         // address of the instruction in loaded code
  std::string instruction; // disassembly
  std::string source;      // "file:line:column" when known (filled by who has the code object)
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;    // within the workgroup
  int lane = -1;        // -1: not one lane's doing
  uint64_t address = 0; // the data address, when there is one
  std::string detail;   // e.g. "12 bytes past the end of allocation 'out' (4096 bytes)"
};

// "memory fault: ..." as several lines of text.
std::string describe(const Fault&);

} // namespace crosslane::machine
