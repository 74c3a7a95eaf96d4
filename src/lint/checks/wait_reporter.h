// Owns the findings about s_waitcnt and registers: what they say and how they are fixed.
#pragma once
#include "lint/checks/clashes.h"

namespace crosslane::lint {

// The s_waitcnt directly before an instruction.
struct Before {
  uint64_t pc = 0; // 0: none
  analysis::BlockId block = analysis::none;
  isa::WaitCounts counts = {};
  bool operator==(const Before&) const = default;
};

// A function that has not begun yet: only waits have been executed of it.
struct Entry {
  uint64_t at = 0;
  uint8_t unknown = 0;    // counters that callers may have something outstanding on
  bool by_others = false; // there may be callers that are not known
  bool called = false;
  bool operator==(const Entry&) const = default;
  bool any() const { return at || called; }
  bool join(const Entry& from) {
    const bool grown = (unknown | from.unknown) != unknown || (!by_others && from.by_others) ||
                       (!called && from.called) || (!at && from.at);
    at = at ? at : from.at, unknown |= from.unknown, by_others |= from.by_others, called |= from.called;
    return grown;
  }
};

class WaitReporter {
public:
  WaitReporter(const Subject& subject, const CountingRules& rules, Report& report)
      : subject_(subject), rules_(rules), report_(report) {}

  void clashes(const Outstanding&, const std::vector<Clash>&, const Before&, const Step&);
  void exec(const Operation&, const Before&, const Step&);
  void entry(const Outstanding&, const Entry&, const Step&);
  void returns(const Outstanding&, const Step&);
  void redundant(const Outstanding&, const Entry&, const Step& wait);

private:
  const Subject& subject_;
  const CountingRules& rules_;
  Report& report_;

  std::string name(isa::Op op) const { return std::string(isa::mnemonic(op, subject_.target())); }
  isa::WaitCounts needed(const Outstanding&, const Clash&) const;
  void clash(const Outstanding&, const Clash&, Fix, const Step&);
  Fix fix(isa::WaitCounts, const Before&, const Step&) const;
  std::string why_fooled(const Outstanding&, const Operation&) const;
};

} // namespace crosslane::lint
