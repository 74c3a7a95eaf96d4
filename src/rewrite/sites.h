// Owns the probes that count how often each edge is gone and what lanes decide: which counters, where each is put, and
// the plan that says what they mean.
#pragma once
#include "rewrite/exec_lanes.h"
#include "rewrite/found_sites.h"
#include "rewrite/probe_kind.h"

namespace crosslane::rewrite {

class SiteProbes final : public ProbeKind {
public:
  // `divergence`: also what lanes decide; `blocks`: the plan tells of each block.
  SiteProbes(const CopiedCode&, bool divergence, bool blocks);
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  void choose_edges(ProbeNeeds&);
  void choose_site(const FoundSite&, const ExecLanes&, ProbeNeeds&);
  std::optional<uint16_t> narrowing_mask(const FoundSite&) const;
  bool keeps_exec(const FoundSite&) const;
  void put_edge(const ProbeRegisters&, Insertions&, uint32_t edge);
  void put_site(const ProbeRegisters&, Insertions&, const FoundSite&, const PlannedSite&);

  const CopiedCode& code_;
  bool divergence_ = false;
  KernelPlan plan_;               // what of it is told here
  std::vector<FoundSite> sites_;  // of plan_.sites
  std::vector<EdgePlace> places_; // of plan_.graph.edges
  uint32_t old_exec_ = 0;         // of ProbeNeeds::sgprs, a pair
};

} // namespace crosslane::rewrite
