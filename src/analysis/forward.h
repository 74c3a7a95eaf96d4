// Owns the walk that analyses share which go forward: over the blocks of a part, in reverse postorder, until nothing
// changes at the end of any.
#pragma once
#include "analysis/graph.h"

namespace crosslane::analysis {

// Of each block, its place in the order of its part.
inline std::vector<uint32_t> places_in_parts(const Graph& graph) {
  std::vector<uint32_t> places(graph.blocks.size());
  for (const Part& part : graph.parts)
    for (uint32_t i = 0; i < part.count; ++i)
      places[graph.order[part.first + i]] = i;
  return places;
}

// `end` has a State for each block of the part, in its order, and starts as the least of them; visit(i, tell) gives the
// one that block i ends in, made from those in `end`. Each block is visited a last time when all is settled: `tell`.
template <class State, class Visit> void walk_forward(std::vector<State>& end, Visit visit) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < end.size(); ++i)
      if (const State& now = visit(i, false); !(end[i] == now))
        end[i] = now, changed = true;
  }
  for (uint32_t i = 0; i < end.size(); ++i)
    visit(i, true);
}

} // namespace crosslane::analysis
