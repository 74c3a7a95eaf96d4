// Owns the proof of liveness: probes that overwrite what nobody reads any more, at every place of the program. A
// program with them does as the one without, if all that probes rely on is so: which registers are dead where, what
// SCC, VCC and M0 hold, and that code around them is left alone. For tests (--probe poison).
#pragma once
#include "analysis/liveness.h"
#include "rewrite/probe_kind.h"

namespace crosslane::rewrite {

// Before each instruction of a block, and behind the last one.
using LiveSets = std::vector<std::vector<analysis::RegisterSet>>; // by block

class PoisonProbes final : public ProbeKind {
public:
  PoisonProbes(const CopiedCode& code, const LiveSets& live) : code_(code), live_(live) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override {}

private:
  analysis::RegisterSet overwritable(const ProbeRegisters&) const;
  std::string text(const ProbeRegisters&, const analysis::RegisterSet&, uint32_t place) const;

  const CopiedCode& code_;
  const LiveSets& live_;
  uint32_t first_sgpr_ = 0; // of ProbeNeeds::sgprs
};

} // namespace crosslane::rewrite
