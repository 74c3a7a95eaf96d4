// DS without memory: ds_permute_b32, ds_bpermute_b32, ds_swizzle_b32. Compiled once per level.
// All data is read before anything is written (the destination may be a source), inactive lanes read as 0, and only
// active lanes are written. Source: GCN3 ISA manual, DS_PERMUTE_B32 and "DS_SWIZZLE_B32 details".
#include "engine/memory/lane_pattern.h"
#include "engine/memory/lds.h"

namespace crosslane::engine {
CROSSLANE_LEVEL_BEGIN
namespace {

using namespace access;

// A VGPR with 0 where lanes are inactive.
CROSSLANE_INLINE void read_active(Wave* w, uint32_t offset, U32 (&v)[4]) {
  for (int row = 0; row < 4; ++row)
    v[row] = lanes::select(Mask<16>(w->exec_row(row)), lanes::load<uint32_t, 16>(row_of(w, offset, row)), U32(0u));
}

// "Pull": lane i gets the data of lane address[7:2].
CROSSLANE_CC void bpermute(const Uop* op, Wave* w) {
  U32 data[4], from[4], moved[4];
  read_active(w, op->c, data);
  for (int row = 0; row < machine::rows_per_wave; ++row)
    from[row] = (lanes::load<uint32_t, 16>(row_of(w, op->a, row)) + U32(uint32_t(op->imm))) >> U32(2u);
  lanes::lookup(data, from, moved);
  for (int row = 0; row < machine::rows_per_wave; ++row)
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row), moved[row]);
  CROSSLANE_NEXT(op, w);
}

// "Push": lane address[7:2] gets the data of lane i; of several the highest wins, of none it is 0.
CROSSLANE_CC void permute(const Uop* op, Wave* w) {
  alignas(64) uint32_t slots[64] = {}, to[64];
  const uint32_t* data = at<uint32_t>(w, op->c);
  for (int row = 0; row < 4; ++row)
    lanes::store(to + row * 16,
                 (lanes::load<uint32_t, 16>(row_of(w, op->a, row)) + U32(uint32_t(op->imm))) >> U32(2u) & U32(63u));
  for (int row = 0; row < 4; ++row)
    for_lanes(w->exec_row(row), [&](int i) { slots[to[row * 16 + i]] = data[row * 16 + i]; });
  for (int row = 0; row < 4; ++row)
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row), lanes::load<uint32_t, 16>(slots + row * 16));
  CROSSLANE_NEXT(op, w);
}

// By a pattern in the instruction (target); a source, dst.
template <lanes::WaveMove M> CROSSLANE_CC void swizzle(const Uop* op, Wave* w) {
  const auto& p = *reinterpret_cast<const lanes::WavePermute*>(op->target);
  const uint64_t readable = lanes::permute_wave_mask<M>(w->exec(), p);
  U32 moved[4];
  lanes::permute_wave<M>([&](int row) { return lanes::load<uint32_t, 16>(row_of(w, op->a, row)); }, p, moved);
  for (int row = 0; row < machine::rows_per_wave; ++row)
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row),
               lanes::select(Mask<16>(uint16_t(readable >> 16 * row)), moved[row], U32(0u)));
  CROSSLANE_NEXT(op, w);
}

} // namespace

Handler pick_permute(isa::Access access) { return access == isa::Access::permute ? permute : bpermute; }

void lower_swizzle(Lowering& l) {
  const lanes::WavePermute& p = swizzle_pattern(uint32_t(l.inst.imm), isa::info(l.inst.target).generation);
  Uop& op =
      l.emit(UopKind::swizzle, lanes::with_move(p.move, []<lanes::WaveMove M>() -> Handler { return swizzle<M>; }));
  op.a = vgpr(l.inst.addr), op.dst = vgpr(l.inst.dst);
  op.target = reinterpret_cast<const Uop*>(&p);
}

CROSSLANE_LEVEL_END
} // namespace crosslane::engine
