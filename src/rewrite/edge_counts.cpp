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

std::vector<uint64_t> EdgeCounts::solve(std::span<const uint64_t> counters) const {
  std::vector<uint64_t> count(edges.size());
  std::vector<bool> have(edges.size());
  std::vector<uint32_t> open(nodes); // edges of a node that are not known yet
  std::vector<std::vector<uint32_t>> of(nodes);
  for (uint32_t e = 0; e < edges.size(); ++e) {
    const CountedEdge& edge = edges[e];
    if (edge.known || edge.counter >= 0) {
      have[e] = true, count[e] = !edge.known                             ? counters[size_t(edge.counter)]
                                 : edge.counter == CountedEdge::not_here ? 0
                                                                         : 1;
      of[edge.from].push_back(e);
      if (edge.to != edge.from)
        of[edge.to].push_back(e);
      continue;
    }
    of[edge.from].push_back(e), of[edge.to].push_back(e);
    ++open[edge.from], ++open[edge.to];
  }
  std::vector<uint32_t> leaves;
  for (uint32_t n = 0; n < nodes; ++n)
    if (open[n] == 1)
      leaves.push_back(n);
  while (!leaves.empty()) {
    const uint32_t n = leaves.back();
    leaves.pop_back();
    if (open[n] != 1)
      continue;
    uint32_t missing = 0;
    uint64_t balance = 0; // what enters less what leaves, modulo 2^64
    for (const uint32_t e : of[n]) {
      if (!have[e]) {
        missing = e;
        continue;
      }
      balance += edges[e].to == n ? count[e] : 0;
      balance -= edges[e].from == n ? count[e] : 0;
    }
    count[missing] = edges[missing].from == n ? balance : ~balance + 1;
    have[missing] = true;
    for (const uint32_t m : {edges[missing].from, edges[missing].to})
      if (--open[m] == 1)
        leaves.push_back(m);
  }
  return count;
}

} // namespace crosslane::rewrite
