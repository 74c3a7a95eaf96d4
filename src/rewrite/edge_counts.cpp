// Kruskal's tree, then leaves of the tree one by one.
#include "rewrite/edge_counts.h"
#include <algorithm>
#include <numeric>

namespace crosslane::rewrite {

uint32_t EdgeCounts::choose(std::span<const EdgeCost> costs, uint32_t first) {
  std::vector<uint32_t> order(edges.size()), parent(nodes);
  std::iota(order.begin(), order.end(), 0u);
  std::iota(parent.begin(), parent.end(), 0u);
  const auto rank = [&](uint32_t e) { // what has to be in the tree first, what is known anyway last
    return edges[e].known ? -1.0 : costs[e].countable ? costs[e].cost : 1e300;
  };
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return rank(a) != rank(b) ? rank(a) > rank(b) : a < b; });
  const auto root = [&](uint32_t n) {
    while (parent[n] != n)
      n = parent[n] = parent[parent[n]];
    return n;
  };
  uint32_t counters = 0;
  std::vector<uint32_t> counted;
  for (const uint32_t e : order) {
    const uint32_t a = root(edges[e].from), b = root(edges[e].to);
    if (a != b)
      parent[a] = b;
    else if (!edges[e].known)
      counted.push_back(e);
  }
  std::ranges::sort(counted);
  for (const uint32_t e : counted)
    edges[e].counter = int32_t(first + counters++);
  return counters;
}

EdgeSolver::EdgeSolver(const EdgeCounts& graph) : edges_(graph.edges.size()) {
  std::vector<bool> have(edges_);
  std::vector<uint32_t> open(graph.nodes); // edges of a node that are not known yet
  std::vector<std::vector<uint32_t>> of(graph.nodes);
  for (uint32_t e = 0; e < edges_; ++e) {
    const CountedEdge& edge = graph.edges[e];
    of[edge.from].push_back(e);
    of[edge.to].push_back(e);
    if (edge.known && edge.counter != CountedEdge::not_here)
      once_.push_back(e);
    else if (!edge.known && edge.counter >= 0)
      counted_.emplace_back(e, uint32_t(edge.counter));
    have[e] = edge.known || edge.counter >= 0;
    if (!have[e])
      ++open[edge.from], ++open[edge.to];
  }
  std::vector<uint32_t> leaves;
  for (uint32_t n = 0; n < graph.nodes; ++n)
    if (open[n] == 1)
      leaves.push_back(n);
  while (!leaves.empty()) {
    const uint32_t n = leaves.back();
    leaves.pop_back();
    if (open[n] != 1)
      continue;
    uint32_t missing = 0;
    for (const uint32_t e : of[n]) {
      const CountedEdge& edge = graph.edges[e];
      if (!have[e])
        missing = e;
      else if (edge.from != edge.to) // else it enters as often as it leaves
        terms_.push_back({e, edge.to == n});
    }
    have[missing] = true;
    steps_.push_back({missing, uint32_t(terms_.size()), graph.edges[missing].from == n});
    for (const uint32_t m : {graph.edges[missing].from, graph.edges[missing].to})
      if (--open[m] == 1)
        leaves.push_back(m);
  }
}

void EdgeSolver::solve(std::span<const uint64_t> counters, uint64_t waves, std::vector<uint64_t>& edges) const {
  edges.assign(edges_, 0);
  for (const uint32_t e : once_)
    edges[e] = waves;
  for (const auto& [edge, counter] : counted_)
    edges[edge] = counters[counter];
  uint32_t term = 0;
  for (const Step& step : steps_) {
    uint64_t balance = 0; // what enters less what leaves, modulo 2^64
    for (; term < step.end; ++term)
      balance += terms_[term].enters ? edges[terms_[term].edge] : 0 - edges[terms_[term].edge];
    edges[step.edge] = step.leaves ? balance : 0 - balance;
  }
}

} // namespace crosslane::rewrite
