// Vector arithmetic of isa/rows/vop1.inc: one handler set per row. Compiled once per level.
#include "engine/valu/valu.h"
#include "isa/op.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {
struct Table {
  ValuHandlers handlers[size_t(isa::Op::count)] = {};
  constexpr Table() {
    using enum isa::Implicit;
#define VOP1(m, opcodes, D, S0, implicit, timing)                                                                      \
  handlers[size_t(isa::Op::m)] = valu_handlers<CROSSLANE_CALL(m), Type::D, implicit, Type::S0>();
#include "isa/rows/all.inc"
  }
};
constexpr Table table;
} // namespace

ValuHandlers vop1_handlers(isa::Op op) { return table.handlers[size_t(op)]; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
