// Owns which card --time models.
#pragma once
#include "gpu/machine.h"
#include "launch/job.h"
#include <llvm/Support/Error.h>

namespace crosslane::launch {

// Job::gpu for code of a target, or else `usual` if that is a card of the target's; the error says which cards there
// are.
llvm::Expected<gpu::Machine> card_of(const Job&, isa::Target, const std::string& usual = "");

} // namespace crosslane::launch
