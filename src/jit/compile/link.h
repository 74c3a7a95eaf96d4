// Owns the last step: of an object file's sections, one image that runs wherever it is put.
#pragma once
#include "jit/request.h"
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

namespace crosslane::jit {

// Compiled::image, start and code_bytes, of an object with the function "unit". The error: it needs something from
// elsewhere, or its address.
llvm::Error link(llvm::MemoryBufferRef object, Compiled& out);

} // namespace crosslane::jit
