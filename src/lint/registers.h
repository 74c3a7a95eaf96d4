// Owns the names of registers by their slots (lint/steps.h), as assembly writes them.
#pragma once
#include "isa/target.h"
#include <string>

namespace crosslane::lint {

// "v[0:1]", "s4", "vcc", "exec_lo", "MODE".
std::string register_name(isa::Generation, uint16_t first, uint16_t count);

} // namespace crosslane::lint
