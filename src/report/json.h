// Owns a profile as JSON: docs/profile-format.md, which the HTML report and other people's tools read.
#pragma once
#include "findings/profile.h"
#include <string>

namespace crosslane::report {

// One object without line breaks, ended by one. What is no UTF-8 (sources, file names) becomes U+FFFD. `more`: members
// that are added to it, as "\"key\":value" with commas between; may be empty.
std::string json(const findings::Profile&, const std::string& more = "");

} // namespace crosslane::report
