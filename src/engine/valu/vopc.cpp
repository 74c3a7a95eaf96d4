// Vector arithmetic of isa/rows/vopc.inc: one handler set per row. Compiled once per level.
#include "engine/valu/valu.h"
#include "isa/op.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {
struct Table {
  ValuHandlers handlers[size_t(isa::Op::count)] = {};
  constexpr Table() {
    using enum isa::Implicit;
#define VOPC(m, opcodes, S0, S1, implicit, timing)                                                                     \
  handlers[size_t(isa::Op::m)] = valu_handlers<CROSSLANE_CALL(m), Type::Mask, implicit, Type::S0, Type::S1>();
#include "isa/rows/all.inc"
  }
};
constexpr Table table;
} // namespace

ValuHandlers vopc_handlers(isa::Op op) { return table.handlers[size_t(op)]; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
