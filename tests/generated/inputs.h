// Owns what a generated kernel is launched with.
#pragma once
#include "tests/generated/program.h"
#include "tests/kernels/workload.h"

namespace crosslane::generated {

// Buffers in the order of the parameters, then the scalars; all from the kernel's seed. `source`: the file with the
// kernel.
workload::Workload workload_of(const Kernel& kernel, const std::string& source);

} // namespace crosslane::generated
