// Owns trying what moves with code: chunks of a listing in another order, s_nop between its instructions. A program so
// treated does as before, if nothing in it relies on where it lies. For tests (--shuffle).
#pragma once
#include "analysis/input.h"
#include "rewrite/layout.h"

namespace crosslane::rewrite {

void shuffle(Listing&, const LayoutOptions&, uint64_t seed, const analysis::Code&);

} // namespace crosslane::rewrite
