// Shell patterns. They are short, so that trying every length for each * is fine.
#include "isa/pattern.h"

namespace crosslane::isa {

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty())
    return name.empty();
  if (pattern[0] != '*')
    return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) && matches(pattern.substr(1), name.substr(1));
  for (size_t skip = 0; skip <= name.size(); ++skip)
    if (matches(pattern.substr(1), name.substr(skip)))
      return true;
  return false;
}

} // namespace crosslane::isa
