// Owns what a kind of probes is (--probe): what it needs of registers and records is chosen first, since where
// everything is depends on all of it; then it puts its instructions, and says in the plan what the record means.
#pragma once
#include "rewrite/copied_code.h"
#include "rewrite/plan.h"
#include "rewrite/registers.h"

namespace crosslane::rewrite {

class ProbeKind {
public:
  virtual ~ProbeKind() = default;
  // Asks for counters and registers of its own; remembers what was there before as where its own begin. The error says
  // why these kernels cannot have it.
  virtual llvm::Error choose(ProbeNeeds&) = 0;
  virtual void insert(const ProbeRegisters&, Insertions&) = 0;
  // But for the names, with addresses of the code object as it was.
  virtual void plan(const CopiedKernel&, KernelPlan&) const = 0;
};

} // namespace crosslane::rewrite
