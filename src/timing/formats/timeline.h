// Owns a recording as JSON, as the HTML report draws it: docs/timing-model.md, "The timeline".
#pragma once
#include "timing/formats/course.h"
#include <nlohmann/json_fwd.hpp>

namespace crosslane::timing::formats {

// At most `waves` of them: of fewer compute units, if there are more.
nlohmann::ordered_json timeline(const Course&, size_t waves = 1 << 14);

} // namespace crosslane::timing::formats
