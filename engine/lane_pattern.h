// Owns the cheapest way for the host to move data by the cross-lane patterns that an instruction carries in itself
// (DPP_CTRL, the offset of ds_swizzle_b32; cross_lane/control.h says what they read). Planned once, when the instruction is
// decoded; a wave's register is four rows of 16 lanes, and one row is one AVX-512 register.
#pragma once
#include "isa/target.h"
#include <array>
#include <cstdint>

namespace crosslane::engine {

struct LanePattern {
  // From the cheapest to the dearest.
  enum class Move : uint8_t {
    none,      // every lane reads itself
    rows,      // whole rows change places, or stay
    in_quads,  // within groups of four lanes, all rows alike: a shuffle inside 128 bits
    in_row,    // within a row, all rows alike: one permute with one index
    one_row,   // each row from one row: a permute with an index of its own
    two_rows,  // each row from two rows: a permute of two registers
    any,       // none of the targets' patterns
  };
  uint8_t from[64];     // source lane; a lane that has none names itself
  uint64_t valid;       // lanes that have a source
  Move move;
  uint8_t low[4], high[4];  // source rows of each row; the same one twice but for two_rows
  uint8_t index[64];    // position in the 32 lanes of low and high
};

// The plan for lanes that read from `from` (-1: from none).
LanePattern plan(const std::array<int8_t, 64>& from);

// Kept for the life of the process; the same control gives the same object.
const LanePattern& dpp_pattern(uint32_t dpp_ctrl);
const LanePattern& swizzle_pattern(uint32_t offset, isa::Generation);

}  // namespace crosslane::engine
