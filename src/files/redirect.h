// Owns who writes the files of this process: itself, or, while it runs a kernel in a sandbox and may open none, another
// process that does it for it.
#pragma once
#include <functional>
#include <llvm/Support/Error.h>
#include <span>
#include <string>

namespace crosslane::files {

using FileWriter = std::function<llvm::Error(const std::string& path, std::span<const uint8_t> contents)>;

// From now on whole files go to `writer`. Before other threads write any.
void redirect_files(FileWriter writer);
// Empty: this process writes.
const FileWriter& redirected_files();

} // namespace crosslane::files
