// What findings are called.
#include "report/profile.h"

namespace crosslane::report {

const char* name_of(FindingKind kind) {
  switch (kind) {
  case FindingKind::divergence:
    return "divergence";
  case FindingKind::partial_waves:
    return "partial_waves";
  case FindingKind::coalescing:
    return "coalescing";
  case FindingKind::misaligned:
    return "misaligned";
  case FindingKind::atomic_collisions:
    return "atomic_collisions";
  case FindingKind::bank_conflicts:
    return "bank_conflicts";
  case FindingKind::occupancy:
    return "occupancy";
  case FindingKind::scratch:
    return "scratch";
  }
  return "";
}

} // namespace crosslane::report
