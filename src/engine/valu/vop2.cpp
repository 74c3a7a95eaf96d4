// Vector arithmetic of isa/rows/vop2.inc: one handler set per row. Compiled once per level.
#include "engine/valu/valu.h"
#include "isa/op.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {
struct Table {
  ValuHandlers handlers[size_t(isa::Op::count)] = {};
  constexpr Table() {
    using enum isa::Implicit;
#define VOP2(m, opcodes, D, S0, S1, implicit, timing)                                                                  \
  handlers[size_t(isa::Op::m)] = valu_handlers<CROSSLANE_CALL(m), Type::D, implicit, Type::S0, Type::S1>();
#include "isa/rows/all.inc"
#define MAD_K(m, mac, T)                                                                                               \
  handlers[size_t(isa::Op::m)] = valu_handlers<CROSSLANE_CALL(mac), Type::T, none, Type::T, Type::T, Type::T>();
    CROSSLANE_MAD_K(MAD_K)
#undef MAD_K
  }
};
constexpr Table table;
} // namespace

ValuHandlers vop2_handlers(isa::Op op) { return table.handlers[size_t(op)]; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
