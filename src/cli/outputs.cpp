// One check after the other.
#include "cli/outputs.h"
#include "cli/standard_output.h"
#include "files/write.h"
#include <algorithm>
#include <vector>

namespace crosslane::cli {

llvm::Error prepare_outputs(std::span<const files::Use> inputs, std::span<const files::Use> outputs) {
  std::vector<files::Use> named;
  std::ranges::copy_if(outputs, std::back_inserter(named), [](const files::Use& use) { return !use.name.empty(); });
  if (auto error = files::refuse_collisions(inputs, named))
    return error;
  for (const files::Use& output : named)
    if (auto error = files::check_writable(output.name))
      return error;
  if (files::uses_standard_output(named))
    leave_standard_output();
  return llvm::Error::success();
}

} // namespace crosslane::cli
