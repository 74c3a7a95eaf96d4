// Owns the host's call stacks: where in a program something was asked for, and by which function of the runtime of its
// language (HIP, OpenMP, OpenCL), which asks HSA in its place.
#pragma once
#include <string>
#include <vector>

namespace crosslane::check {

// Return addresses, innermost first; empty: not traced.
using HostStack = std::vector<void*>;
HostStack host_stack();

// "main (program+0x1234)", the offset as addr2line takes it: the innermost frame of the program's own. Empty: there is
// none.
std::string program_function(const HostStack&);

// The frames of the program's own that called a runtime, innermost first.
HostStack program_frames(const HostStack&);

// How HSA came to be asked.
struct Request {
  bool direct = false;                // by the program itself
  std::vector<std::string> functions; // of the runtime's that have names outside of it, innermost first
  void* within = nullptr;             // where the one that the program called was left
  // That the program called: "hipMalloc"; empty: it has no name, or none of the program's did.
  std::string function() const { return functions.empty() ? "" : functions.back(); }
};
Request request_of(const HostStack&);
// "hipMemcpyAsync called in main (program+0x1234)"; with what `asked` is called in HSA where no runtime has a name.
std::string asked_by(const HostStack&, const char* asked);

} // namespace crosslane::check
