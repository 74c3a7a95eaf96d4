// Owns a profile as one HTML file that needs nothing else: web/'s page with the JSON inside.
#pragma once
#include "findings/profile.h"
#include <string>

namespace crosslane::report {

std::string html(const findings::Profile&);

} // namespace crosslane::report
