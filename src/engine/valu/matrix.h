// Owns the door to the matrix operations of gfx908 and gfx90a (v_mfma_*).
#pragma once
#include "engine/decode/lowering.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

bool lower_matrix(Lowering&);     // False: not a matrix operation.
Handler matrix_together(isa::Op); // engine/matrix.h

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
