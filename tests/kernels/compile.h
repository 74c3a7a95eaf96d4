// Compiles an example for a GPU with clang-19, once: the code object is kept in the build tree under a name made from
// everything that went into it.
#pragma once
#include <string>

namespace crosslane::workload {

// The path of the code object of examples/<source>. On failure the path is empty and `error` holds the compiler's
// words. `flags` are added after -O2, e.g. "-O0" or "-mcode-object-version=4".
std::string compile(const std::string& source, const std::string& target, const std::string& flags, std::string& error);

// CROSSLANE_EXAMPLES, else the folder of the source tree.
std::string examples_folder();

} // namespace crosslane::workload
