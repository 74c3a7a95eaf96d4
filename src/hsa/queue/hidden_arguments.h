// Owns hidden kernel arguments that a client should have written and did not.
#pragma once
#include "codeobject/code_object.h"
#include "isa/target.h"
#include "machine/memory.h"

namespace crosslane::hsa {

// Before gfx9, kernels of code object v5 read from hidden arguments where LDS and scratch lie in the generic address
// space. OpenMP of LLVM 19 leaves them 0, as if both lay at address 0; on the card, the few kernels that use such
// pointers fault. Since 0 is never right, it is replaced.
void fill_in_apertures(const codeobject::Kernel&, isa::Target, uint64_t kernarg_address, const machine::Memory&);

} // namespace crosslane::hsa
