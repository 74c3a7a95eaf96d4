// From a graph of functions to the ways of single instructions.
#include "jit/ways.h"
#include "analysis/graph.h"
#include "isa/flow.h"
#include <algorithm>
#include <numeric>
#include <set>
#include <span>

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

// None of a call that may go elsewhere: what it could call by what is known need not be code.
std::span<const uint32_t> known_callees(const analysis::Graph& graph, const analysis::Call& call) {
  return call.unknown ? std::span<const uint32_t>() : graph.callees_of(call);
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
        for (const uint32_t callee : known_callees(graph, *call))
          callers[callee].push_back(f);
    }
  }
  // What the kernel calls, small ones first; and none that one calls which is left out, as it would come back to the
  // interpreter.
  std::vector<bool> in(count);
  std::vector<uint32_t> by_size;
  for (uint32_t f = 0; f < count; ++f)
    if (graph.functions[f].kernel)
      in[f] = true, by_size.push_back(f);
  for (size_t n = 0; n < by_size.size(); ++n)
    for (const BlockId b : blocks[by_size[n]])
      if (const Call* call = graph.call_of(b))
        for (const uint32_t f : known_callees(graph, *call))
          if (!in[f])
            in[f] = true, by_size.push_back(f);
  std::ranges::sort(by_size, {}, [&](uint32_t f) { return graph.functions[f].kernel ? 0 : size[f]; });
  size_t total = 0;
  for (const uint32_t f : by_size) {
    total += size[f];
    in[f] = graph.functions[f].kernel || total <= most;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t f : by_size)
      if (in[f] && !graph.functions[f].kernel && !std::ranges::all_of(callers[f], [&](uint32_t c) { return in[c]; }))
        in[f] = false, changed = true;
  }
  std::map<uint64_t, std::set<uint64_t>> found; // addresses
  std::vector<std::set<uint64_t>> back(count);
  for (const Call& call : graph.calls) {
    auto& to = found[graph.blocks[call.block].last];
    for (const uint32_t f : known_callees(graph, call))
      if (in[f])
        to.insert(graph.functions[f].address);
    for (const uint32_t f : graph.callees_of(call))
      back[f].insert(graph.blocks[call.block].end);
  }
  for (uint32_t f = 0; f < count; ++f)
    for (const BlockId b : blocks[f]) {
      const Block& block = graph.blocks[b];
      if (block.exit == Exit::returns && in[f])
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
