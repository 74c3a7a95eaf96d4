// Owns the manual pages: a page of the command, one for each verb, in man(7)'s macros.
#pragma once
#include "cli/help/page.h"

namespace crosslane::cli {

struct Manual {
  std::string date;    // "2026-11-26"
  std::string version; // "0.1.0"
};

// `command`: with all verbs; `verb`: which of them, or the command itself.
std::string manual_page(const Page& command, const Page& verb, const Manual&);
// "crosslane-launch.1"
std::string manual_file(const Page&);

// Variables of the environment that crosslane reads and that no option of `run` sets, and what they say.
struct EnvironmentRow {
  const char *name, *what, *verbs; // "launch run"; empty: all
};
std::vector<EnvironmentRow> environment_rows();

} // namespace crosslane::cli
