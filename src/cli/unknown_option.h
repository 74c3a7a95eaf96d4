// Owns what is said of an option that a verb does not have.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace crosslane::cli {

// "launch has no option '--gird'; did you mean --grid?" `word`: as it was given, perhaps with "=value".
std::string unknown_option(const CLI::App& verb, const std::string& word);

} // namespace crosslane::cli
