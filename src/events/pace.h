// Owns Pace: who decides when waves go on that ask for the time, or look at what other waves write: the cycle model, in
// whose time they live. A dispatch that has one runs on one thread, which asks it whenever nothing else can go on.
#pragma once
#include "events/listener.h"
#include <cstdint>

namespace crosslane::events {

class Pace {
public:
  virtual ~Pace() = default;
  // A wave has come to an instruction of which isa::depends_on_time() holds. True: it executes it now; `clock` is what
  // the instruction reads if it is one that reads a clock. False: it stops in front of it, and asks again.
  virtual bool pass(const Site&, const machine::Wave&, uint64_t& clock) = 0;
  // The same of isa::shows_to_others(), if this is true.
  virtual bool paces_stores() const { return true; }
  // Whether another workgroup is to begin.
  virtual bool begins() = 0;
  // All that has begun waits, or looks like waiting. `more`: there are workgroups that have not begun. True: one of
  // them is to begin, or a wave may pass. False: neither, for ever, unless a wave that only looked like waiting goes
  // on.
  virtual bool go_on(bool more) = 0;
};

} // namespace crosslane::events
