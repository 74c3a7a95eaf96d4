// Owns what --help shows: a page's text, wrapped to the terminal.
#pragma once
#include "cli/colour.h"
#include "cli/help/page.h"

namespace crosslane::cli {

// Lines of at most `width` columns, but for what nobody can break. Examples that are longer go on behind a backslash.
std::string help_text(const Page&, size_t width, const Palette& = {});
// "a --long command" as lines of at most `width` columns, broken at blanks outside of quotes; all but the first are
// `indent` further in.
std::string broken_command(const std::string& command, size_t width, size_t indent);

// Makes CLI11's --help show help_text(), on the command and on all verbs that are added afterwards.
void use_help_text(CLI::App&);

} // namespace crosslane::cli
