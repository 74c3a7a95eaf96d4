// The bodies of isa/rows/vop2.inc.
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using enum isa::Implicit;

BODIES_BEGIN
#define VOP2(m, opcodes, D, S0, S1, implicit, timing)                                                                  \
  VALU_BODIES(#m, CROSSLANE_CALL(m), Type::D, implicit, Type::S0, Type::S1)
#include "isa/rows/all.inc"
#define MAD_K(m, mac, T) VALU_BODIES(#m, CROSSLANE_CALL(mac), Type::T, none, Type::T, Type::T, Type::T)
CROSSLANE_MAD_K(MAD_K)
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
