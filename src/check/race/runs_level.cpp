// Chooses the x86-64 level.
#include "check/race/runs.h"
#include "lanes/host_level.h"
#include <cstdlib>

namespace crosslane::check::race {

extern const Finders finders_v1, finders_v3, finders_v4;

const Finders& finders_of_host() {
  const int level = lanes::host_level(std::getenv("CROSSLANE_LEVEL")); // a dispatch refuses what it does not know
  return level == 4 ? finders_v4 : level == 3 ? finders_v3 : finders_v1;
}

} // namespace crosslane::check::race
