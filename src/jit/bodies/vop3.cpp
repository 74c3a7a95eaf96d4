// The bodies of isa/rows/vop3.inc.
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using enum isa::Implicit;

BODIES_BEGIN
#define VOP3(m, opcodes, D, SD, S0, S1, S2, implicit, timing)                                                          \
  VALU_BODIES(#m, CROSSLANE_CALL(m), Type::D, implicit, Type::S0, Type::S1, Type::S2)
#include "isa/rows/all.inc"
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
