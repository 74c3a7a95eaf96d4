// Owns what a process knows of itself that belongs into a report.
#pragma once
#include <string>

namespace crosslane::profile {

// As a shell would take it: words with blanks are quoted. Empty where the system does not tell.
std::string command_line();
// The current folder; empty if there is none.
std::string current_folder();

} // namespace crosslane::profile
