// Owns what `crosslane launch` and `crosslane replay` do with a job: run it, interruptible, and print all that came of
// it.
#pragma once
#include "cli/exit.h"
#include "launch/job.h"
#include <llvm/Support/Error.h>

namespace crosslane::cli {

llvm::Expected<Exit> run_job(launch::Job);

} // namespace crosslane::cli
