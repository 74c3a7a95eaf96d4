// Owns what carries marks from register to register: moves, selections, permutes, bit operations.
#pragma once
#include "check/numerics/marks.h"
#include "check/numerics/source.h"

namespace crosslane::check::numerics {

void move_marks(const machine::Wave&, Marks&, const Instruction&, uint64_t exec);

} // namespace crosslane::check::numerics
