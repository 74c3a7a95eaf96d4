// Chooses the x86-64 level of the loops over lanes.
#include "lanes/host_level.h"
#include "views/lane_loops.h"
#include <cstdlib>

namespace crosslane::views {

extern const LaneLoops lane_loops_v1, lane_loops_v3, lane_loops_v4;

const LaneLoops& lane_loops() {
  static const LaneLoops& chosen = []() -> const LaneLoops& {
    const int level = lanes::host_level(std::getenv("CROSSLANE_LEVEL")); // a dispatch refuses what it does not know
    return level == 4 ? lane_loops_v4 : level == 3 ? lane_loops_v3 : lane_loops_v1;
  }();
  return chosen;
}

} // namespace crosslane::views
