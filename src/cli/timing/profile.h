// Owns reading what an estimate takes of a profile (docs/profile-format.md): how often instructions ran, and what their
// addresses cost.
#pragma once
#include "timing/whole.h"
#include <llvm/Support/Error.h>
#include <string>
#include <vector>

namespace crosslane::cli {

struct ProfiledKernel {
  std::string name, target;
  double launches = 0;
  uint32_t workgroup_items = 0;
  timing::LaunchCounts launch;
  std::map<uint64_t, timing::Counted> counts; // of a launch, by address of the code object
};

// The error says what is wrong with the file, or which view is missing.
llvm::Expected<std::vector<ProfiledKernel>> read_profile(const std::string& path);

} // namespace crosslane::cli
