// Integer operations with the CLAMP bit (engine/values/clamped.h): one handler set each. Compiled once per level.
#include "engine/values/clamped.h"
#include "engine/valu/valu.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

ValuHandlers clamped_handlers(isa::Op op) {
  using namespace clamped;
  using isa::Op;
  switch (op) {
#define CLAMPED(m, ...)                                                                                                \
  case Op::m: {                                                                                                        \
    using R = RowTypes<Op::m>;                                                                                         \
    return valu_handlers<__VA_ARGS__, R::dst, R::implicit, R::a, R::b, R::c>();                                        \
  }
#define UNCHANGED(m)                                                                                                   \
  case Op::m: return vop3_handlers(op);
#include "engine/values/clamped.inc"
  default: return {}; // a named fault; the instruction without CLAMP is no substitute
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
