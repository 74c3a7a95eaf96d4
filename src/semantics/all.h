// Owns the one include for every row's semantics.
#pragma once
#include "semantics/compare.h"
#include "semantics/convert.h"
#include "semantics/division.h"
#include "semantics/legacy.h"
#include "semantics/misc.h"
#include "semantics/packed.h"
#include "semantics/salu.h"
#include "semantics/transcendental.h"
#include "semantics/valu_f16.h"
#include "semantics/valu_f32.h"
#include "semantics/valu_f64.h"
#include "semantics/valu_int.h"
#include "semantics/valu_int16.h"
#include "semantics/valu_int64.h"

namespace crosslane::semantics {
CROSSLANE_LEVEL_BEGIN
#define CROSSLANE_UNIMPLEMENTED(name) inline constexpr Unimplemented name{};
#include "semantics/unimplemented.inc"
#undef CROSSLANE_UNIMPLEMENTED
CROSSLANE_LEVEL_END
} // namespace crosslane::semantics
