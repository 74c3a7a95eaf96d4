// Vector instructions that look at lanes as such: readlane, writelane, readfirstlane, mbcnt, swap, relative moves.
#include "engine/valu/stage.h"
#include "engine/valu/valu.h"
#include "lanes/math.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

using isa::Op;

CROSSLANE_INLINE uint32_t scalar(Wave* w, uint32_t offset, uint64_t k) {
  uint32_t v;
  std::memcpy(&v, at(w, offset), 4);
  return v | uint32_t(k);
}
CROSSLANE_INLINE uint32_t* vector(Wave* w, uint32_t offset) { return reinterpret_cast<uint32_t*>(at(w, offset)); }

CROSSLANE_CC void readfirstlane(const Uop* op, Wave* w) {
  const uint64_t exec = w->exec();
  *vector(w, op->dst) = vector(w, op->a)[exec ? __builtin_ctzll(exec) : 0]; // EXEC = 0: lane 0
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void readlane(const Uop* op, Wave* w) {
  *vector(w, op->dst) = vector(w, op->a)[scalar(w, op->b, op->k0) & 63];
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void writelane(const Uop* op, Wave* w) { // whatever EXEC says
  vector(w, op->dst)[scalar(w, op->b, op->k1) & 63] = scalar(w, op->a, op->k0);
  CROSSLANE_NEXT(op, w);
}
// D = number of mask bits below this lane (of the low or high half of the wave) + S1.
template <int Half> CROSSLANE_CC void mbcnt(const Uop* op, Wave* w) {
  for (int r = 0; r < machine::rows_per_wave; ++r) {
    const auto mask = fetch<Type::U32>(w, op->a, r);
    Words lane;
    for (int i = 0; i < row_lanes; ++i)
      lane.v[i] = uint32_t(16 * r + i);
    Words below;
    const Words one = 1;
    if (Half == 0)
      below = r < 2 ? (one << (lane & Words(31))) - one : Words(~0u);
    else
      below = r < 2 ? Words(0) : (one << (lane & Words(31))) - one;
    put(w, op->dst, r, exec_row(w, r), lanes::popcount(mask & below) + fetch<Type::U32>(w, op->b, r));
  }
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void swap(const Uop* op, Wave* w) {
  for (int r = 0; r < machine::rows_per_wave; ++r) {
    const auto a = fetch<Type::B32>(w, op->a, r), d = fetch<Type::B32>(w, op->dst, r);
    put(w, op->dst, r, exec_row(w, r), a);
    put(w, op->a, r, exec_row(w, r), d);
  }
  CROSSLANE_NEXT(op, w);
}

// Four sums in four registers: the one operation with operands of 128 bits.
template <bool Clamp> CROSSLANE_CC void mqsad(const Uop* op, Wave* w) {
  for (int r = 0; r < machine::rows_per_wave; ++r) {
    const auto a = fetch<Type::B64>(w, op->a, r);
    const auto b = fetch<Type::B32>(w, op->b, r);
    semantics::Dwords4<row_lanes> c, d;
    for (uint32_t i = 0; i < 4; ++i)
      c.dword[i] = fetch<Type::B32>(w, op->c + i * machine::vgpr_bytes, r);
    if constexpr (Clamp) {
      const semantics::Dwords4<row_lanes> zero{{0, 0, 0, 0}};
      d = own::v_mqsad_u32_u8(a, b, zero);
      for (int i = 0; i < 4; ++i)
        d.dword[i] = lanes::add_sat(d.dword[i], c.dword[i]);
    } else {
      d = own::v_mqsad_u32_u8(a, b, c);
    }
    for (uint32_t i = 0; i < 4; ++i)
      put(w, op->dst + i * machine::vgpr_bytes, r, exec_row(w, r), d.dword[i]);
  }
  CROSSLANE_NEXT(op, w);
}

uint32_t tmp(int i) { return machine::tmp_offset(uint32_t(i)); }

// Any source as a VGPR offset; slot: which source it is. VGPR indexing works on the register number before lanes are
// looked at.
uint32_t as_vgpr(Lowering& l, uint16_t c, int slot) {
  if (isa::is_vgpr(c) && !(l.gpr_idx() >> slot & 1))
    return vgpr(c);
  if (isa::is_vgpr(c))
    stage_indexed(l, vgpr(c), tmp(2 * slot), 0);
  else
    stage_broadcast(l, staged_scalar(l, c, Type::U32, slot), tmp(2 * slot), 1);
  return tmp(2 * slot);
}
constexpr uint8_t dst_indexed = 8;

} // namespace

bool lower_lanes(Lowering& l) {
  const auto& inst = l.inst;
  switch (inst.op) {
  case Op::v_nop:
  case Op::v_clrexcp: return true;
  case Op::v_readfirstlane_b32: {
    if (!isa::is_vgpr(inst.src[0]))
      return false;
    const uint32_t from = as_vgpr(l, inst.src[0], 0);
    Uop& op = l.emit(UopKind::read_first_lane, readfirstlane);
    op.a = from, op.dst = machine::sgpr_offset(inst.dst);
    return true;
  }
  case Op::v_readlane_b32: {
    if (!isa::is_vgpr(inst.src[0]))
      return false;
    const auto lane = staged_scalar(l, inst.src[1], Type::U32, 1);
    const uint32_t from = as_vgpr(l, inst.src[0], 0);
    Uop& op = l.emit(UopKind::read_lane, readlane);
    op.a = from, op.b = lane.offset, op.k0 = lane.k, op.dst = machine::sgpr_offset(inst.dst);
    return true;
  }
  case Op::v_writelane_b32: {
    const auto value = staged_scalar(l, inst.src[0], Type::B32, 0), lane = staged_scalar(l, inst.src[1], Type::U32, 1);
    const bool indexed = l.gpr_idx() & dst_indexed;
    if (indexed)
      stage_indexed(l, vgpr(inst.dst), tmp(0), 0);
    Uop& op = l.emit(UopKind::write_lane, writelane);
    op.a = value.offset, op.k0 = value.k, op.b = lane.offset, op.k1 = lane.k,
    op.dst = indexed ? tmp(0) : vgpr(inst.dst);
    if (indexed)
      finish_indexed_all(l, tmp(0), vgpr(inst.dst));
    return true;
  }
  case Op::v_mbcnt_lo_u32_b32:
  case Op::v_mbcnt_hi_u32_b32: {
    const uint32_t a = as_vgpr(l, inst.src[0], 0), b = as_vgpr(l, inst.src[1], 1);
    const bool indexed = l.gpr_idx() & dst_indexed;
    Uop& op = l.emit(UopKind::count_lanes, inst.op == Op::v_mbcnt_lo_u32_b32 ? mbcnt<0> : mbcnt<1>);
    op.a = a, op.b = b, op.dst = indexed ? tmp(8) : vgpr(inst.dst);
    if (indexed)
      finish_indexed(l, tmp(8), vgpr(inst.dst), 0, 1);
    return true;
  }
  case Op::v_swap_b32: {
    const uint32_t a = vgpr(inst.src[0]), d = vgpr(inst.dst);
    const bool a_indexed = l.gpr_idx() & 1, d_indexed = l.gpr_idx() & dst_indexed;
    if (a_indexed)
      stage_indexed(l, a, tmp(0), 0);
    if (d_indexed)
      stage_indexed(l, d, tmp(2), 0);
    Uop& op = l.emit(UopKind::swap, swap);
    op.a = a_indexed ? tmp(0) : a, op.dst = d_indexed ? tmp(2) : d;
    if (a_indexed)
      finish_indexed(l, tmp(0), a, 0, 1);
    if (d_indexed)
      finish_indexed(l, tmp(2), d, 0, 1);
    return true;
  }
  case Op::v_mqsad_u32_u8: {
    const auto indexed = [&](int i) { return (l.gpr_idx() >> i & 1) != 0; };
    const auto registers = [&](uint16_t first, bool index, int to, int dwords) {
      for (int d = 0; index && d < dwords; ++d)
        stage_indexed(l, vgpr(first), tmp(to), d);
      return index ? tmp(to) : vgpr(first);
    };
    uint32_t a = tmp(0);
    if (isa::is_vgpr(inst.src[0]))
      a = registers(inst.src[0], indexed(0), 0, 2);
    else
      stage_broadcast(l, staged_scalar(l, inst.src[0], Type::B64, 0), a, 2);
    const uint32_t b = as_vgpr(l, inst.src[1], 1);
    const uint32_t c = registers(inst.src[2], indexed(2), 4, 4);
    Uop& op = l.emit(UopKind::sum_of_differences, inst.clamp ? mqsad<true> : mqsad<false>);
    op.a = a, op.b = b, op.c = c, op.dst = indexed(3) ? tmp(8) : vgpr(inst.dst);
    for (int d = 0; indexed(3) && d < 4; ++d)
      finish_indexed(l, tmp(8), vgpr(inst.dst), d, 4);
    return true;
  }
  case Op::v_movrels_b32:
  case Op::v_movreld_b32:
  case Op::v_movrelsd_b32: {
    uint32_t from = 0;
    if (inst.op != Op::v_movreld_b32) {
      if (!isa::is_vgpr(inst.src[0]))
        return false;
      stage_indexed(l, vgpr(inst.src[0]), tmp(0), 0, Index::whole);
      from = tmp(0);
    } else {
      from = as_vgpr(l, inst.src[0], 0);
    }
    if (inst.op == Op::v_movrels_b32)
      finish_copy(l, from, vgpr(inst.dst));
    else
      finish_indexed(l, from, vgpr(inst.dst), 0, 1, Index::whole);
    return true;
  }
  default: return false;
  }
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
