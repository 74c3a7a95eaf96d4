// Modes that outlive what they were set for: VGPR indexing and VSKIP still on where the wave calls, meets others or
// ends; EXEC without lanes where something happens all the same; the instruction buffer behind s_icache_inv.
#pragma once
#include "lint/finding.h"
#include "lint/together.h"

namespace crosslane::lint {

struct ModeState {
  uint64_t indexing = 0;    // the instruction that turned it on, on some way; 0: off
  uint64_t skipping = 0;    // likewise VSKIP
  uint64_t narrowed = 0;    // that after which EXEC may have no lanes, and nobody has looked
  uint64_t invalidated = 0; // s_icache_inv
  uint8_t nops = 0;         // that are still needed behind it
};

class Modes : public Topic<ModeState> {
public:
  Modes(const Subject& subject, Report& report) : subject_(subject), report_(report) {}
  bool step(State&, const Step&);
  bool join(State& into, const State& from);
  State call(const State& s, const Step&) { return of_callee(s); }
  State back(const State& s, const State* out, const Step&) { return of_callee(out ? *out : s); }
  bool edge(State&, const Step& last, const analysis::Edge&);
  void report(const State&, const Step&);

private:
  const Subject& subject_;
  Report& report_;

  // What a mode still is has been told at the call, or where the callee returned.
  static State of_callee(const State&) { return {}; }
  std::string name(const Step&) const;
  static const char* without_lanes(const Step&);
  void exec_may_be_empty(const State&, const Step&);
};

} // namespace crosslane::lint
