// Registers that are read before anything has written them. On each way from a kernel's entry: what some way has
// written, and what all have. A kernel begins with what its descriptor asks for: user SGPRs, ids of the workgroup and
// work-item. Read is an error where no way has written it; where only some have, compilers do it all the time.
//
// Compilers read undefined registers on purpose: an operand whose value does not matter may name any register. So what
// only copies is not judged, and of tuples of data only those that nothing has written any of.
//
// A function that kernels call begins with what its callers have written, all of them together: what only one of them
// gives it may be for that one. Who comes by an address that is not known may bring anything, and leave anything.
#pragma once
#include "lint/finding.h"
#include "lint/launches.h"
#include "lint/slot_set.h"
#include "lint/together.h"
#include <set>

namespace crosslane::lint {

struct Written {
  SlotSet some, all; // ways; what all have some have
};

class Undefined : public Topic<Written> {
public:
  Undefined(const Subject&, const Launches&, Report&);
  State enter(const analysis::Function&);
  bool step(State&, const Step&);
  bool join(State& into, const State& from);
  State call(const State& s, const Step&) { return s; }
  State back(const State& before, const State* out, const Step& call);
  void report(const State&, const Step&);
  void finish();

private:
  const Subject& subject_;
  const Launches& launches_;
  Report& report_;
  std::set<uint64_t> unknown_; // calls of kernels and their functions to nobody knows where

  static State everything() {
    State s;
    s.some.fill(), s.all.fill();
    return s;
  }
  bool is_flat_scratch(const Use&) const;
  void write_vcc(State&, const Step&) const;
  bool is_called_alone(const analysis::Function&) const;
  const analysis::Call* a_call_to(uint32_t part) const;
  void tell(Rule, Severity, Said, const Step&, const Use&, const char* what);
};

} // namespace crosslane::lint
