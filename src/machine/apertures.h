// Owns the apertures: the windows of 4 GiB in the generic address space that mean LDS and scratch, where no host
// address can be.
#pragma once
#include <cstdint>

namespace crosslane::machine {

// Where generic addresses mean LDS or scratch: the windows of gfx9 hardware (SH_MEM_BASES counts in units of 2^48). No
// host address has these bits, so nothing needs reserving. Source: ROCr's topology for gfx9; LLVM AMDGPUUsage, "Flat".
struct Apertures {
  uint64_t shared_base = uint64_t(1) << 48;  // generic address of LDS byte 0
  uint64_t private_base = uint64_t(2) << 48; // generic address of scratch byte 0
  constexpr uint32_t shared_hi() const { return uint32_t(shared_base >> 32); }
  constexpr uint32_t private_hi() const { return uint32_t(private_base >> 32); }
};
constexpr Apertures apertures() { return {}; }

// From the high dword of a generic address: 0 LDS, 1 scratch, anything else global.
constexpr uint32_t aperture_window(uint32_t hi) { return (hi >> 16 | hi << 16) - 1; }

} // namespace crosslane::machine
