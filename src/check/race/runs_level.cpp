// Chooses the x86-64 level.
#include "check/race/runs.h"
#include "lanes/host_level.h"
#include <cstdlib>

namespace crosslane::check::race {

extern const FindRuns find_runs_v1, find_runs_v3, find_runs_v4;

FindRuns runs_of_host() {
  const int level = lanes::host_level(std::getenv("CROSSLANE_LEVEL")); // a dispatch refuses what it does not know
  return level == 4 ? find_runs_v4 : level == 3 ? find_runs_v3 : find_runs_v1;
}

} // namespace crosslane::check::race
