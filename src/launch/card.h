// Owns which card --time models.
#pragma once
#include "gpu/machine.h"
#include "launch/job.h"
#include <llvm/Support/Error.h>

namespace crosslane::launch {

// Job::gpu for code of a target; the error says which cards there are.
llvm::Expected<gpu::Machine> card_of(const Job&, isa::Target);

} // namespace crosslane::launch
