// Forwards, until nothing changes.
#include "rewrite/exec_lanes.h"
#include "isa/classify.h"
#include "isa/flow.h"
#include "isa/operands.h"
#include <algorithm>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::EdgeKind;
namespace code = isa::code;

bool is_pair(uint16_t c) { return c < code::flat_scratch || c == code::vcc; }
bool keeps_old_exec(const isa::Instruction& in) { return isa::saves_exec(in) && is_pair(in.dst); }

void ExecLanes::step(State& s, const isa::Instruction& in) {
  if (isa::flow(in).kind == isa::FlowKind::call) { // what comes back is the callee's
    s = {.exec = false};
    return;
  }
  constexpr uint16_t minus_one = 193;
  const bool before = s.exec;
  const auto has_lane = [&](uint16_t c) {
    return c == code::exec ? before : c == minus_one || (c < 128 && s.saved[c]);
  };
  const bool first = has_lane(in.src[0]), second = has_lane(in.src[1]);
  bool exec = before;
  if (isa::writes_exec(in)) {
    exec = false;
    if (in.op == isa::Op::s_or_b64 && in.dst == code::exec)
      exec = first || second;
    else if (in.op == isa::Op::s_mov_b64 && in.dst == code::exec)
      exec = first;
    else if (isa::exec_mask_op(in.op) == isa::MaskOp::or_)
      exec = before || first;
  }
  for (const isa::Operand& o : isa::operands(in))
    if (o.written && o.file == isa::RegisterFile::scalar)
      for (int c = std::max(o.first - 1, 0); c < o.first + o.dwords && c < 128; ++c)
        s.saved.reset(size_t(c));
  if (in.dst < code::m0 && ((before && keeps_old_exec(in)) || (in.op == isa::Op::s_mov_b64 && first)))
    s.saved.set(in.dst);
  s.exec = exec;
}

void ExecLanes::State::meet(const State& o) {
  if (anything) {
    *this = o;
    return;
  }
  exec = exec && o.exec, saved &= o.saved;
  std::erase_if(some, [&](analysis::MaskId m) { return !std::ranges::binary_search(o.some, m); });
}

size_t ExecLanes::place(BlockId b) const { return size_t(std::ranges::lower_bound(blocks_, b) - blocks_.begin()); }

void ExecLanes::find_masks() {
  const analysis::Graph& graph = subject_.graph;
  const auto indexed = analysis::indexed_blocks(subject_.code(), graph);
  masks_.resize(blocks_.size());
  std::vector<bool> done(graph.parts.size());
  for (const BlockId first : blocks_) {
    const uint32_t index = graph.blocks[first].part;
    if (index == analysis::none || done[index])
      continue;
    done[index] = true;
    const analysis::Part& part = graph.parts[index];
    analysis::PartCode code;
    analysis::PartMasks masks;
    decode_part(subject_.code(), graph, part, indexed, code);
    analysis::find_masks(graph, part, code, masks);
    if (!masks.settled)
      continue;
    const auto blocks = graph.blocks_of(part);
    for (uint32_t i = 0; i < blocks.size(); ++i) {
      const size_t at = place(blocks[i]);
      if (at == blocks_.size() || blocks_[at] != blocks[i])
        continue;
      masks_[at] = {true,
                    masks.begin[i],
                    {masks.changes.begin() + masks.first_change[i], masks.changes.begin() + masks.first_change[i + 1]},
                    {}};
    }
    for (analysis::MaskId m = 0; m < masks.masks.size(); ++m)
      if (const analysis::Mask& mask = masks.masks[m];
          mask.block != analysis::none && mask.instruction == analysis::none)
        if (const size_t at = place(mask.block); at < blocks_.size() && blocks_[at] == mask.block)
          masks_[at].given.push_back(m);
  }
}

template <class F> void ExecLanes::walk(BlockId b, State& s, F f) const {
  const Masks& masks = masks_[place(b)];
  analysis::MaskId mask = masks.begin;
  size_t change = 0;
  uint32_t n = 0;
  const auto look = [&] { // what is known of EXEC is known of the mask, and the other way round
    if (!masks.known)
      return;
    const auto at = std::ranges::lower_bound(s.some, mask);
    const bool there = at != s.some.end() && *at == mask;
    if (there)
      s.exec = true;
    else if (s.exec)
      s.some.insert(at, mask);
  };
  for (const analysis::MaskId m : masks.given)
    std::erase(s.some, m);
  look();
  each_instruction(subject_.code(), subject_.graph.blocks[b], [&](uint64_t, const isa::Instruction& in) {
    f(n, s, in);
    step(s, in);
    for (; change < masks.changes.size() && masks.changes[change].instruction == n; ++change) {
      const analysis::MaskChange& c = masks.changes[change];
      if (c.defines != analysis::all_lanes)
        std::erase(s.some, c.defines);
      mask = c.after;
    }
    look();
    ++n;
  });
}

ExecLanes::ExecLanes(const lint::Subject& subject, std::span<const CopiedKernel* const> kernels,
                     std::span<const BlockId> blocks)
    : subject_(subject), blocks_(blocks.begin(), blocks.end()) {
  const analysis::Graph& graph = subject_.graph;
  find_masks();
  begin_.assign(blocks_.size(), {.anything = true});
  std::vector<size_t> work;
  const auto reach = [&](BlockId b, const State& s) {
    const size_t n = place(b);
    State now = begin_[n];
    now.meet(s);
    if (!(now == begin_[n]))
      begin_[n] = now, work.push_back(n);
  };
  for (const CopiedKernel* k : kernels)
    reach(graph.functions[k->function].block, {.exec = true});
  for (const BlockId b : blocks_)
    if (graph.blocks[b].entry && !graph.functions[graph.function_at(graph.blocks[b].begin)].kernel)
      reach(b, {.exec = false});
  while (!work.empty()) {
    const BlockId b = blocks_[work.back()];
    State s = begin_[work.back()];
    work.pop_back();
    isa::Condition at_end = isa::Condition::always;
    walk(b, s, [&](uint32_t, const State&, const isa::Instruction& in) { at_end = isa::flow(in).condition; });
    for (const analysis::Edge& e : graph.successors(b)) {
      State to = s;
      if ((at_end == isa::Condition::execz && e.kind == EdgeKind::fall_through) ||
          (at_end == isa::Condition::execnz && e.kind == EdgeKind::branch))
        to.exec = true;
      reach(e.to, to);
    }
  }
}

bool ExecLanes::some(BlockId b, uint32_t n) const {
  State s = begin_[place(b)];
  bool answer = false;
  walk(b, s, [&](uint32_t i, const State& before, const isa::Instruction&) {
    if (i == n)
      answer = before.exec;
  });
  return answer;
}

} // namespace crosslane::rewrite
