// Owns names of files that several processes may want: those that a program starts, and itself. Whoever comes first has
// the name; another process adds its number: "report.1234.html".
#pragma once
#include <llvm/Support/Error.h>
#include <span>
#include <string>

namespace crosslane::files {

// Does the name lead to a file, or to where one can be? Anything else, a pipe say, has room for several processes.
bool is_file_name(const std::string& name);
// Makes empty files under these names, or under others, which they are changed to: one number for all, so that they are
// seen to belong together. What is no file stays as it is.
void claim(std::span<std::string* const> names);
// Takes back a claim for which nothing was written.
void unclaim(const std::string& name);
// Takes away the files of an earlier run, whose names would else be taken; first checks that all can be written.
llvm::Error clear(std::span<const std::string> names);

} // namespace crosslane::files
