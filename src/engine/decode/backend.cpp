// Chooses the x86-64 level at run time.
#include "engine/decode/backend.h"
#include "engine/dispatch.h"
#include "engine/matrix.h"
#include "lanes/host_level.h"
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
    const int level = lanes::host_level(std::getenv("CROSSLANE_LEVEL"));
    return level == 4 ? backend_v4 : level == 3 ? backend_v3 : backend_v1;
  }();
  return chosen;
}

const char* host_level() { return backend().level; }

Uop together(const Uop& matrix, isa::Op op, MatrixStep step, uint32_t left) {
  Uop u = matrix;
  u.fn = backend().matrix_together(op);
  u.a = step.a, u.b = step.b, u.k0 = left;
  return u;
}

} // namespace crosslane::engine
