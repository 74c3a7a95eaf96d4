// DPP: source 0 comes from another lane. The source is moved into a temporary and EXEC is narrowed to the lanes that may
// write; the arithmetic then runs as usual, and EXEC is restored.
// Source: GCN3 ISA manual, "DPP"; GPUOpen, "AMD GCN Assembly: Cross-Lane Operations".
#include "engine/lane_pattern.h"
#include "engine/valu.h"
#include "engine/valu_stage.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN

namespace {

// k0: lanes that row_mask and bank_mask let write. imm: BOUND_CTRL. target: the WavePermute.
template <lanes::WaveMove M> CROSSLANE_CC void dpp(const Uop* op, Wave* w) {
  const auto& p = *reinterpret_cast<const lanes::WavePermute*>(op->target);
  const uint64_t exec = w->exec(), readable = lanes::permute_wave_mask<M>(exec, p);
  Words out[4];
  lanes::permute_wave<M>([&](int r) { return lanes::load<uint32_t, 16>(at(w, op->a) + r * 64); }, p, out);
  // 0 where nothing is readable: what BOUND_CTRL reads there.
  for (int r = 0; r < 4; ++r)
    lanes::store(at(w, op->dst) + r * 64, lanes::select(Mask<16>(uint16_t(readable >> 16 * r)), out[r], Words(0u)));
  w->set_pair(machine::scalar_tmp + 30, exec);
  w->set_pair(126, exec & op->k0 & (op->imm ? ~uint64_t(0) : readable));
  CROSSLANE_NEXT(op, w);
}

CROSSLANE_CC void dpp_end(const Uop* op, Wave* w) {
  w->set_pair(126, w->pair(machine::scalar_tmp + 30));
  CROSSLANE_NEXT(op, w);
}

}  // namespace

void stage_dpp(Lowering& l, uint32_t from, uint32_t tmp) {
  const lanes::WavePermute& p = dpp_pattern(l.inst.dpp_ctrl);
  uint64_t writable = 0;
  for (int i = 0; i < 64; ++i)
    if ((l.inst.row_mask >> (i / 16) & 1) && (l.inst.bank_mask >> (i / 4 % 4) & 1)) writable |= uint64_t(1) << i;
  Uop& op = l.emit(lanes::with_move(p.move, []<lanes::WaveMove M>() -> Handler { return dpp<M>; }));
  op.a = from, op.dst = tmp, op.k0 = writable, op.imm = l.inst.bound_ctrl;
  op.target = reinterpret_cast<const Uop*>(&p);
}
void finish_dpp(Lowering& l) { l.emit(dpp_end); }

CROSSLANE_LEVEL_END
}  // namespace crosslane::engine
