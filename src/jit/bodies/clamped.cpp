// The bodies of integer operations with CLAMP: "v16.v_add_u32.clamped".
#include "engine/values/clamped.h"
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using namespace engine::clamped;

template <int N, isa::Op O, class F, class R = RowTypes<O>>
using ClampedBody = ValuBody<N, F, R::dst, R::implicit, R::a, R::b, R::c>;

BODIES_BEGIN
#define CLAMPED(m, ...)                                                                                                \
  BODY("v16." #m ".clamped", ClampedBody<16, isa::Op::m, __VA_ARGS__>)                                                 \
  BODY("s1." #m ".clamped", ClampedBody<1, isa::Op::m, __VA_ARGS__>)
#define UNCHANGED(m) CLAMPED(m, CROSSLANE_CALL(m))
#include "engine/values/clamped.inc"
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
