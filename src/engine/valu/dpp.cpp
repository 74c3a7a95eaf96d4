// DPP: source 0 comes from another lane. The source is moved into a temporary and EXEC is narrowed to the lanes that
// may write; the arithmetic then runs as usual, and EXEC is restored. Source: GCN3 ISA manual, "DPP"; GPUOpen, "AMD GCN
// Assembly: Cross-Lane Operations".
#include "engine/memory/lane_pattern.h"
#include "engine/valu/stage.h"
#include "engine/valu/valu.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

using lanes::WaveMove;
using lanes::WavePermute;

// k0: lanes that row_mask and bank_mask let write. imm: BOUND_CTRL. target: the WavePermute.
struct Moved {
  Words row[4];      // 0 where nothing is readable: what BOUND_CTRL reads there
  uint64_t writable; // lanes that get a result
};
template <WaveMove M> CROSSLANE_INLINE Moved moved_by(const Uop* op, Wave* w) {
  const auto& p = *reinterpret_cast<const WavePermute*>(op->target);
  const uint64_t exec = w->exec(), readable = lanes::permute_wave_mask<M>(exec, p);
  const char* from = at(w, op->a);
  Moved m;
  lanes::permute_wave<M>([&](int r) { return lanes::load<uint32_t, row_lanes>(from + r * 64); }, p, m.row);
  for (int r = 0; r < 4; ++r)
    m.row[r] = lanes::select(RowMask(uint16_t(readable >> 16 * r)), m.row[r], Words(0u));
  m.writable = exec & op->k0 & (op->imm ? ~uint64_t(0) : readable);
  return m;
}

template <WaveMove M> CROSSLANE_CC void dpp(const Uop* op, Wave* w) {
  char* to = at(w, op->dst);
  const Moved m = moved_by<M>(op, w);
  for (int r = 0; r < 4; ++r)
    lanes::store(to + r * 64, m.row[r]);
  w->set_pair(machine::scalar_tmp + 30, w->exec());
  w->set_pair(126, m.writable);
  CROSSLANE_NEXT(op, w);
}
// The high dwords of 64-bit lanes.
template <WaveMove M> CROSSLANE_CC void dpp_high(const Uop* op, Wave* w) {
  char* to = at(w, op->dst);
  const Moved m = moved_by<M>(op, w);
  for (int r = 0; r < 4; ++r)
    lanes::store(to + r * 64, m.row[r]);
  CROSSLANE_NEXT(op, w);
}
CROSSLANE_CC void dpp_end(const Uop* op, Wave* w) {
  w->set_pair(126, w->pair(machine::scalar_tmp + 30));
  CROSSLANE_NEXT(op, w);
}

// v_mov_b32: nothing to compute, so it moves straight to its destination.
template <WaveMove M> CROSSLANE_CC void dpp_mov(const Uop* op, Wave* w) {
  char* to = at(w, op->dst);
  const Moved m = moved_by<M>(op, w);
  for (int r = 0; r < 4; ++r)
    put_words(to + r * 64, RowMask(uint16_t(m.writable >> 16 * r)), m.row[r]);
  CROSSLANE_NEXT(op, w);
}

template <class Pick> void emit_dpp(Lowering& l, UopKind kind, uint32_t from, uint32_t to, Pick pick) {
  const WavePermute& p = dpp_pattern(l.inst.dpp_ctrl);
  uint64_t writable = 0;
  for (int i = 0; i < 64; ++i)
    if ((l.inst.row_mask >> (i / 16) & 1) && (l.inst.bank_mask >> (i / 4 % 4) & 1))
      writable |= uint64_t(1) << i;
  Uop& op = l.emit(kind, lanes::with_move(p.move, pick));
  op.a = from, op.dst = to, op.k0 = writable, op.imm = l.inst.bound_ctrl;
  op.target = reinterpret_cast<const Uop*>(&p);
}

} // namespace

bool lower_dpp_mov(Lowering& l) {
  const isa::Instruction& inst = l.inst;
  if (inst.op != isa::Op::v_mov_b32 || inst.form != isa::Form::dpp || inst.neg || inst.abs || l.gpr_idx() ||
      !isa::is_vgpr(inst.src[0]))
    return false;
  emit_dpp(l, UopKind::dpp_mov, vgpr(inst.src[0]), vgpr(inst.dst), []<WaveMove M>() -> Handler { return dpp_mov<M>; });
  return true;
}
void stage_dpp(Lowering& l, uint32_t from, uint32_t tmp, int dwords) {
  if (dwords == 2) // the first to move: it leaves EXEC alone
    emit_dpp(l, UopKind::dpp_high, from + machine::vgpr_bytes, tmp + machine::vgpr_bytes,
             []<WaveMove M>() -> Handler { return dpp_high<M>; });
  emit_dpp(l, UopKind::dpp, from, tmp, []<WaveMove M>() -> Handler { return dpp<M>; });
}
void finish_dpp(Lowering& l) { l.emit(UopKind::dpp_end, dpp_end); }

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
