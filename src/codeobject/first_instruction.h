// Owns where waves of a kernel begin: at its entry, or, if arguments are preloaded into SGPRs (gfx90a), 256 bytes
// behind it; what is before that is for firmware that does not preload. Other targets have zeros where the descriptor
// tells of it. Source: LLVM AMDGPUUsage, "Preloaded Kernel Arguments".
#pragma once
#include "codeobject/kernel_descriptor.h"

namespace crosslane::codeobject {

struct Kernel;

inline uint32_t preloaded_entry(const KernelDescriptor& d) { return d.kernarg_preload_length() ? 256 : 0; }
// The address.
template <class K = Kernel> uint64_t first_instruction(const K& kernel) {
  return kernel.entry + preloaded_entry(kernel.descriptor);
}

} // namespace crosslane::codeobject
