// s_bcnt1_i32_b64 of EXEC.
#include "rewrite/lane_probes.h"
#include "isa/classify.h"
#include "rewrite/counter_code.h"
#include <algorithm>
#include <fmt/format.h>

namespace crosslane::rewrite {

using analysis::BlockId;
using analysis::EdgeKind;
using analysis::Exit;

void LaneProbes::find_runs() {
  const analysis::Graph& graph = code_.graph();
  uint32_t runs = 0;
  for (const BlockId b : code_.blocks()) {
    first_run_.push_back(runs);
    auto& writes = exec_writes_.emplace_back();
    uint32_t n = 0, first = 0;
    uint64_t begin = graph.blocks[b].begin, end = begin;
    const auto run = [&] { plan_.runs.push_back({code_.address(begin), n - first, runs++}); };
    each_instruction(code_.subject().code(), graph.blocks[b], [&](uint64_t pc, const isa::Instruction& in) {
      end = pc + in.size, ++n;
      if (!isa::writes_exec(in) || isa::flow(in).kind != isa::FlowKind::next)
        return;
      run();
      writes.push_back(n - 1), first = n, begin = end;
    });
    run();
  }
  first_run_.push_back(runs);
  plan_.graph.nodes = runs + 1; // and one for all that is outside
}

void LaneProbes::add(uint32_t from, uint32_t to, EdgePlace place, double cost, bool countable) {
  plan_.graph.edges.push_back({from, to});
  places_.push_back(place);
  costs_.push_back({cost, countable});
}

// Over an instruction that writes EXEC.
void LaneProbes::add_inside(BlockId b) {
  const uint32_t outside = plan_.graph.nodes - 1, block = code_.index_of(b);
  uint32_t run = first_run_[block];
  for (const uint32_t n : exec_writes_[block]) {
    add(run, outside, {EdgePlace::before, b, n}, code_.weight(b));
    add(outside, ++run, {EdgePlace::before, b, n + 1}, code_.weight(b));
  }
}

void LaneProbes::add_leaving(BlockId b) {
  const analysis::Graph& graph = code_.graph();
  const uint32_t outside = plan_.graph.nodes - 1, block = code_.index_of(b), last = first_run_[block + 1] - 1;
  const auto successors = graph.successors(b);
  for (uint32_t i = 0; i < successors.size(); ++i) {
    const BlockId to = successors[i].to;
    const bool others_enter = graph.predecessors_of(to).size() > 1 || graph.blocks[to].entry;
    const EdgePlace place = CopiedCode::cheapest(
        {EdgePlace::edge, b, i}, successors.size() > 1 || successors[i].kind == EdgeKind::after_call, others_enter);
    double cost = std::min(code_.weight(b), code_.weight(to));
    if (successors.size() > 1)
      cost *= code_.share(b, i);
    if (place.kind == EdgePlace::edge)
      cost *= 3; // a branch more
    // What comes back from a call may have another EXEC.
    add(successors[i].kind == EdgeKind::after_call ? outside : last, first_run_[code_.index_of(to)], place, cost);
    if (code_.goes_without_lanes(b, i)) {
      plan_.graph.edges.back().known = true;
      plan_.graph.edges.back().counter = CountedEdge::not_here;
    }
  }
  if (graph.blocks[b].exit == Exit::call || graph.blocks[b].exit == Exit::ends ||
      graph.blocks[b].exit == Exit::returns || successors.empty())
    add(last, outside, {EdgePlace::end_of_block, b, 0}, code_.weight(b));
}

llvm::Error LaneProbes::choose(ProbeNeeds& needs) {
  const analysis::Graph& graph = code_.graph();
  find_runs();
  const uint32_t outside = plan_.graph.nodes - 1;
  const auto first = [&](BlockId b) { return first_run_[code_.index_of(b)]; };
  for (const CopiedKernel* k : code_.kernels()) {
    const BlockId b = graph.functions[k->function].block;
    add(outside, first(b), {EdgePlace::kernel_entry, b, 0}, 1);
  }
  std::vector<bool> entered(code_.blocks().size());
  for (const BlockId b : code_.blocks())
    if (graph.blocks[b].exit == Exit::call)
      if (const BlockId callee = single_target(code_.subject(), b);
          callee != analysis::none && !entered[code_.index_of(callee)]) {
        entered[code_.index_of(callee)] = true;
        add(outside, first(callee), {EdgePlace::entry, callee, 0}, code_.weight(callee));
      }
  for (const BlockId b : code_.blocks())
    add_inside(b), add_leaving(b);
  needs.counters += plan_.graph.choose(costs_, needs.counters);
  return llvm::Error::success();
}

void LaneProbes::insert(const ProbeRegisters& r, Insertions& to) {
  for (size_t e = 0; e < places_.size(); ++e) {
    const CountedEdge& edge = plan_.graph.edges[e];
    if (edge.counter < 0)
      continue;
    const std::string lanes = fmt::format("s{}", r.scratch);
    const std::string text =
        fmt::format("s_bcnt1_i32_b64 {}, exec\n", lanes) + rewrite::add(r, uint32_t(edge.counter), lanes);
    code_.put(to, places_[e], code_.scc_live(places_[e]) ? keeping_scc(r, text) : text);
  }
}

void LaneProbes::plan(const CopiedKernel&, KernelPlan& plan) const { plan.lanes = plan_; }

} // namespace crosslane::rewrite
