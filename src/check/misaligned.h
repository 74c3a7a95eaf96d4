// Owns which accesses are not where they are meant to be, because the hardware has no such address: it drops the low
// bits that the item's alignment does not have. What a card does depends on its generation, and on the mode that the
// driver has given it: compute queues of Linux have SH_MEM_CONFIG.ALIGNMENT_MODE unaligned (amdkfd,
// kfd_device_queue_manager_*.c), which makes global loads and stores take any byte. Source: GCN3 and Vega ISA manuals,
// "Alignment", and LLVM's AMDGPU.td: unaligned-buffer-access of gfx7 and later, unaligned-ds-access and
// unaligned-scratch-access of gfx9.
#pragma once
#include "events/listener.h"

namespace crosslane::check {

struct Misaligned {
  uint64_t lanes = 0;
  uint32_t alignment = 0; // that hardware gives it, in bytes
  uint64_t address = 0;   // that the first of them asks for
};
// Of LDS, scratch and scalar memory; memory atomics are a fault instead (machine/fault.h).
Misaligned misaligned(const events::Access&);

// Whether there is anything to ask for.
constexpr bool has_aligned_scratch(isa::Generation g) { return g < isa::Generation::gfx9; }

} // namespace crosslane::check
