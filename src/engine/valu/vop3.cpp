// Vector arithmetic of isa/rows/vop3.inc: one handler set per row. Compiled once per level.
#include "engine/valu/valu.h"
#include "isa/op.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {
struct Table {
  ValuHandlers handlers[size_t(isa::Op::count)] = {};
  constexpr Table() {
    using enum isa::Implicit;
#define VOP3(m, opcodes, D, SD, S0, S1, S2, implicit, timing)                                                          \
  handlers[size_t(isa::Op::m)] = valu_handlers<CROSSLANE_CALL(m), Type::D, implicit, Type::S0, Type::S1, Type::S2>();
#include "isa/rows/all.inc"
  }
};
constexpr Table table;
} // namespace

ValuHandlers vop3_handlers(isa::Op op) { return table.handlers[size_t(op)]; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
