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

bool keeps_old_exec(const isa::Instruction& in) { return isa::saves_exec(in) && in.dst < code::m0; }

void ExecLanes::step(State& s, const isa::Instruction& in) {
  if (isa::flow(in).kind == isa::FlowKind::call) { // what comes back is the callee's
    s = {false, {}};
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

size_t ExecLanes::place(BlockId b) const { return size_t(std::ranges::lower_bound(blocks_, b) - blocks_.begin()); }

ExecLanes::ExecLanes(const lint::Subject& subject, std::span<const CopiedKernel* const> kernels,
                     std::span<const BlockId> blocks)
    : subject_(subject), blocks_(blocks.begin(), blocks.end()) {
  const analysis::Graph& graph = subject_.graph;
  State top;
  top.saved.set();
  begin_.assign(blocks_.size(), top);
  std::vector<bool> reached(blocks_.size());
  std::vector<size_t> work;
  const auto reach = [&](BlockId b, const State& s) {
    const size_t n = place(b);
    State now = begin_[n];
    now.meet(s);
    if (!reached[n] || !(now == begin_[n]))
      begin_[n] = now, reached[n] = true, work.push_back(n);
  };
  for (const CopiedKernel* k : kernels)
    reach(graph.functions[k->function].block, {true, {}});
  for (const BlockId b : blocks_)
    if (graph.blocks[b].entry && !graph.functions[graph.function_at(graph.blocks[b].begin)].kernel)
      reach(b, {false, {}});
  while (!work.empty()) {
    const BlockId b = blocks_[work.back()];
    State s = begin_[work.back()];
    work.pop_back();
    isa::Condition at_end = isa::Condition::always;
    each_instruction(subject_.code(), graph.blocks[b], [&](uint64_t, const isa::Instruction& in) {
      step(s, in);
      at_end = isa::flow(in).condition;
    });
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
  uint32_t i = 0;
  each_instruction(subject_.code(), subject_.graph.blocks[b], [&](uint64_t, const isa::Instruction& in) {
    if (i++ < n)
      step(s, in);
  });
  return s.exec;
}

} // namespace crosslane::rewrite
