// Owns the question whether the program's OpenMP asks for unified shared memory (`#pragma omp requires
// unified_shared_memory`): its kernels are then given addresses of any host memory, as on a card with XNACK.
#pragma once

namespace crosslane::hsa {

// Looks at what is loaded now. Cheap where libomptarget is not. Known of clang 19 and later, which write it into a
// section; what clang before 19 and GCC do instead cannot be seen from here.
bool asks_for_unified_memory();

} // namespace crosslane::hsa
