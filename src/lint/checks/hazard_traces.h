// Owns what the rows of isa/rows/hazards.inc look for, as a walk over code has it: what an instruction did that a later
// one must not come too soon behind.
#pragma once
#include "isa/hazards.h"
#include "lint/steps.h"
#include <array>
#include <bit>
#include <vector>

namespace crosslane::lint {

// What rows have in common that wait for the same thing.
struct Trace {
  isa::hazards::Who who{};
  isa::hazards::Which which;
  int most = 0; // states
  std::vector<const isa::hazards::Hazard*> rows;
  uint64_t seconds = 0; // of the rows: a bit for each kind
};

// One thing that an instruction did.
struct Deed {
  uint64_t pc = 0, call = 0;     // call: in whose callee the wave is since; 0: none
  uint32_t overwritten = 0;      // which of the registers something harmless has written since
  uint16_t first = 0, count = 0; // slots; count 0: no register matters
  isa::Op op{};
  uint8_t trace = 0, age = 0; // wait states since
  bool past_dgemm = false;
  bool operator==(const Deed&) const = default;
  // But for the age. What was overwritten on one way only stays two, or the age of one would meet the registers of the
  // other.
  bool same(const Deed& d) const {
    return pc == d.pc && trace == d.trace && first == d.first && call == d.call && overwritten == d.overwritten &&
           past_dgemm == d.past_dgemm;
  }
};

class HazardTraces {
public:
  explicit HazardTraces(isa::Generation);
  const Trace& operator[](size_t n) const { return traces_[n]; }
  size_t size() const { return traces_.size(); }
  uint64_t seconds() const { return seconds_; } // of all rows: a bit for each kind

  // Those alone that wanted(Trace) says; all of them from the beginning.
  template <class F> void watch(F wanted) {
    watched_ = beginners_ = 0;
    for (size_t t = 0; t < traces_.size(); ++t)
      if (wanted(traces_[t]))
        watched_ |= uint64_t(1) << t, beginners_ |= bit(traces_[t].who);
  }

  // Of those that are watched, what the instruction begins: f(Deed).
  template <class F> void each_begun(const Step& step, F f) const {
    uint64_t begun = 0;
    for (uint64_t who = step.facts.kinds.bits() & beginners_; who; who &= who - 1)
      begun |= traces_of_[size_t(std::countr_zero(who))];
    for (begun &= watched_; begun; begun &= begun - 1) {
      const auto t = uint8_t(std::countr_zero(begun));
      const isa::hazards::Which& which = traces_[t].which;
      const auto make = [&](uint16_t first, uint16_t count) {
        f(Deed{.pc = step.pc, .first = first, .count = count, .op = step.op(), .trace = t});
      };
      if (which.registers == isa::hazards::Registers::none)
        make(0, 0);
      else if (has(which.registers, which.written ? step.facts.written : step.facts.read))
        for (const Use& u : step.uses)
          if (which.takes(u.registers, u.role, u.read, u.written))
            make(u.first, std::min<uint16_t>(u.count, 32));
    }
  }

private:
  std::vector<Trace> traces_;
  std::array<uint64_t, isa::hazards::who_count> traces_of_{}; // of each kind: a bit for each trace
  uint64_t seconds_ = 0;
  uint64_t watched_ = ~uint64_t(0), beginners_ = ~uint64_t(0); // traces, and the kinds that begin them
  static constexpr uint64_t bit(isa::hazards::Who who) { return uint64_t(1) << uint32_t(who); }
  void add(const isa::hazards::Hazard&);
};

// v_accvgpr_read or _write, which some rows ask for directly before.
inline bool is_acc(const Step& step) {
  return step.facts.kinds.has(isa::hazards::Who::accvgpr_read) ||
         step.facts.kinds.has(isa::hazards::Who::accvgpr_write);
}
// Whether this use is what the row does not want behind the deed; behind_acc: is_acc() of the instruction before.
inline bool meets(const isa::hazards::Hazard& row, const Deed& d, bool behind_acc, const Step& step, const Use& u) {
  using isa::hazards::Relation;
  if (!row.which_of_second.takes(u.registers, u.role, u.read, u.written) ||
      !u.overlaps(d.first, uint16_t(d.first + d.count)))
    return false;
  switch (row.relation) {
  case Relation::always:
  case Relation::overlap: return true;
  case Relation::not_same: return u.first != d.first || u.count != d.count;
  case Relation::same: return u.first == d.first && u.count == d.count;
  case Relation::same_op: return step.op() == d.op;
  case Relation::other_op: return step.op() != d.op;
  case Relation::behind_acc: return behind_acc;
  case Relation::past_dgemm: return d.past_dgemm;
  }
  return false;
}

} // namespace crosslane::lint
