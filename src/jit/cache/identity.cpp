// Source: cpuid as the C library has it, as a virtual machine may take 15 microseconds to answer it anew.
#include "jit/cache/identity.h"
#include <cstddef>
#define _Bool bool // which <stdbool.h> has in GNU's C++ only
#include <sys/platform/x86.h>
#undef _Bool

namespace crosslane::jit {

std::vector<uint32_t> processor() {
  std::vector<uint32_t> out;
  for (const uint32_t leaf : {CPUID_INDEX_1, CPUID_INDEX_7, CPUID_INDEX_7_ECX_1, CPUID_INDEX_80000001}) {
    const cpuid_feature* const found = __x86_get_cpuid_feature_leaf(leaf);
    for (size_t part = 0; part < 4; ++part) {
      const bool of_this_core = leaf == CPUID_INDEX_1 && part == cpuid_register_index_ebx;
      out.push_back(of_this_core ? 0 : found->cpuid_array[part]);
      out.push_back(found->active_array[part]);
    }
  }
  return out;
}

} // namespace crosslane::jit
