// A number, and what it is multiplied by.
#include "files/size.h"
#include <cstdlib>

namespace crosslane::files {

uint64_t bytes_of(const std::string& text) {
  char* end = nullptr;
  const uint64_t number = std::strtoull(text.c_str(), &end, 10);
  unsigned shift = 0;
  switch (*end) {
  case 'K':
  case 'k': shift = 10; break;
  case 'M':
  case 'm': shift = 20; break;
  case 'G':
  case 'g': shift = 30; break;
  default: break;
  }
  if (end == text.c_str() || end[shift != 0] != 0 || number > UINT64_MAX >> shift || text[0] == '-')
    return 0;
  return number << shift;
}

} // namespace crosslane::files
