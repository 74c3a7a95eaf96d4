// Owns what perf is told of compiled code: a file /tmp/perf-PID.map, where it looks for names of code that is in no
// file (linux/tools/perf/Documentation/jit-interface.txt).
#pragma once
#include <cstddef>
#include <string_view>

namespace crosslane::jit {

// CROSSLANE_JIT_PERF is set, to something that is not empty and not 0.
bool perf_listens();
// Nothing happens where the file cannot be had: the folder is everybody's.
void tell_perf(std::string_view kernel, const void* code, size_t bytes);

} // namespace crosslane::jit
