// Random graphs, walked: what the counted edges say is what the walk did.
#include "rewrite/edge_counts.h"
#include <gtest/gtest.h>
#include <random>

namespace crosslane::rewrite {
namespace {

struct Walked {
  EdgeCounts graph;
  std::vector<uint64_t> real;     // of each edge
  std::vector<uint64_t> counters; // as probes on the counted edges would have it
};

// Node n - 1 is the outside; edge 0 goes from there to node 0, once.
Walked walk(uint32_t nodes, uint32_t extra, std::mt19937& random) {
  Walked w;
  w.graph.nodes = nodes;
  const uint32_t outside = nodes - 1;
  const auto any = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random); };
  w.graph.edges.push_back({outside, 0, CountedEdge::follows, true});
  for (uint32_t n = 0; n < outside; ++n) // a way on from everywhere, and out in the end
    w.graph.edges.push_back({n, n + 1 == outside || any(4) == 0 ? outside : n + 1});
  for (uint32_t i = 0; i < extra; ++i)
    w.graph.edges.push_back({any(outside), any(outside)});
  std::vector<EdgeCost> costs(w.graph.edges.size());
  for (auto& cost : costs)
    cost.cost = 1 + any(10);
  const uint32_t counters = w.graph.choose(costs, 0);
  w.real.assign(w.graph.edges.size(), 0);
  w.real[0] = 1;
  for (uint32_t at = 0, steps = 0; at != outside; ++steps) {
    std::vector<uint32_t> ways;
    for (uint32_t e = 0; e < w.graph.edges.size(); ++e)
      if (w.graph.edges[e].from == at)
        ways.push_back(e);
    const uint32_t way = steps > 200 ? 1 + at : ways[any(uint32_t(ways.size()))];
    ++w.real[way];
    at = w.graph.edges[way].to;
  }
  w.counters.assign(counters, 0);
  for (uint32_t e = 0; e < w.graph.edges.size(); ++e)
    if (w.graph.edges[e].counter >= 0)
      w.counters[size_t(w.graph.edges[e].counter)] = w.real[e];
  return w;
}

std::vector<uint64_t> solve(const EdgeCounts& graph, std::span<const uint64_t> counters, uint64_t waves = 1) {
  std::vector<uint64_t> edges;
  EdgeSolver(graph).solve(counters, waves, edges);
  return edges;
}

TEST(EdgeCounts, TellWhatAWalkDid) {
  std::mt19937 random(1);
  for (uint32_t i = 0; i < 2000; ++i) {
    const Walked w = walk(2 + i % 30, i % 40, random);
    ASSERT_EQ(solve(w.graph, w.counters), w.real) << i;
    // As few as there can be: what enters a node leaves it, for all but one; and one edge is known.
    ASSERT_EQ(w.counters.size(), w.graph.edges.size() - w.graph.nodes + 1 - 1) << i;
  }
}

TEST(EdgeCounts, TheDearestEdgesAreNotCounted) {
  // 0 -> 1 -> outside, and a loop at 1 that runs often.
  EdgeCounts graph{3, {{2, 0, CountedEdge::follows, true}, {0, 1}, {0, 2}, {1, 1}, {1, 2}}};
  const std::vector<EdgeCost> costs = {{1, false}, {5}, {1}, {100}, {5}};
  EXPECT_EQ(graph.choose(costs, 7), 2u);
  EXPECT_EQ(graph.edges[2].counter, 7); // the cheap one of the two ways
  EXPECT_EQ(graph.edges[3].counter, 8); // no other edge tells how often a loop of one block runs
}

TEST(EdgeCounts, AnotherKernelsEntryIsNotGone) {
  EdgeCounts graph{2, {{1, 0, CountedEdge::not_here, true}, {1, 0, CountedEdge::follows, true}, {0, 1}}};
  EXPECT_EQ(solve(graph, {}), (std::vector<uint64_t>{0, 1, 1}));
  EXPECT_EQ(solve(graph, {}, 7), (std::vector<uint64_t>{0, 7, 7}));
}

} // namespace
} // namespace crosslane::rewrite
