// One process measures one machine (crosslane, plain C++, an OpenCL platform), so that environment settings of one
// never touch another.
#pragma once
#include <string>

namespace crosslane::bench {

// machine: "crosslane", "native" or "opencl". threads: 0 = all cores (crosslane only). `small`: the sizes for Oclgrind,
// run once each. Writes a JSON array of {item, seconds, instructions, compiling, error} to `out`; compiling: seconds of
// processor time, not in `seconds`. Results of crosslane on one core are checked first.
int measure(const std::string& machine, unsigned threads, bool small, const std::string& only, const std::string& out);

} // namespace crosslane::bench
