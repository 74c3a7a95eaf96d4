// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm"; loops as in Havlak, "Nesting of Reducible and
// Irreducible Loops", of which only the reducible ones are told.
#include "analysis/loops.h"
#include <algorithm>

namespace crosslane::analysis {

namespace {

// The tree over `order` (reverse postorder), whose blocks have `before(block, f)`, f(predecessor). Blocks of which
// `root(block)` holds follow the root, which is none.
template <class Before, class Root>
void dominate(std::span<const BlockId> order, std::vector<uint32_t>& number, std::vector<BlockId>& parent,
              Before before, Root root) {
  // Numbers count from 1; 0 is the root, and a block that was not reached yet has not_yet.
  constexpr uint32_t not_yet = ~0u;
  std::vector<uint32_t> idom(order.size() + 1, not_yet);
  idom[0] = 0;
  for (uint32_t i = 0; i < order.size(); ++i)
    number[order[i]] = i + 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 1; i <= order.size(); ++i) {
      uint32_t found = root(order[i - 1]) ? 0 : not_yet;
      before(order[i - 1], [&](BlockId p) {
        uint32_t a = number[p];
        if (idom[a] == not_yet || found == 0)
          return;
        for (uint32_t b = found == not_yet ? a : found; a != b;)
          if (a > b)
            a = idom[a];
          else
            b = idom[b];
        found = a;
      });
      if (found != idom[i])
        idom[i] = found, changed = true;
    }
  }
  for (uint32_t i = 1; i <= order.size(); ++i)
    parent[order[i - 1]] = idom[i] == 0 || idom[i] == not_yet ? none : order[idom[i] - 1];
}

// Intervals of a walk through each tree.
void number_tree(const Graph& graph, Dominators& d) {
  const size_t n = graph.blocks.size();
  std::vector<uint32_t> first(n, none), next(n, none), roots;
  for (const BlockId b : graph.order)
    if (d.parent[b] == none)
      roots.push_back(b);
    else
      next[b] = first[d.parent[b]], first[d.parent[b]] = b;
  d.enter.assign(n, 0), d.leave.assign(n, 0);
  uint32_t clock = 0;
  std::vector<BlockId> stack;
  for (const BlockId root : roots) {
    stack.push_back(root);
    d.enter[root] = ++clock;
    while (!stack.empty()) {
      const BlockId b = stack.back();
      if (const BlockId child = first[b]; child != none) {
        first[b] = next[child];
        d.enter[child] = ++clock;
        stack.push_back(child);
      } else {
        d.leave[b] = ++clock;
        stack.pop_back();
      }
    }
  }
}

} // namespace

Dominators dominators(const Graph& graph) {
  Dominators d;
  d.parent.assign(graph.blocks.size(), none);
  std::vector<uint32_t> number(graph.blocks.size());
  for (const Part& part : graph.parts)
    dominate(
        graph.blocks_of(part), number, d.parent,
        [&](BlockId b, auto f) {
          for (const BlockId p : graph.predecessors_of(b))
            f(p);
        },
        [&](BlockId b) { return graph.blocks[b].entry; });
  number_tree(graph, d);
  return d;
}

Dominators post_dominators(const Graph& graph) {
  Dominators d;
  const size_t n = graph.blocks.size();
  d.parent.assign(n, none);
  std::vector<bool> leaves(n), seen(n);
  for (BlockId b = 0; b < n; ++b)
    leaves[b] = graph.blocks[b].successors == 0 || graph.blocks[b].exit == Exit::returns;
  for (const Unknown& u : graph.unknowns)
    if (u.block != none && u.kind != UnknownKind::indirect_call)
      leaves[u.block] = true;
  std::vector<uint32_t> number(n);
  std::vector<BlockId> order;
  std::vector<std::pair<BlockId, uint32_t>> stack;
  for (const Part& part : graph.parts) {
    order.clear();
    const auto blocks = graph.blocks_of(part);
    const auto walk = [&](BlockId from) {
      if (seen[from])
        return;
      seen[from] = true;
      stack.emplace_back(from, 0);
      while (!stack.empty()) {
        auto& [b, next] = stack.back();
        const auto before = graph.predecessors_of(b);
        if (next < before.size()) {
          const BlockId p = before[next++];
          if (!seen[p])
            seen[p] = true, stack.emplace_back(p, 0);
          continue;
        }
        order.push_back(b);
        stack.pop_back();
      }
    };
    for (const BlockId b : blocks)
      if (leaves[b])
        walk(b);
    for (auto b = blocks.rbegin(); b != blocks.rend(); ++b) // what never ends
      if (!seen[*b])
        leaves[*b] = true, walk(*b);
    std::ranges::reverse(order);
    dominate(
        order, number, d.parent,
        [&](BlockId b, auto f) {
          for (const Edge& e : graph.successors(b))
            f(e.to);
        },
        [&](BlockId b) { return leaves[b]; });
  }
  number_tree(graph, d);
  return d;
}

Loops loops(const Graph& graph, const Dominators& d) {
  Loops result;
  result.of.assign(graph.blocks.size(), none);
  std::vector<uint32_t> outermost; // of each loop, the outermost known loop around it
  const auto top = [&](uint32_t loop) {
    while (outermost[loop] != loop)
      loop = outermost[loop] = outermost[outermost[loop]];
    return loop;
  };
  std::vector<BlockId> work;
  for (const Part& part : graph.parts) {
    const auto blocks = graph.blocks_of(part);
    // Headers from the last on: an inner loop's stands behind that of the loop around it.
    for (size_t i = blocks.size(); i-- > 0;) {
      const BlockId header = blocks[i];
      work.clear();
      uint32_t back_edges = 0;
      for (const BlockId p : graph.predecessors_of(header))
        if (d.dominates(header, p))
          ++back_edges, work.push_back(p);
      if (!back_edges)
        continue;
      const auto loop = uint32_t(result.loops.size());
      result.loops.push_back({header, none, 1, 0, back_edges});
      outermost.push_back(loop);
      while (!work.empty()) {
        const BlockId b = work.back();
        work.pop_back();
        BlockId entry = b;
        if (result.of[b] == none) {
          result.of[b] = loop;
        } else {
          const uint32_t inner = top(result.of[b]);
          if (inner == loop)
            continue;
          result.loops[inner].parent = outermost[inner] = loop;
          entry = result.loops[inner].header;
        }
        if (entry != header)
          for (const BlockId p : graph.predecessors_of(entry))
            if (d.dominates(header, p))
              work.push_back(p);
      }
      if (result.of[header] == none)
        result.of[header] = loop;
    }
  }
  for (size_t i = result.loops.size(); i-- > 0;) // outer ones first
    if (result.loops[i].parent != none)
      result.loops[i].depth = result.loops[result.loops[i].parent].depth + 1;
  for (const uint32_t innermost : result.of)
    for (uint32_t loop = innermost; loop != none; loop = result.loops[loop].parent)
      ++result.loops[loop].blocks;
  // Edges that go back in the order without a header that dominates.
  std::vector<uint32_t> place(graph.blocks.size());
  for (uint32_t i = 0; i < graph.order.size(); ++i)
    place[graph.order[i]] = i;
  for (const BlockId b : graph.order)
    for (const Edge& e : graph.successors(b))
      if (place[e.to] <= place[b] && !d.dominates(e.to, b))
        result.irreducible.push_back({b, e.to});
  return result;
}

} // namespace crosslane::analysis
