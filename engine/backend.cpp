// Chooses the x86-64 level at run time.
#include "engine/backend.h"
#include "engine/dispatch.h"
#include <cstdlib>
#include <cstring>

namespace crosslane::engine {

extern const Backend backend_v1, backend_v3, backend_v4;

const char* unknown_level() {
  static const char* const asked = std::getenv("CROSSLANE_LEVEL");
  const bool known = !asked || !std::strcmp(asked, "v1") || !std::strcmp(asked, "v3") || !std::strcmp(asked, "v4");
  return known ? nullptr : asked;
}

const Backend& backend() {
  static const Backend& chosen = []() -> const Backend& {
    int best = __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 1;
    if (const char* asked = std::getenv("CROSSLANE_LEVEL")) {
      const int level = std::strcmp(asked, "v1") == 0 ? 1 : std::strcmp(asked, "v3") == 0 ? 3 : 4;
      if (level < best) best = level;
    }
    return best == 4 ? backend_v4 : best == 3 ? backend_v3 : backend_v1;
  }();
  return chosen;
}

const char* host_level() { return backend().level; }

}  // namespace crosslane::engine
