// Owns the bookkeeping of a search for a plan: candidates are offered, tried on the names of bytes, and the cheapest
// one that gives what is wanted is kept. A matcher may therefore guess from a few elements; a wrong guess costs nothing
// but time.
#pragma once
#include "lanes/plan/goal.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Whether the instruction can leave elements of its result zero, or as they were in another register.
constexpr bool maskable(const Step& s, bool merging) {
  using enum Op;
  switch (s.op) {
  case zero:
  case shift_bytes_left:
  case shift_bytes_right:
  case pack:
  case permute_halves:
  case blend_imm:
  case blend_bytes:
  case blend_mask:
  case keep:
  case either:
  case compress:
  case expand: return false;
  case permute_two: return !merging; // it can only merge into its own first source
  case insert:
  case shuffle_lanes:
  case extract: return s.element >= 4;
  default: return true;
  }
}

// How much is tried: `quick` is what a constant expression can afford; `thorough` enumerates pairs of instructions too
// (lanes/plan/two_steps.h), and plans what differs only in the order of its sources or in what nobody cares for.
enum class Effort : uint8_t { quick, thorough };

struct Search {
  Isa isa;
  Cpu cpu;
  Goal goal;
  int8_t inputs;
  int input_bytes;
  int8_t merge = no_value; // elements that are not wanted from elsewhere are to be those of this input
  bool found = false;
  float best_score = 0;
  Plan best{};
  bool zeros = false; // some are wanted
  Effort effort = Effort::quick;

  constexpr Search(Isa i, Cpu c, const Goal& g, int n, int known)
      : isa(i), cpu(c), goal(g), inputs(int8_t(n)), input_bytes(known) {
    for (int at = 0; at < 64 && !zeros; ++at)
      zeros = g.want[at].id == 0;
  }
  constexpr bool avx512() const { return isa >= Isa::avx512; }
  constexpr Name input(int v, int byte) const { return byte < input_bytes ? Name::of(v, byte) : Name{Name::unknown}; }
  constexpr Plan empty(Class kind) const {
    Plan p;
    p.inputs = inputs;
    p.kind = kind;
    return p;
  }

  constexpr void keep(const Plan& p) {
    const float score = cost(cpu, p).score();
    if (found && score >= best_score)
      return;
    found = true, best_score = score, best = p;
  }
  constexpr void offer(const Plan& p) {
    for (int i = 0; i < 64; ++i)
      if (goal.want[i].id != Name::anything && trace(p, p.result, i) != goal.want[i])
        return;
    keep(p);
  }
  // The name of a byte of a value, back through the steps that move it.
  constexpr Name trace(const Plan& p, int value, int byte) const {
    if (value < inputs)
      return input(value, byte);
    const Step& s = p.steps[value - inputs];
    const From f = source(s, byte);
    if (f.operand < 0)
      return {0};
    const Name from = trace(p, f.operand == 0 ? s.a : f.operand == 1 ? s.b : s.merge, f.byte);
    if (f.operand == 2)
      return from;
    if (s.op == Op::either)
      return from | trace(p, s.b, f.byte);
    if (s.op == Op::pack) // what does not fit is lost
      for (int c = 0, upper = f.byte / s.element * s.element + s.element; c < s.element; ++c)
        if (trace(p, f.operand ? s.b : s.a, upper + c).id != 0)
          return {Name::unknown};
    return from;
  }

  // One step; when it alone does not give what is wanted, the elements that are not its own are masked.
  constexpr void offer(Class kind, Step s) {
    if (found && score(cpu, s) >= best_score)
      return;
    const auto given = [&](int i) {
      const From f = source(s, i);
      return f.operand < 0 ? Name{0} : input(f.operand == 0 ? s.a : f.operand == 1 ? s.b : s.merge, f.byte);
    };
    bool all = true;
    for (int i = 0; i < 64 && all; ++i)
      if (goal.want[i].id != Name::anything)
        all = goal.want[i] == given(i);
    if (!all) {
      if (merge == no_value && !zeros)
        return;
      if (!avx512() || !maskable(s, merge != no_value))
        return;
      // What is wanted first of the step's own must be there, or nothing will.
      int first = 0;
      while (first < 64 && !(goal.want[first].data() && (merge == no_value || goal.want[first] != input(merge, first))))
        ++first;
      if (first == 64 || given(first) != goal.want[first])
        return;
      s.masked = true, s.merge = merge, s.mask = 0;
      // An element that has a byte of the step's own must have nothing else.
      for (int i = 0; i < result_bytes(s); ++i)
        if (goal.want[i].data() && (merge == no_value || goal.want[i] != input(merge, i)))
          s.mask |= uint64_t(1) << (i / s.element);
      for (int i = 0; i < 64; ++i)
        if (goal.want[i].id != Name::anything && goal.want[i] != given(i))
          return;
      if (merge != no_value)
        kind = Class::merge;
    }
    const float its_score = score(cpu, s);
    if (found && its_score >= best_score)
      return;
    found = true, best_score = its_score;
    best = empty(kind);
    best.add(s);
  }
};

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
