// Barriers that some waves of a workgroup go around. Only what is sure: waves go apart at a branch by their work-items'
// ids (lint/checks/items.h), one side has the barrier on all its ways, and the other side joins it again behind that.
// (A wave that ends counts as having arrived, so a way that ends is right.)
#pragma once
#include "lint/finding.h"
#include "lint/steps.h"

namespace crosslane::lint {

class Barriers {
public:
  Barriers(const Subject& subject, Report& report) : subject_(subject), report_(report) {}
  void look(const Step&);
  void goes_apart(const Step& branch, uint64_t compared); // compared: where the ids were; 0: not known
  void finish();

private:
  struct Branch {
    analysis::BlockId block = analysis::none;
    uint64_t pc = 0, compared = 0;
  };
  const Subject& subject_;
  Report& report_;
  std::vector<Branch> branches_;                                 // that waves go differently
  std::vector<std::pair<analysis::BlockId, uint64_t>> barriers_; // by block

  uint64_t unavoidable(analysis::BlockId from, analysis::BlockId to) const;
};

} // namespace crosslane::lint
