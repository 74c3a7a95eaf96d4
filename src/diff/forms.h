// Owns the forms in which a difference is told: text, JSON and one HTML file that needs nothing else. Nothing here
// prints. Keys and the order of fields are an interface (docs/comparing.md).
#pragma once
#include "diff/condition.h"

namespace crosslane::diff {

// What changed most comes first; `all`: also what did not.
std::string text_of(const Difference&, bool all);
// A line each: "crosslane: too much: ...".
std::string text_of(const Verdict&);
std::string json_of(const Difference&, const Verdict&);
std::string html_of(const Difference&, const Verdict&);

} // namespace crosslane::diff
