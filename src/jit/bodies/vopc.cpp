// The bodies of isa/rows/vopc.inc.
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using enum isa::Implicit;

BODIES_BEGIN
#define VOPC(m, opcodes, S0, S1, implicit, timing)                                                                     \
  VALU_BODIES(#m, CROSSLANE_CALL(m), Type::Mask, implicit, Type::S0, Type::S1)
#include "isa/rows/all.inc"
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
