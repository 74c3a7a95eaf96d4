// Sums of active lanes.
#include "views/active_lanes.h"

namespace crosslane::views {

uint64_t ActiveLanes::executions() const {
  uint64_t sum = 0;
  for (const uint64_t n : waves)
    sum += n;
  return sum;
}

uint64_t ActiveLanes::lanes() const {
  uint64_t sum = 0;
  for (size_t lanes = 0; lanes < waves.size(); ++lanes)
    sum += lanes * waves[lanes];
  return sum;
}

ActiveLanes& ActiveLanes::operator+=(const ActiveLanes& other) {
  for (size_t i = 0; i < waves.size(); ++i)
    waves[i] += other.waves[i];
  diverged += other.diverged;
  missing += other.missing;
  return *this;
}

} // namespace crosslane::views
