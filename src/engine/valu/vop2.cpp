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
    // S0 * K + S1 and S0 * S1 + K: the sum of v_mac with a third source instead of the old destination.
#define MAD_K(m, mac, T)                                                                                               \
  handlers[size_t(isa::Op::m)] = valu_handlers<CROSSLANE_CALL(mac), Type::T, none, Type::T, Type::T, Type::T>();
    MAD_K(v_madmk_f32, v_mac_f32, F32)
    MAD_K(v_madak_f32, v_mac_f32, F32)
    MAD_K(v_madmk_f16, v_mac_f16, F16)
    MAD_K(v_madak_f16, v_mac_f16, F16)
#undef MAD_K
  }
};
constexpr Table table;
} // namespace

ValuHandlers vop2_handlers(isa::Op op) { return table.handlers[size_t(op)]; }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
