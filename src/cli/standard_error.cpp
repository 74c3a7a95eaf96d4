// The name is what is coloured, as compilers have it.
#include "cli/standard_error.h"
#include "cli/colour.h"
#include "cli/standard_output.h"
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace crosslane::cli {

void write_to_stderr(std::string_view text) {
  flush_printed();
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void complain(std::string_view text) {
  const Palette p = palette(STDERR_FILENO);
  write_to_stderr(fmt::format("{}crosslane:{} {}\n", p.error, p.end, text));
}

void warn(std::string_view text) {
  const Palette p = palette(STDERR_FILENO);
  write_to_stderr(fmt::format("crosslane: {}warning:{} {}\n", p.warning, p.end, text));
}

void note(std::string_view text) { write_to_stderr(fmt::format("crosslane: {}\n", text)); }

} // namespace crosslane::cli
