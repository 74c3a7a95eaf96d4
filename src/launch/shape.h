// Owns deciding the size of a launch from what the user gave and what the kernel requires.
#pragma once
#include "launch/job.h"
#include "launch/kernarg.h"

namespace crosslane::launch {

// Grid from --grid or --groups; block from --block, else what the kernel requires, hints at, or 256 in the first
// dimension. The error says which rule of the kernel or the GPU is broken.
llvm::Expected<LaunchShape> make_shape(const Job&, const codeobject::Kernel&);

} // namespace crosslane::launch
