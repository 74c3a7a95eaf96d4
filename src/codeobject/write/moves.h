// Owns where code went, as debug information needs it: every byte of new code belongs to an instruction that was there
// before, what was put in between too. Not for other layers.
#pragma once
#include "codeobject/write.h"

namespace crosslane::codeobject {

using Range = std::pair<uint64_t, uint64_t>; // [low, high)

class Moves {
public:
  // [to, to + size) is what was at `from`. What is before it, from `begin` on, belongs to its first byte; what is
  // behind it, up to `end`, to its last.
  struct Piece {
    uint64_t begin = 0, to = 0, size = 0, from = 0, end = 0;
    // Where the start, or the end, of something that covers the piece from, or up to, `address` is.
    uint64_t low(uint64_t address) const { return address <= from ? begin : to + (address - from); }
    uint64_t high(uint64_t address) const {
      return address <= from ? begin : address >= from + size ? end : to + (address - from);
    }
  };

  // `moved`: sorted by `to`, without overlaps there. `bounds`: where functions of the new code begin and end, sorted;
  // no piece reaches over one.
  Moves(std::span<const MovedCode> moved, std::span<const uint64_t> bounds);

  // Those that hold something of [range.first, range.second), by `begin`.
  std::vector<Piece> in(Range range) const;
  // Where all of that is, sorted, what touches joined.
  std::vector<Range> map(std::span<const Range> ranges) const;

private:
  std::vector<Piece> pieces_;   // by `from`
  std::vector<uint64_t> reach_; // where the furthest of those up to a piece ends, in what was there before
};

} // namespace crosslane::codeobject
