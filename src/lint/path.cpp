// Dijkstra's search over blocks, which ends as soon as the way is too long.
#include "lint/path.h"
#include "isa/flow.h"
#include "isa/hazards.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <queue>

namespace crosslane::lint {

namespace {

using analysis::BlockId;

struct Reached {
  int states = 0;
  BlockId before = analysis::none;
};

// The wait states of a block from an address on, up to another.
int states_of(const Subject& s, BlockId b, uint64_t from, uint64_t to) {
  int states = 0;
  analysis::each_instruction(s.code(), s.graph.blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
    if (pc >= from && pc < to)
      states += isa::hazards::wait_states(in);
  });
  return states;
}

uint64_t behind(const Subject& s, BlockId b, uint64_t pc) {
  uint64_t next = pc;
  analysis::each_instruction(s.code(), s.graph.blocks[b], [&](uint64_t at, const isa::Instruction& in) {
    if (at == pc)
      next = at + in.size;
  });
  return next;
}

// Where control may go from the end of a block, calls and returns included.
template <class F> void each_next(const Subject& s, BlockId b, F f) {
  const auto& graph = s.graph;
  const analysis::Call* call = graph.call_of(b);
  if (call)
    for (const uint32_t callee : graph.callees_of(*call))
      if (graph.functions[callee].block != analysis::none)
        f(graph.functions[callee].block);
  for (const analysis::Edge& e : graph.successors(b))
    if (!call || e.kind != analysis::EdgeKind::after_call || call->unknown)
      f(e.to);
  if (graph.blocks[b].exit != analysis::Exit::returns)
    return;
  for (const analysis::Call& c : graph.calls)
    for (const uint32_t callee : graph.callees_of(c))
      if (const BlockId entry = graph.functions[callee].block;
          entry != analysis::none && graph.blocks[entry].part == graph.blocks[b].part)
        for (const analysis::Edge& e : graph.successors(c.block))
          if (e.kind == analysis::EdgeKind::after_call)
            f(e.to);
}

std::string step_text(const Subject& s, BlockId from, BlockId to) {
  const analysis::Block& b = s.graph.blocks[from];
  const bool on = s.graph.blocks[to].begin == b.end;
  switch (b.exit) {
  case analysis::Exit::condition: return on ? "not taken" : "taken to " + place_name(s, s.graph.blocks[to].begin);
  case analysis::Exit::call: return "calls " + place_name(s, s.graph.blocks[to].begin);
  case analysis::Exit::returns: return "returns to " + place_name(s, s.graph.blocks[to].begin);
  case analysis::Exit::falls_through: return {};
  default: return "goes to " + place_name(s, s.graph.blocks[to].begin);
  }
}

} // namespace

std::string place_name(const Subject& s, uint64_t pc) {
  const uint64_t address = pc - s.image->bias;
  const codeobject::Symbol* symbol = s.object->symbol_at(address);
  if (!symbol)
    return fmt::format("{:#x}", address);
  return symbol->address == address ? symbol->name : fmt::format("{}+{:#x}", symbol->name, address - symbol->address);
}

std::vector<Note> way_between(const Subject& s, uint64_t from, uint64_t to, int most) {
  const BlockId start = s.graph.block_around(from), goal = s.graph.block_around(to);
  if (start == analysis::none || goal == analysis::none || (start == goal && from < to))
    return {};
  // States up to the beginning of each block.
  std::map<BlockId, Reached> reached;
  using Entry = std::pair<int, BlockId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto reach = [&](BlockId b, int states, BlockId before) {
    if (states > most)
      return;
    const auto [at, added] = reached.try_emplace(b, Reached{states, before});
    if (!added && at->second.states <= states)
      return;
    at->second = {states, before};
    queue.emplace(states, b);
  };
  const int first = states_of(s, start, behind(s, start, from), s.graph.blocks[start].end);
  each_next(s, start, [&](BlockId b) { reach(b, first, start); });
  while (!queue.empty()) {
    const auto [states, b] = queue.top();
    queue.pop();
    if (b == goal)
      break;
    if (reached[b].states < states)
      continue;
    const int through = states + states_of(s, b, s.graph.blocks[b].begin, s.graph.blocks[b].end);
    each_next(s, b, [&](BlockId next) { reach(next, through, b); });
  }
  if (!reached.contains(goal))
    return {};
  std::vector<BlockId> way = {goal};
  do
    way.push_back(reached[way.back()].before);
  while (way.back() != start && way.size() < 64);
  std::ranges::reverse(way);
  std::vector<Note> notes;
  for (size_t n = 0; n + 1 < way.size(); ++n)
    if (std::string text = step_text(s, way[n], way[n + 1]); !text.empty())
      notes.push_back({s.graph.blocks[way[n]].last, std::move(text)});
  return notes;
}

} // namespace crosslane::lint
