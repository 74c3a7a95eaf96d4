// Shell patterns. Only the last * seen needs to be tried again with a longer text: what an earlier one could take as
// well, this one can.
#include "isa/pattern.h"

namespace crosslane::isa {

bool matches(std::string_view pattern, std::string_view name) {
  constexpr size_t none = std::string_view::npos;
  size_t p = 0, after_star = none, retry = 0;
  for (size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p, retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p, ++n;
    } else if (after_star != none) {
      p = after_star, n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == none;
}

} // namespace crosslane::isa
