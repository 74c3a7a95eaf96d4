// Owns the cycle model's figures as text for a person.
#pragma once
#include "timing/replay/replay.h"
#include <string>

namespace crosslane::timing::replay {

// `estimate`: null, or what the figures are from. `rows`: of so many instructions, those that took most.
std::string text(const Figures&, const Estimate*, const Program&, const Machine&, std::string_view card,
                 size_t rows = 12);

} // namespace crosslane::timing::replay
