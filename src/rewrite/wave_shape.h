// Owns what is known of workgroups before a kernel is launched, and so how a wave finds out where its record is
// (rewrite/plan.h) with the fewest instructions: which numbers of its workgroup and of its first work-item it needs.
#pragma once
#include "rewrite/kernels.h"
#include <array>
#include <span>

namespace crosslane::rewrite {

struct WaveShape {
  bool one_wave = false;          // no workgroup has more
  std::array<uint32_t, 3> size{}; // of a workgroup, which the kernels require; 0: any
  uint32_t dimensions = 3;        // that the kernels ask of; others are seldom there, and Control tells
  std::array<bool, 3> items{};    // whether ids of the first work-item are needed, in x, y, z
  uint32_t item_ids = 0;          // what the descriptor has to ask for: work-items' ids in x; 1: and y; 2: and z
  uint32_t item_sgprs(isa::Generation g) const { // that keep them; gfx90a has all in one
    const uint32_t n = uint32_t(items[0]) + items[1] + items[2];
    return g == isa::Generation::gfx90a ? std::min(n, 1u) : n;
  }
  uint32_t item_sgpr(isa::Generation g, uint32_t dimension) const { // which of those it is
    uint32_t n = 0;
    for (uint32_t d = 0; d < dimension; ++d)
      n += items[d];
    return g == isa::Generation::gfx90a ? 0 : n;
  }
};

// Of kernels that share code.
WaveShape wave_shape(std::span<const CopiedKernel* const>);

} // namespace crosslane::rewrite
