// Owns what is said on standard error: behind the command's name, after what was printed before.
#pragma once
#include <string_view>

namespace crosslane::cli {

// What went wrong: an error, a fault, a wrong result.
void complain(std::string_view text);
void warn(std::string_view text); // "warning: "
void note(std::string_view text); // what is neither
// As it is, at once.
void write_to_stderr(std::string_view text);

} // namespace crosslane::cli
