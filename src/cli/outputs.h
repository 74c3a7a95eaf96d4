// Owns what a verb asks of the files that it is going to write, before it does anything: they overwrite nothing of the
// user's, can be written, and one that is standard output has it alone.
#pragma once
#include "files/collisions.h"

namespace crosslane::cli {

// Of those that have a name.
llvm::Error prepare_outputs(std::span<const files::Use> inputs, std::span<const files::Use> outputs);

} // namespace crosslane::cli
