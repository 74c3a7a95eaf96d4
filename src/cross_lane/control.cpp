// The tables of DPP and ds_swizzle_b32, lane by lane.
#include "cross_lane/control.h"
#include <bit>

namespace crosslane::cross_lane {
namespace {

int dpp_source(uint32_t ctrl, int i) {
  const int row = i & ~15, in_row = i & 15, n = int(ctrl & 15);
  if (ctrl <= 0xff)
    return (i & ~3) | int(ctrl >> (2 * (i & 3)) & 3); // quad_perm
  switch (ctrl & 0x1f0) {
  case 0x100: return in_row + n < 16 ? i + n : no_lane; // row_shl: towards lane 0
  case 0x110: return in_row - n >= 0 ? i - n : no_lane; // row_shr
  case 0x120: return row | ((in_row - n) & 15);         // row_ror
  case 0x150: return row | n;                           // row_newbcast
  }
  switch (ctrl) {
  case 0x130: return i + 1 < 64 ? i + 1 : no_lane; // wave_shl:1
  case 0x134: return (i + 1) & 63;                 // wave_rol:1
  case 0x138: return i - 1;                        // wave_shr:1
  case 0x13c: return (i - 1) & 63;                 // wave_ror:1
  case 0x140: return row | (15 - in_row);          // row_mirror
  case 0x141: return (i & ~7) | (7 - (i & 7));     // row_half_mirror
  case 0x142: return row ? row - 1 : no_lane;      // row_bcast:15
  case 0x143: return i >= 32 ? 31 : no_lane;       // row_bcast:31
  }
  return no_lane;
}

uint32_t reverse5(uint32_t v) { return (v & 1) << 4 | (v & 2) << 2 | (v & 4) | (v >> 2 & 2) | (v >> 4 & 1); }

// Where lane i of 32 reads from.
uint32_t swizzle_source(uint32_t offset, bool rotates, uint32_t i) {
  const uint32_t low = offset & 31, middle = offset >> 5 & 31;
  if (rotates && offset >= 0xe000)
    return reverse5(i) >> std::popcount(low) | (i & low); // FFT
  if (rotates && offset >= 0xc000) {                      // rotation
    const uint32_t by = offset & 0x400 ? 0u - middle : middle;
    return (i & low) | ((i + by) & ~low & 31);
  }
  if (offset & 0x8000)
    return (i & ~3u) | (offset >> (2 * (i & 3)) & 3);
  return ((i & low) | middle) ^ (offset >> 10 & 31);
}

} // namespace

Sources dpp_sources(uint32_t dpp_ctrl) {
  Sources from;
  for (int i = 0; i < lane_count; ++i)
    from[size_t(i)] = int8_t(dpp_source(dpp_ctrl, i));
  return from;
}

Sources swizzle_sources(uint32_t offset, isa::Generation generation) {
  const bool rotates = generation >= isa::Generation::gfx9;
  Sources from;
  for (int i = 0; i < lane_count; ++i)
    from[size_t(i)] = int8_t((i & 32) | int(swizzle_source(offset, rotates, uint32_t(i & 31))));
  return from;
}

} // namespace crosslane::cross_lane
