// Owns the files of `--time-files`: what the cycle model saw of a dispatch, as other tools read it, by the names that
// AMD's tools give theirs.
#pragma once
#include "timing/formats/course.h"
#include <utility>

namespace crosslane::timing::formats {

struct DispatchNumber {
  unsigned agent = 0;    // GPUs from 0
  uint64_t dispatch = 1; // of the process
};

// Names in the folder, and contents.
std::vector<std::pair<std::string, std::string>> folder(const Course&, const DispatchNumber& = {});

} // namespace crosslane::timing::formats
