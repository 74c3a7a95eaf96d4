// VCC is the last pair of the SGPRs that a wave has. Who names that pair by its numbers gets VCC by another name, which
// the hardware does not compare: what follows directly may read what was there before.
#pragma once
#include "lint/finding.h"
#include "lint/launches.h"
#include "lint/together.h"

namespace crosslane::lint {

// What the instruction before did.
struct JustWrote {
  uint64_t pc = 0;
  bool vcc = false, pair = false; // by name, by number
  bool valu = false;
  uint16_t alias = 0; // the number: a callee of several kernels does not know it, the wave keeps it
};

class VccAlias : public Topic<JustWrote> {
public:
  VccAlias(const Subject& subject, const Launches& launches, Report& report)
      : subject_(subject), launches_(launches), report_(report) {}
  bool step(State&, const Step&);
  bool join(State& into, const State& from);
  State call(const State& s, const Step&) { return s; }
  State back(const State&, const State* out, const Step&) { return out ? *out : State{}; }
  void report(const State&, const Step&);

private:
  const Subject& subject_;
  const Launches& launches_;
  Report& report_;
  const Use* clash(const State&, const Step&) const;
  // 0: VCC has no other name here, or several.
  uint16_t pair(const Step&) const;
};

} // namespace crosslane::lint
