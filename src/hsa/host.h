// Owns what the runtime tells about the CPU agent: the machine it runs on.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace crosslane::hsa {

struct Host {
  std::string name;                    // "AMD EPYC 9R14"
  uint32_t cores;                      // hardware threads that this process may use
  uint32_t clock_mhz;                  // highest; 0: unknown
  std::array<uint32_t, 4> cache_bytes; // data caches L1 to L4; 0: none or unknown
};

// Found out at the first call: most clients never ask.
const Host& host();

} // namespace crosslane::hsa
