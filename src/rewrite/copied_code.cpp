// Blocks by address, functions by what they reach.
#include "rewrite/copied_code.h"
#include "isa/op.h"
#include <algorithm>
#include <cmath>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Exit;

CopiedCode::CopiedCode(const lint::Subject& subject, std::span<const CopiedKernel* const> kernels,
                       const StatusLiveness& live, const analysis::Loops& loops)
    : subject_(subject), kernels_(kernels), live_(live), loops_(loops) {
  find_blocks();
  find_ends();
}

void CopiedCode::find_blocks() {
  index_.assign(graph().blocks.size(), analysis::none);
  for (const CopiedKernel* k : kernels_)
    blocks_.insert(blocks_.end(), k->blocks.begin(), k->blocks.end());
  std::ranges::sort(blocks_);
  blocks_.erase(std::ranges::unique(blocks_).begin(), blocks_.end());
  for (uint32_t i = 0; i < blocks_.size(); ++i)
    index_[blocks_[i]] = i;
}

// Functions in which a wave may end, by themselves or by what they call.
void CopiedCode::find_ends() {
  may_end_.assign(graph().functions.size(), false);
  // Of each function the blocks that it may run, calls left out.
  std::vector<std::vector<uint32_t>> calls(graph().functions.size());
  for (uint32_t f = 0; f < graph().functions.size(); ++f) {
    const BlockId first = graph().functions[f].block;
    if (first == analysis::none || index_[first] == analysis::none)
      continue;
    std::vector<BlockId> work{first};
    std::vector<bool> seen(blocks_.size());
    seen[index_[first]] = true;
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (graph().blocks[b].exit == Exit::ends || is_unknown_jump(subject_, b))
        may_end_[f] = true;
      if (graph().blocks[b].exit == Exit::call) {
        const BlockId callee = single_target(subject_, b);
        if (callee == analysis::none)
          may_end_[f] = true;
        else
          calls[f].push_back(graph().function_at(graph().blocks[callee].begin));
      }
      for (const analysis::Edge& e : graph().successors(b))
        if (!seen[index_[e.to]])
          seen[index_[e.to]] = true, work.push_back(e.to);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t f = 0; f < calls.size(); ++f)
      if (!may_end_[f] && std::ranges::any_of(calls[f], [&](uint32_t c) { return c == analysis::none || may_end_[c]; }))
        may_end_[f] = changed = true;
  }
}

bool CopiedCode::may_end(BlockId callee) const {
  const uint32_t f = callee == analysis::none ? analysis::none : graph().function_at(graph().blocks[callee].begin);
  return f == analysis::none || may_end_[f];
}

bool CopiedCode::ends_plainly() const {
  return std::ranges::all_of(blocks_, [&](BlockId b) {
    isa::Instruction in;
    return graph().blocks[b].exit != Exit::ends ||
           (isa::decode(target(), analysis::bytes_at(subject_.code(), graph().blocks[b].last), in) > 0 &&
            in.op == isa::Op::s_endpgm);
  });
}

uint32_t CopiedCode::end_of(BlockId b) const {
  const analysis::Block& block = graph().blocks[b];
  return block.exit == Exit::falls_through ? block.instructions : block.instructions - 1;
}

isa::Condition CopiedCode::last_condition(BlockId b) const {
  isa::Instruction in;
  return isa::decode(target(), analysis::bytes_at(subject_.code(), graph().blocks[b].last), in) > 0
             ? isa::flow(in).condition
             : isa::Condition::always;
}

uint32_t CopiedCode::depth(BlockId b) const {
  return loops_.of[b] == analysis::none ? 0 : std::min(loops_.loops[loops_.of[b]].depth, 8u);
}

double CopiedCode::weight(BlockId b) const { return std::pow(8.0, depth(b)); }

bool CopiedCode::goes_without_lanes(BlockId b, uint32_t successor) const {
  const isa::Condition c = last_condition(b);
  const bool taken = graph().successors(b)[successor].kind == EdgeKind::branch;
  return (c == isa::Condition::execz && taken) || (c == isa::Condition::execnz && !taken);
}

double CopiedCode::share(BlockId b, uint32_t successor) const {
  const isa::Condition c = last_condition(b);
  if (c != isa::Condition::execz && c != isa::Condition::execnz)
    return 0.5;
  return goes_without_lanes(b, successor) ? 0.1 : 0.9;
}

EdgePlace CopiedCode::cheapest(EdgePlace place, bool others_leave, bool others_enter) {
  if (place.kind == EdgePlace::edge && !others_leave)
    place.kind = EdgePlace::end_of_block;
  else if (place.kind == EdgePlace::edge && !others_enter)
    place.kind = EdgePlace::begin_of_block;
  return place;
}

bool CopiedCode::live(const PlacesLive& what, const EdgePlace& place) const {
  switch (place.kind) {
  case EdgePlace::edge:
  case EdgePlace::begin_of_block: return what.at(graph().successors(place.block)[place.at].to, 0);
  case EdgePlace::end_of_block: return what.at(place.block, end_of(place.block));
  case EdgePlace::before: return what.at(place.block, place.at);
  default: return false; // kernels begin and functions are called without it
  }
}

void CopiedCode::put(Insertions& to, BlockId b, uint32_t n, std::string_view text) const {
  std::vector<Item> items;
  append(items, target(), text);
  to.put(b, n, items);
}

void CopiedCode::put(Insertions& to, const EdgePlace& place, std::string_view text) const {
  std::vector<Item> items;
  append(items, target(), text);
  put(to, place, items);
}

void CopiedCode::put(Insertions& to, const EdgePlace& place, const std::vector<Item>& items) const {
  const auto add = [&](std::vector<Item>& at) { at.insert(at.end(), items.begin(), items.end()); };
  switch (place.kind) {
  case EdgePlace::edge: add(to.on_edge[{place.block, place.at}]); break;
  case EdgePlace::begin_of_block: to.put(graph().successors(place.block)[place.at].to, 0, items); break;
  case EdgePlace::end_of_block: to.put(place.block, end_of(place.block), items); break;
  case EdgePlace::before: to.put(place.block, place.at, items); break;
  case EdgePlace::entry: add(to.on_call[place.block]); break;
  case EdgePlace::kernel_entry: add(to.at_entry[graph().function_at(graph().blocks[place.block].begin)]); break;
  case EdgePlace::nowhere: break;
  }
}

} // namespace crosslane::rewrite
