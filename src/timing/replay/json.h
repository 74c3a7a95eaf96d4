// Owns the cycle model's figures as JSON.
#pragma once
#include "timing/replay/replay.h"
#include <nlohmann/json_fwd.hpp>

namespace crosslane::timing::replay {

// Sums, then each instruction; keys are named after the members of Figures. `estimate`: null, or what they are from.
nlohmann::ordered_json json(const Figures&, const Estimate*, const Program&, const Machine&);

} // namespace crosslane::timing::replay
