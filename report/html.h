// Owns a profile as one HTML file that needs nothing else: web/'s page with the JSON inside.
#pragma once
#include "report/profile.h"
#include <string>

namespace crosslane::report {

std::string html(const Profile&);

} // namespace crosslane::report
