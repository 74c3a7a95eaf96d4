// What the shells' files have in common.
#include "cli/help/completion.h"
#include <algorithm>

namespace crosslane::cli {

std::string brief(const std::string& what, size_t most) {
  size_t sentence = what.find(". ");
  if (sentence != std::string::npos && sentence > 0 && what[sentence - 1] == '.') // "gfx803, ... "
    sentence = std::string::npos;
  std::string text = what.substr(0, std::min({what.find(';'), what.find(" ("), sentence}));
  if (text.size() <= most)
    return text;
  text.resize(text.find_last_of(' ', most - 4));
  return text + " ...";
}

} // namespace crosslane::cli
