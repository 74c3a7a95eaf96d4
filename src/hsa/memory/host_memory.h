// Owns how much memory the host has, limits of the process's control group included.
#pragma once
#include <cstdint>

namespace crosslane::hsa {

// Bytes of memory and swap that this process could ever have.
uint64_t host_memory_bytes();
// Bytes that it can have now without others being killed for it.
uint64_t host_memory_available();

} // namespace crosslane::hsa
