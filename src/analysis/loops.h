// Owns dominators, post-dominators and natural loops of a graph, computed part by part. A part with several entries has
// a root before all of them, which is no block: what only the root dominates has none.
#pragma once
#include "analysis/graph.h"
#include <utility>

namespace crosslane::analysis {

struct Dominators {
  std::vector<BlockId> parent;        // the immediate dominator of each block; none: only the root
  std::vector<uint32_t> enter, leave; // of a walk through the tree: a dominates b if b's interval lies in a's
  bool dominates(BlockId a, BlockId b) const { return enter[a] <= enter[b] && leave[b] <= leave[a]; }
};

Dominators dominators(const Graph&);
// The same on reversed edges; its root is where waves end, functions return and what is unknown goes. Blocks of which
// no way leads there (endless loops) are of the root alone.
Dominators post_dominators(const Graph&);

struct Loop {
  BlockId header = none;
  uint32_t parent = none; // the loop around it
  uint32_t depth = 1;
  uint32_t blocks = 0; // those of inner loops included
  uint32_t back_edges = 0;
};

struct Loops {
  std::vector<Loop> loops;  // inner ones before outer ones, part by part
  std::vector<uint32_t> of; // the innermost loop of each block; none
  // Edges back to a block that does not dominate where they come from: {from, to}.
  std::vector<std::pair<BlockId, BlockId>> irreducible;
};

Loops loops(const Graph&, const Dominators&);

} // namespace crosslane::analysis
