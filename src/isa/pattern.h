// Owns patterns for mnemonics, as a shell has them for files: * stands for any characters, ? for one.
#pragma once
#include <string_view>

namespace crosslane::isa {

bool matches(std::string_view pattern, std::string_view name);

} // namespace crosslane::isa
