// Owns the completion files of bash, zsh and fish: verbs, options, values of known lists, files by their endings;
// behind `run` the program with its own arguments.
#pragma once
#include "cli/help/page.h"

namespace crosslane::cli {

// `page`: of the command, with its verbs.
std::string bash_completion(const Page& page);
std::string zsh_completion(const Page& page);
std::string fish_completion(const Page& page);

// For a line in a menu: the first clause of a description, of at most `most` characters.
std::string brief(const std::string& what, size_t most = 70);

} // namespace crosslane::cli
