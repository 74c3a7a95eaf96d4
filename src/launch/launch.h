// Owns launching one kernel with its arguments and files: what `crosslane launch` is but for its options and what it
// prints. The job says everything in words, and its files are read and written here.
#pragma once
#include "launch/job.h"
#include "launch/observer.h"
#include "launch/result.h"

namespace crosslane::launch {

// Blocks until the last run has ended. The error says what is wrong with the job, before anything has run; a kernel
// that faults or is stopped is a result. With Job::sandbox this process keeps no right but to compute, for good.
llvm::Expected<Result> launch(const Job&, const Observer& = {});

} // namespace crosslane::launch
