// Owns a profile as text for the terminal: what costs most and what would help, then each kernel's numbers and a table.
#pragma once
#include "findings/profile.h"
#include <string>

namespace crosslane::report {

// What a row of the table stands for.
enum class By : uint8_t { line, instruction, kernel };

// Lines of at most about `width` characters, without colours; ends with a newline. Long tables end with how many rows
// more there are and where to see them.
std::string summary(const findings::Profile&, By by, unsigned width = 120);

} // namespace crosslane::report
