// Owns the choice between the compiler's own shuffle, the plan's steps, and the plan's steps hidden from the compiler.
#pragma once
#include "lanes/plan/lower.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Whether a pattern's plan is made at all at compile time: planning costs some 20 ms a register.
constexpr bool may_beat_compiler(const Pattern&, Isa) { return false; }
constexpr Lowering chosen_lowering(const Plan&, const Pattern&, Isa) { return Lowering::compiler; }

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
