// Owns the folder that ROCprof Compute Viewer opens, as `rocprofv3 --att` writes it: filenames.json, code.json,
// occupancy.json, and a file for each wave whose steps are recorded.
#pragma once
#include "timing/formats/course.h"
#include <utility>

namespace crosslane::timing::formats {

// Names and contents.
std::vector<std::pair<std::string, std::string>> viewer_files(const Course&);

} // namespace crosslane::timing::formats
