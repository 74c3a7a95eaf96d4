// Owns how a folder of files is written: whole or not at all, and over nothing that is there. The files go into a new
// folder beside the place, which takes its name in the end.
#pragma once
#include <llvm/Support/Error.h>
#include <span>
#include <string>
#include <utility>

namespace crosslane::files {

// Would write_folder() find a place? There must be nothing of that name, or an empty folder.
llvm::Error check_new_folder(const std::string& name);
// Names may have folders in them: "a/b.json".
llvm::Error write_folder(const std::string& name, std::span<const std::pair<std::string, std::string>> files);

} // namespace crosslane::files
