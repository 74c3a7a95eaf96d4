// Owns counting work-items: how many lanes each run of instructions under one EXEC had, summed over its executions.
//
// As long as nothing writes EXEC, the lanes that enter a run leave it, and go where the wave goes. So runs are the
// nodes of a graph in which lanes flow, and edges outside of a spanning tree are counted (rewrite/edge_counts.h): what
// an instruction that writes EXEC gets, what it leaves, and how branches share it out. Where s_cbranch_execz goes,
// there are none.
#pragma once
#include "rewrite/probe_kind.h"

namespace crosslane::rewrite {

class LaneProbes final : public ProbeKind {
public:
  explicit LaneProbes(const CopiedCode& code) : code_(code) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  void find_runs();
  void add(uint32_t from, uint32_t to, EdgePlace, double cost, bool countable = true);
  void add_inside(analysis::BlockId);
  void add_leaving(analysis::BlockId);

  const CopiedCode& code_;
  LanesPlan plan_;
  std::vector<uint32_t> first_run_;                // of each of the code's blocks; and behind the last
  std::vector<std::vector<uint32_t>> exec_writes_; // instructions of each block, by number in it
  std::vector<EdgePlace> places_;
  std::vector<EdgeCost> costs_;
};

} // namespace crosslane::rewrite
