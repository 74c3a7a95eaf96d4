// Owns the choice at run time among code that is compiled once per x86-64 level (v1, v3, v4).
#pragma once
#include <cstring>

namespace crosslane::lanes {

// The best level that this CPU has: 1, 3 or 4. `most`: no better one than "v1" or "v3"; null or anything else asks for
// the best.
inline int host_level(const char* most) {
  const int best = __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 1;
  const int asked = !most ? 4 : std::strcmp(most, "v1") == 0 ? 1 : std::strcmp(most, "v3") == 0 ? 3 : 4;
  return asked < best ? asked : best;
}

} // namespace crosslane::lanes
