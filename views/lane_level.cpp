// Chooses the x86-64 level of the loops over lanes.
#include "views/lane_loops.h"
#include <cstdlib>
#include <cstring>

namespace crosslane::views {

extern const LaneLoops lane_loops_v1, lane_loops_v3, lane_loops_v4;

const LaneLoops& lane_loops() {
  static const LaneLoops& chosen = []() -> const LaneLoops& {
    int best = __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 1;
    if (const char* asked = std::getenv("CROSSLANE_LEVEL")) { // a dispatch refuses what it does not know
      const int level = std::strcmp(asked, "v1") == 0 ? 1 : std::strcmp(asked, "v3") == 0 ? 3 : 4;
      best = level < best ? level : best;
    }
    return best == 4 ? lane_loops_v4 : best == 3 ? lane_loops_v3 : lane_loops_v1;
  }();
  return chosen;
}

} // namespace crosslane::views
