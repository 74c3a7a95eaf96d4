// Owns whether what the command prints is coloured: --color, NO_COLOR (no-color.org), CLICOLOR_FORCE
// (bixense.com/clicolors), or whether it goes to a terminal. Libraries make plain text, but for lint's, which is told
// to colour.
#pragma once
#include <string>
#include <string_view>

namespace crosslane::cli {

// "auto", "always" or "never", as --color has them.
void choose_colour(std::string_view when);
// Of standard output or standard error, whatever --color said until now.
bool is_coloured(int descriptor);

// What begins and ends a part of a text. All are empty where nothing is coloured, so that nobody asks.
struct Palette {
  const char *error = "", *warning = "", *note = "", *heading = "", *end = "";
};
Palette palette(int descriptor);

// Headings of a report are its lines that begin at the margin, but for comments (;).
std::string with_headings(std::string_view report, const Palette&);

} // namespace crosslane::cli
