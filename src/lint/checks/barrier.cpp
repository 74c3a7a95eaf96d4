// Whether a barrier is on one side of a branch alone.
#include "lint/checks/barrier.h"
#include "isa/op.h"
#include <algorithm>

namespace crosslane::lint {

using analysis::BlockId;

void Barriers::look(const Step& step) {
  if (step.op() == isa::Op::s_barrier)
    barriers_.emplace_back(step.block, step.pc);
}

void Barriers::goes_apart(const Step& branch, uint64_t compared) {
  branches_.push_back({branch.block, branch.pc, compared});
}

// A barrier that every way between has; 0: none.
uint64_t Barriers::unavoidable(BlockId from, BlockId to) const {
  const auto& graph = subject_.graph;
  std::vector<BlockId> work, seen;
  const auto reaches = [&](BlockId without) {
    work.clear(), seen.clear();
    if (from == without)
      return false;
    work.push_back(from), seen.push_back(from);
    while (!work.empty()) {
      const BlockId b = work.back();
      work.pop_back();
      if (b == to)
        return true;
      for (const analysis::Edge& e : graph.successors(b))
        if (e.to != without && std::ranges::find(seen, e.to) == seen.end()) {
          if (seen.size() > 200)
            return true; // too far to be sure
          seen.push_back(e.to), work.push_back(e.to);
        }
    }
    return false;
  };
  if (from == to || !reaches(analysis::none))
    return 0;
  for (const auto& [block, pc] : barriers_)
    if (block != to && graph.blocks[block].part == graph.blocks[from].part && !reaches(block))
      return pc;
  return 0;
}

void Barriers::finish() {
  const auto& graph = subject_.graph;
  for (const Branch& branch : branches_) {
    const auto next = graph.successors(branch.block);
    if (barriers_.empty() || next.size() != 2)
      continue;
    for (const int n : {0, 1}) {
      const uint64_t pc = unavoidable(next[n].to, next[1 - n].to);
      if (!pc)
        continue;
      Finding f{.rule = Rule::barrier_divergent, .severity = Severity::warning, .said = Said::manual, .pc = pc};
      f.message = "some waves of the workgroup go around s_barrier: those that wait there meet the others at another "
                  "one, or at their end";
      if (branch.compared)
        f.notes.push_back({branch.compared, "waves differ in this comparison of their work-items' ids"});
      f.notes.push_back({branch.pc, "waves go apart here"});
      report_.findings.push_back(std::move(f));
    }
  }
}

} // namespace crosslane::lint
