// Owns a profile as one HTML file that needs nothing else: web/'s page with the JSON inside.
#pragma once
#include "findings/profile.h"
#include <string>

namespace crosslane::report {

// `more`: as of json().
std::string html(const findings::Profile&, const std::string& more = "");

} // namespace crosslane::report
