// The bodies of scalar arithmetic: "salu.s_add_u32".
#include "jit/bodies/body.h"

namespace crosslane::jit {
CROSSLANE_LEVEL_BEGIN
namespace bodies {

using engine::SaluFunction;
using engine::SopkFunction;
using enum isa::Implicit;

BODIES_BEGIN
#define SOP1(m, opcodes, D, S0, implicit, timing)                                                                      \
  BODY("salu." #m, SaluBody<SaluFunction<CROSSLANE_CALL(m), Type::D, implicit, Type::S0>>)
#define SOP2(m, opcodes, D, S0, S1, implicit, timing)                                                                  \
  BODY("salu." #m, SaluBody<SaluFunction<CROSSLANE_CALL(m), Type::D, implicit, Type::S0, Type::S1>>)
#define SOPC(m, opcodes, S0, S1, implicit, timing)                                                                     \
  BODY("salu." #m, SaluBody<SaluFunction<CROSSLANE_CALL(m), Type::None, implicit, Type::S0, Type::S1>>)
#define SOPK(m, opcodes, D, S0, imm, implicit, timing)                                                                 \
  BODY("salu." #m, SaluBody<SopkFunction<CROSSLANE_CALL(m), Type::D, Type::S0, implicit>>)
#include "isa/rows/all.inc"
BODIES_END

} // namespace bodies
CROSSLANE_LEVEL_END
} // namespace crosslane::jit
