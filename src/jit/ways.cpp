// From a graph of functions to the ways of single instructions.
#include "jit/ways.h"
#include "analysis/graph.h"
#include "isa/flow.h"
#include <algorithm>
#include <numeric>
#include <set>

namespace crosslane::jit {

namespace {

// What returns to more places is left to the interpreter: the code for each is there for each way back.
constexpr size_t most_ways = 256;

// What a function reaches without its calls.
std::vector<analysis::BlockId> blocks_of(const analysis::Graph& graph, const analysis::Function& function) {
  std::vector<bool> seen(graph.blocks.size());
  std::vector<analysis::BlockId> open{function.block}, found;
  seen[function.block] = true;
  while (!open.empty()) {
    const analysis::BlockId b = open.back();
    open.pop_back();
    found.push_back(b);
    for (const analysis::Edge& e : graph.successors(b))
      if (!seen[e.to])
        seen[e.to] = true, open.push_back(e.to);
  }
  return found;
}

} // namespace

bool wants_ways(const engine::Unit& unit) {
  return std::ranges::any_of(unit.instructions, [](const engine::UnitInstruction& u) {
    const isa::FlowKind kind = isa::flow(u.inst).kind;
    return u.way == engine::Way::leaves && (kind == isa::FlowKind::jump || kind == isa::FlowKind::call);
  });
}

engine::Ways find_ways(const engine::Code& code, uint32_t entry, size_t most) {
  using namespace analysis;
  const Region all{code.base(), {reinterpret_cast<const uint8_t*>(code.base()), code.size()}, RegionKind::code};
  const Entry kernel{code.base() + uint64_t(entry) * 4, true};
  const Graph graph = build({code.target(), {&all, 1}, {&kernel, 1}});
  const auto count = uint32_t(graph.functions.size());
  std::vector<std::vector<BlockId>> blocks(count);
  std::vector<size_t> size(count);
  std::vector<std::vector<uint32_t>> callers(count);
  for (uint32_t f = 0; f < count; ++f) {
    blocks[f] = blocks_of(graph, graph.functions[f]);
    for (const BlockId b : blocks[f]) {
      size[f] += graph.blocks[b].instructions;
      if (const Call* call = graph.call_of(b))
        for (const uint32_t callee : graph.callees_of(*call))
          callers[callee].push_back(f);
    }
  }
  // Small ones first; and none that one calls which is left out, as it would come back to the interpreter.
  std::vector<bool> in(count, true);
  std::vector<uint32_t> by_size(count);
  std::iota(by_size.begin(), by_size.end(), 0);
  std::ranges::sort(by_size, {}, [&](uint32_t f) { return graph.functions[f].kernel ? 0 : size[f]; });
  size_t total = 0;
  for (const uint32_t f : by_size) {
    total += size[f];
    in[f] = graph.functions[f].kernel || total <= most;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t f = 0; f < count; ++f)
      if (in[f] && !graph.functions[f].kernel && !std::ranges::all_of(callers[f], [&](uint32_t c) { return in[c]; }))
        in[f] = false, changed = true;
  }
  std::map<uint64_t, std::set<uint64_t>> found; // addresses
  std::vector<std::set<uint64_t>> back(count);
  for (const Call& call : graph.calls) {
    auto& to = found[graph.blocks[call.block].last];
    for (const uint32_t f : graph.callees_of(call))
      if (in[f])
        to.insert(graph.functions[f].address), back[f].insert(graph.blocks[call.block].end);
  }
  for (uint32_t f = 0; f < count; ++f)
    for (const BlockId b : blocks[f]) {
      const Block& block = graph.blocks[b];
      if (block.exit == Exit::returns)
        found[block.last].insert(back[f].begin(), back[f].end());
      for (const Edge& e : graph.successors(b))
        if (e.kind == EdgeKind::jump)
          found[block.last].insert(graph.blocks[e.to].begin);
    }
  engine::Ways ways;
  for (const auto& [from, to] : found) {
    if (to.size() > most_ways)
      continue;
    auto& there = ways[uint32_t((from - code.base()) / 4)];
    for (const uint64_t address : to)
      there.push_back(uint32_t((address - code.base()) / 4));
  }
  return ways;
}

} // namespace crosslane::jit
