// Owns finding what is installed together with the code that asks: a shared object that is opened when it is needed.
#pragma once
#include <string>

namespace crosslane::files {

// The file that this code is in, no link; empty: unknown. Not a program's own name, which would be any word that a
// shell found it by.
std::string own_file();

// A file of that name next to it, or where an installation has it. Empty: it is not there, and why.
std::string beside(const std::string& name, std::string& why);

} // namespace crosslane::files
