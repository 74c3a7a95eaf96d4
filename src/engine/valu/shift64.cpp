// 64-bit shifts by a scalar amount, on the two dwords where they lie. Address arithmetic is full of them, and weaving
// the dwords into 64-bit lanes and back costs more than the shift. Other forms go through semantics/ like everything
// else.
#include "engine/valu/stage.h"
#include "engine/valu/valu.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

using Signed = Vec<int32_t, row_lanes>;

enum class Shift { left, right, arithmetic };

// Below 32: a funnel shift. x >> (32 - n) is written (x >> 1) >> (31 - n), so that n = 0 stays defined.
template <Shift S> CROSSLANE_INLINE void near(Words lo, Words hi, uint32_t n, Words& out_lo, Words& out_hi) {
  const Words count = n, rest = 31 - n, one = 1;
  if constexpr (S == Shift::left) {
    out_lo = lo << count;
    out_hi = (hi << count) | ((lo >> one) >> rest);
  } else {
    out_lo = (lo >> count) | ((hi << one) << rest);
    if constexpr (S == Shift::arithmetic)
      out_hi = lanes::bitcast<uint32_t>(lanes::bitcast<int32_t>(hi) >> Signed(int32_t(n)));
    else
      out_hi = hi >> count;
  }
}
// From 32 on: one dword moves over.
template <Shift S> CROSSLANE_INLINE void far(Words lo, Words hi, uint32_t n, Words& out_lo, Words& out_hi) {
  const Words count = n - 32;
  if constexpr (S == Shift::left)
    out_hi = lo << count, out_lo = 0;
  else if constexpr (S == Shift::right)
    out_lo = hi >> count, out_hi = 0;
  else {
    const Signed s = lanes::bitcast<int32_t>(hi);
    out_lo = lanes::bitcast<uint32_t>(s >> Signed(int32_t(n - 32)));
    out_hi = lanes::bitcast<uint32_t>(s >> Signed(31));
  }
}

template <Shift S> CROSSLANE_CC void shift64(const Uop* op, Wave* w) {
  uint32_t n;
  std::memcpy(&n, at(w, op->a), 4);
  n = (n | uint32_t(op->k0)) & 63;
  const uint32_t from = op->b, to = op->dst;
  for (int r = 0; r < machine::rows_per_wave; ++r) {
    const Words lo = fetch<Type::B32>(w, from, r), hi = fetch<Type::B32>(w, from + machine::vgpr_bytes, r);
    Words out_lo, out_hi;
    if (n < 32)
      near<S>(lo, hi, n, out_lo, out_hi);
    else
      far<S>(lo, hi, n, out_lo, out_hi);
    const RowMask exec = exec_row(w, r);
    put(w, to, r, exec, out_lo);
    put(w, to + machine::vgpr_bytes, r, exec, out_hi);
  }
  CROSSLANE_NEXT(op, w);
}

} // namespace

bool lower_shift64(Lowering& l) {
  using enum isa::Op;
  const auto& inst = l.inst;
  const isa::Op o = inst.op;
  const Handler handler = o == v_lshlrev_b64 || o == v_lshl_b64   ? shift64<Shift::left>
                          : o == v_lshrrev_b64 || o == v_lshr_b64 ? shift64<Shift::right>
                          : o == v_ashrrev_i64 || o == v_ashr_i64 ? shift64<Shift::arithmetic>
                                                                  : nullptr;
  const bool amount_second = o == v_lshl_b64 || o == v_lshr_b64 || o == v_ashr_i64;
  const uint16_t by = inst.src[amount_second], value = inst.src[!amount_second];
  if (!handler || !is_plain_scalar(by) || !isa::is_vgpr(value) || inst.neg || inst.abs || inst.omod || inst.clamp ||
      l.gpr_idx())
    return false;
  const auto amount = scalar_operand(inst, by, Type::U32);
  Uop& op = l.emit(UopKind::shift, handler);
  op.a = amount.offset, op.k0 = amount.k, op.b = vgpr(value), op.dst = vgpr(inst.dst);
  return true;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
