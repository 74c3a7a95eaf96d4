// Owns measuring how long waves run, and how long they are in each loop, by s_memtime.
//
// A loop's time is the sum of the readings where it is left, less the sum of those where it is entered: no reading is
// kept meanwhile, so that loops nest, and functions with loops call each other, without registers of their own. One
// reading serves all loops that an edge enters and leaves. Where a wave ends in a function that a loop calls, the
// reading at its end takes the place of the one that is missing.
#pragma once
#include "rewrite/probe_kind.h"

namespace crosslane::rewrite {

class TimeProbes final : public ProbeKind {
public:
  explicit TimeProbes(const CopiedCode& code) : code_(code) {}
  llvm::Error choose(ProbeNeeds&) override;
  void insert(const ProbeRegisters&, Insertions&) override;
  void plan(const CopiedKernel&, KernelPlan&) const override;

private:
  struct Crossing {
    EdgePlace place;
    std::vector<uint32_t> enters, leaves; // of TimePlan::loops
  };
  void find_loops(ProbeNeeds&);
  void find_crossings();
  void cross(EdgePlace, analysis::BlockId from, analysis::BlockId to); // `from` none: another function
  // The loops around a block, innermost first, by their numbers in TimePlan::loops.
  std::vector<uint32_t> around(analysis::BlockId) const;
  std::string read_clock(const ProbeRegisters&) const; // into the first pair of ProbeRegisters::scratch
  std::string text(const ProbeRegisters&, const Crossing&) const;

  const CopiedCode& code_;
  TimePlan plan_;
  std::vector<uint32_t> number_; // of each of Loops::loops in TimePlan::loops; none: it is not copied
  std::vector<Crossing> crossings_;
  uint32_t first_sgpr_ = 0;
};

} // namespace crosslane::rewrite
