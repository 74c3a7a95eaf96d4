// Owns the files of `--time-files`: what the cycle model saw, as other tools read it (timing/formats/).
#pragma once
#include "timing/formats/course.h"
#include <utility>

namespace crosslane::launch {

// Names in the folder, and contents.
std::vector<std::pair<std::string, std::string>> timed_files(const timing::formats::Course&);

} // namespace crosslane::launch
