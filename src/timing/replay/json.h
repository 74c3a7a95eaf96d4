// Owns the cycle model's figures as JSON.
#pragma once
#include "timing/replay/replay.h"
#include <nlohmann/json_fwd.hpp>

namespace crosslane::timing::replay {

// Sums, then each instruction, which the figures' rows are of (by_address()); keys are named after the members of
// Figures. `estimate`: null, or what they are from.
nlohmann::ordered_json json(const Figures&, const Estimate*, std::span<const Line>, const Machine&);

// What a range has, to be joined by somebody else; and back: nothing if it is no such thing.
nlohmann::ordered_json json(const WindowPart&);
std::optional<WindowPart> parse_window_part(const nlohmann::ordered_json&);

} // namespace crosslane::timing::replay
