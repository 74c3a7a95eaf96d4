// Owns counting how often each edge of a function's graph is gone with as few counters as there can be: what enters a
// block leaves it, so that the edges of a spanning tree follow from the others. The tree takes the edges that would
// cost most to count. Source: Knuth and Stevenson, "Optimal measurement points for program frequency counts", BIT 13
// (1973); Ball and Larus, "Optimally profiling and tracing programs", TOPLAS 16 (1994).
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace crosslane::rewrite {

struct CountedEdge {
  static constexpr int32_t follows = -1, not_here = -2;
  uint32_t from = 0, to = 0; // nodes
  int32_t counter = follows; // that counts it; follows: the others tell
  bool known = false;        // once for each wave: where a kernel is entered; not_here: that is another one's
};

struct EdgeCost {
  double cost = 1;       // of counting it, in executions
  bool countable = true; // else nothing can be put there
};

// A graph in which everything that enters a node leaves it, the outside being a node too.
struct EdgeCounts {
  uint32_t nodes = 0;
  std::vector<CountedEdge> edges;

  // Chooses the edges that are counted, and numbers counters from `first` on. Returns how many there are. Counters of
  // edges that cannot be counted are never needed: at most one of them leaves a node, for the outside.
  uint32_t choose(std::span<const EdgeCost>, uint32_t first);
};

// How often each edge was gone, from what was counted. The order in which edges follow from others is found once, for
// many waves.
class EdgeSolver {
public:
  explicit EdgeSolver(const EdgeCounts&);
  // `counters`: one wave's, or the sums of those of `waves`.
  void solve(std::span<const uint64_t> counters, uint64_t waves, std::vector<uint64_t>& edges) const;

private:
  struct Term {
    uint32_t edge = 0;
    bool enters = false; // the node whose edges these are, else it leaves it
  };
  struct Step {                 // an edge that follows from the other ones of a node
    uint32_t edge = 0, end = 0; // its terms: from the last step's end on
    bool leaves = false;        // the node
  };
  size_t edges_ = 0;
  std::vector<uint32_t> once_;                         // edges gone once by each wave
  std::vector<std::pair<uint32_t, uint32_t>> counted_; // edge, counter
  std::vector<Step> steps_;
  std::vector<Term> terms_;
};

} // namespace crosslane::rewrite
