// DS without memory: ds_permute_b32, ds_bpermute_b32, ds_swizzle_b32. Compiled once per level.
// All data is read before anything is written (the destination may be a source), inactive lanes read as 0, and only active
// lanes are written. Source: GCN3 ISA manual, DS_PERMUTE_B32 and "DS_SWIZZLE_B32 details".
#include "engine/lds.h"
#include "lanes/permute.h"

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
  U32 data[4];
  read_active(w, op->c, data);
  for (int row = 0; row < 4; ++row) {
    const U32 address = lanes::load<uint32_t, 16>(row_of(w, op->a, row)) + U32(uint32_t(op->imm));
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row), lanes::lookup(data, address >> U32(2u)));
  }
  CROSSLANE_NEXT(op, w);
}

// "Push": lane address[7:2] gets the data of lane i; of several the highest wins, of none it is 0.
CROSSLANE_CC void permute(const Uop* op, Wave* w) {
  alignas(64) uint32_t slots[64] = {};
  const uint32_t *address = at<uint32_t>(w, op->a), *data = at<uint32_t>(w, op->c);
  for (int row = 0; row < 4; ++row)
    for_lanes(w->exec_row(row), [&](int i) {
      const int lane = row * 16 + i;
      slots[(address[lane] + uint32_t(op->imm)) / 4 % 64] = data[lane];
    });
  for (int row = 0; row < 4; ++row)
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row), lanes::load<uint32_t, 16>(slots + row * 16));
  CROSSLANE_NEXT(op, w);
}

// Offset bit 15: within groups of four by two-bit selectors; else within 32 lanes by and, or, xor masks on the lane number.
CROSSLANE_CC void swizzle(const Uop* op, Wave* w) {
  U32 data[4];
  read_active(w, op->a, data);
  const uint32_t pattern = uint32_t(op->imm);
  for (int row = 0; row < 4; ++row) {
    const U32 lane = lane_numbers() + U32(uint32_t(row % 2 * 16));
    U32 from;
    if (pattern & 0x8000)
      from = (lane & U32(~3u)) | (U32(pattern) >> ((lane & U32(3u)) * U32(2u)) & U32(3u));
    else
      from = ((lane & U32(pattern & 31)) | U32(pattern >> 5 & 31)) ^ U32(pattern >> 10 & 31);
    put<Dword>(row_of(w, op->dst, row), w->exec_row(row), lanes::lookup(data[row / 2 * 2], data[row / 2 * 2 + 1], from));
  }
  CROSSLANE_NEXT(op, w);
}

}  // namespace

Handler pick_cross_lane(isa::Access access) {
  switch (access) {
  case isa::Access::bpermute: return bpermute;
  case isa::Access::permute: return permute;
  case isa::Access::swizzle: return swizzle;
  default: return nullptr;
  }
}

CROSSLANE_LEVEL_END
}  // namespace crosslane::engine
