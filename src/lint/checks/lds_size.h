// Addresses in LDS beyond what the kernel has of it, where they are known: constants, and what is made of work-items'
// ids (lint/checks/items.h); and kernels that use LDS and ask for none.
#pragma once
#include "lint/checks/item_values.h"
#include "lint/finding.h"
#include "lint/steps.h"

namespace crosslane::lint {

class LdsSize {
public:
  LdsSize(const Subject& subject, const Launches& launches, Report& report)
      : subject_(subject), launches_(launches), report_(report), told_(subject.graph.parts.size()) {}
  bool may_go_beyond(const KnownItems&, const ItemValues&, const Step&) const;
  void report(const KnownItems&, const ItemValues&, const Step&);

private:
  const Subject& subject_;
  const Launches& launches_;
  Report& report_;
  std::vector<bool> told_; // of each part, that it has no LDS
};

} // namespace crosslane::lint
