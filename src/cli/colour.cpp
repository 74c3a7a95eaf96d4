// Terminals' own colours, which users choose to be legible.
#include "cli/colour.h"
#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace crosslane::cli {

namespace {

std::string_view chosen = "auto";

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

} // namespace

void choose_colour(std::string_view when) { chosen = when == "always" ? "always" : when == "never" ? "never" : "auto"; }

bool is_coloured(int descriptor) {
  if (chosen != "auto")
    return chosen == "always";
  if (!variable("NO_COLOR").empty())
    return false;
  if (const std::string_view force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0")
    return true;
  return isatty(descriptor) && variable("TERM") != "dumb";
}

Palette palette(int descriptor) {
  return is_coloured(descriptor) ? Palette{"\x1b[1;31m", "\x1b[1;35m", "\x1b[36m", "\x1b[1m", "\x1b[0m"} : Palette{};
}

std::string with_headings(std::string_view report, const Palette& palette) {
  std::string out;
  while (!report.empty()) {
    const size_t length = std::min(report.find('\n'), report.size());
    const std::string_view line = report.substr(0, length);
    const bool heading = !line.empty() && line[0] != ' ' && line[0] != ';';
    out += heading ? palette.heading : "";
    out += line;
    out += heading ? palette.end : "";
    if (length < report.size())
      out += '\n';
    report.remove_prefix(std::min(length + 1, report.size()));
  }
  return out;
}

} // namespace crosslane::cli
