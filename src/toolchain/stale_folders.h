// Owns clearing up after compilations that were killed: a temporary folder has a file in it that its process, and the
// compilers that it starts, keep locked. Who makes a new folder removes those of this user that nobody holds any more.
#pragma once
#include <string>

namespace crosslane::toolchain {

// Marks a new folder as in use until the descriptor is closed, here and in every process started since. -1: it cannot
// be marked.
int hold_folder(const std::string& folder);
// Removes the marked folders in `parent` that nobody holds.
void remove_stale_folders(const std::string& parent);

} // namespace crosslane::toolchain
