// The bodies of isa/rows/vop1.inc.
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using enum isa::Implicit;

BODIES_BEGIN
#define VOP1(m, opcodes, D, S0, implicit, timing) VALU_BODIES(#m, CROSSLANE_CALL(m), Type::D, implicit, Type::S0)
#include "isa/rows/all.inc"
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
