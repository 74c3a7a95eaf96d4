// Owns which registers a launch fills in: what a kernel begins with, and all else is undefined.
// Source: LLVM AMDGPUUsage, "Initial Kernel Execution State".
#pragma once
#include "lint/slot_set.h"

namespace crosslane::codeobject {
struct Kernel;
}

namespace crosslane::lint {

SlotSet at_launch(const codeobject::Kernel&, isa::Generation);

} // namespace crosslane::lint
