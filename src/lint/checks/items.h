// Where the ids of work-items lead, and addresses that are made of them: follows item values
// (lint/checks/item_values.h) through a kernel, and asks at branches, barriers and LDS instructions. Only parts with
// such are followed.
#pragma once
#include "lint/checks/barrier.h"
#include "lint/checks/item_values.h"
#include "lint/checks/lds_size.h"
#include "lint/together.h"

namespace crosslane::lint {

class Items : public Topic<KnownItems> {
public:
  Items(const Subject& subject, const Launches& launches, Report& report)
      : subject_(subject), launches_(launches), lds_size_(subject, launches, report), barriers_(subject, report) {}
  void part(const Steps&, bool alone);
  State enter(const analysis::Function&);
  void look(const Step& step) { barriers_.look(step); }
  bool step(State&, const Step&);
  bool join(State& into, const State& from);
  bool edge(State&, const Step& last, const analysis::Edge&);
  void report(const State&, const Step&);
  void finish() { barriers_.finish(); }

private:
  using Id = ItemValues::Id;
  const Subject& subject_;
  const Launches& launches_;
  mutable ItemValues values_; // who asks for one that is not there yet makes it
  bool watched_ = false;      // this part
  LdsSize lds_size_;
  Barriers barriers_;

  struct Made {
    uint16_t slot = 0;
    Id value = 0;
    bool mask = false;
    Id saved = 0; // EXEC of before, which goes to `slot`; `value` is the new one
    bool compares = false;
  };
  Id source(const State&, const isa::Instruction&, int n) const;
  Id source_mask(const State&, uint16_t code) const;
  Made evaluate(const State&, const Step&) const;
  Id first_of_waves(const State&, Id value) const;
  Id taken(const State&, const isa::Instruction&) const;
  bool goes_apart(const State&, Id taken) const;
};

} // namespace crosslane::lint
