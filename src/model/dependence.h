// Owns which kernels depend on when they run: those that read a clock, or look at what other waves write.
#pragma once
#include "codeobject/code_object.h"
#include "isa/target.h"

namespace crosslane::model {

enum class Dependence : uint8_t {
  none,
  clock,  // it reads one
  memory, // it looks at what others write, and may read a clock
};
// Of the code that the kernel can reach, by isa::depends_on_time(). `memory`: where the object is loaded, from its
// image_begin() on. Calls of unknown functions reach all functions.
Dependence dependence(const codeobject::CodeObject&, isa::Target, const uint8_t* memory, uint64_t entry);

// Likewise, whether it uses GDS, or waits there for other waves of the grid.
bool uses_global_share(const codeobject::CodeObject&, isa::Target, const uint8_t* memory, uint64_t entry);

} // namespace crosslane::model
