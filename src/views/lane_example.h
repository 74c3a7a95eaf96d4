// Owns LaneExample: what the 64 lanes of one wavefront did at one memory instruction. Views keep the worst that they
// saw.
#pragma once
#include <array>
#include <cstdint>

namespace crosslane::views {

struct LaneExample {
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;                     // in the workgroup
  uint64_t lanes = 0;                    // that took part
  std::array<uint64_t, 64> address = {}; // of each lane that took part: a virtual address, or a byte offset in LDS
  std::array<uint64_t, 64> second = {};  // of two-address LDS instructions
  bool two_addresses = false;
};

} // namespace crosslane::views
