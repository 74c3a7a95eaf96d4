// The same code may be copied more than once, so that pieces overlap in where they come from.
#include "codeobject/write/moves.h"
#include <algorithm>

namespace crosslane::codeobject {

Moves::Moves(std::span<const MovedCode> moved, std::span<const uint64_t> bounds) {
  uint64_t free = 0; // where the piece before ends
  for (size_t i = 0; i < moved.size(); ++i) {
    const MovedCode& one = moved[i];
    if (!one.size)
      continue;
    Piece piece{one.to, one.to, one.size, one.from, one.to + one.size};
    // A function's first instructions may all be new.
    const auto after = std::ranges::upper_bound(bounds, one.to);
    if (after != bounds.begin() && *std::prev(after) >= free)
      piece.begin = *std::prev(after);
    const auto bound = std::ranges::lower_bound(bounds, piece.end);
    const uint64_t next = i + 1 < moved.size() ? moved[i + 1].to : bounds.empty() ? piece.end : bounds.back();
    piece.end = std::max(piece.end, bound == bounds.end() ? next : std::min(next, *bound));
    free = piece.end;
    pieces_.push_back(piece);
  }
  std::ranges::sort(pieces_, {}, &Piece::from);
  for (const Piece& piece : pieces_)
    reach_.push_back(std::max(piece.from + piece.size, reach_.empty() ? 0 : reach_.back()));
}

std::vector<Moves::Piece> Moves::in(Range range) const {
  std::vector<Piece> result;
  const auto end = std::ranges::lower_bound(pieces_, range.second, {}, &Piece::from);
  for (auto i = static_cast<size_t>(end - pieces_.begin()); i-- && reach_[i] > range.first;)
    if (pieces_[i].from + pieces_[i].size > range.first)
      result.push_back(pieces_[i]);
  std::ranges::sort(result, {}, &Piece::begin);
  return result;
}

std::vector<Range> Moves::map(std::span<const Range> ranges) const {
  std::vector<Range> all, joined;
  for (const Range& range : ranges)
    for (const Piece& piece : in(range))
      all.emplace_back(piece.low(range.first), piece.high(range.second));
  std::ranges::sort(all);
  for (const Range& one : all) {
    if (!joined.empty() && one.first <= joined.back().second)
      joined.back().second = std::max(joined.back().second, one.second);
    else
      joined.push_back(one);
  }
  return joined;
}

} // namespace crosslane::codeobject
