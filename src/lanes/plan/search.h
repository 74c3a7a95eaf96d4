// Owns the bookkeeping of a search for a plan: candidates are offered, tried on the names of bytes, and the cheapest
// one that gives what is wanted is kept. A matcher may therefore guess from a few elements; a wrong guess costs nothing
// but time.
#pragma once
#include "lanes/plan/goal.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

// Whether the instruction can leave elements of its result zero, or as they were in another register.
inline constexpr uint64_t ops_without_mask = bits_of({Op::zero, Op::shift_bytes_left, Op::shift_bytes_right, Op::pack,
                                                      Op::permute_halves, Op::blend_imm, Op::blend_bytes,
                                                      Op::blend_mask, Op::keep, Op::either, Op::compress, Op::expand}),
                          ops_of_dwords = bits_of({Op::insert, Op::shuffle_lanes, Op::extract});
constexpr bool maskable(const Step& s, bool merging) {
  if ((ops_without_mask >> int(s.op) & 1) || (merging && s.op == Op::permute_two)) // which merges into its own source
    return false;
  return s.element >= 4 || !(ops_of_dwords >> int(s.op) & 1);
}

// Steps that move parts of their elements.
inline constexpr uint64_t ops_of_bytes =
    bits_of({Op::shift_left, Op::shift_right, Op::rotate_left, Op::shift_double, Op::extend});

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
  float best_score = 1e9f; // what costs as much is not looked at
  Plan best = no_steps;
  Effort effort = Effort::quick;
  const Elements* whole = nullptr; // the goal in the largest elements in which it can be said, if that is known

  constexpr Search(Isa i, Cpu c, const Goal& g, int n, int known)
      : isa(i), cpu(c), goal(g), inputs(int8_t(n)), input_bytes(known) {}
  constexpr bool avx512() const { return isa >= Isa::avx512; }
  constexpr Name input(int v, int byte) const { return byte < input_bytes ? name_of(v, byte) : unknown; }
  // The goal's own views: a step is then compared by elements, not by bytes.
  constexpr void know(const Views& v) {
    int largest = 3;
    while (!v.of[largest].ok)
      --largest;
    whole = &v.of[largest];
  }
  // Nothing but bytes of these inputs is wanted, and no zeros.
  constexpr bool all_of(uint32_t set) const { return !goal.zeros && !(goal.inputs & ~set); }
  constexpr Plan empty(Class kind) const {
    Plan p = no_steps;
    p.inputs = inputs;
    p.kind = kind;
    return p;
  }

  constexpr void keep(const Plan& p) {
    if (const float its_score = cost(cpu, p).score(); its_score < best_score)
      found = true, best_score = its_score, best = p;
  }
  // The first byte tells most wrong guesses; the score is less work than all bytes.
  constexpr void offer(const Plan& p) {
    if (goal.first < 64 && trace(p, p.result, goal.first) != goal.want[goal.first])
      return;
    const float its_score = cost(cpu, p).score();
    if (its_score >= best_score)
      return;
    for (int i = goal.first + 1; i < goal.wide; ++i)
      if (const int want = goal.want[i]; want != dont_care && want != trace(p, p.result, i))
        return;
    found = true, best_score = its_score, best = p;
  }
  // The name of a byte of a value, back through the steps that move it.
  constexpr Name trace(const Plan& p, int value, int byte) const {
    if (value < inputs)
      return input(value, byte);
    const Step& s = p.steps[value - inputs];
    const From f = source(s, byte);
    if (f.operand < 0)
      return zero;
    const Name from = trace(p, f.operand == 0 ? s.a : f.operand == 1 ? s.b : s.merge, f.byte);
    if (f.operand == 2)
      return from;
    if (s.op == Op::either)
      return either(from, trace(p, s.b, f.byte));
    if (s.op == Op::pack) // what does not fit is lost
      for (int c = 0, upper = f.byte / s.element * s.element + s.element; c < s.element; ++c)
        if (trace(p, f.operand ? s.b : s.a, upper + c) != zero)
          return unknown;
    return from;
  }

  // The name of byte i of what one step gives, which reads inputs alone.
  constexpr int given(const Step& s, int i) const {
    const From f = s.masked ? source(s, i) : unmasked_source(s, i);
    if (f.operand < 0)
      return zero;
    const int value = f.operand == 0 ? s.a : f.operand == 1 ? s.b : s.merge;
    return f.byte < input_bytes ? 64 * value + f.byte : int(unknown);
  }
  constexpr bool gives(const Step& s) const {
    if (whole && !s.masked && s.element >= whole->size && !(ops_of_bytes >> int(s.op) & 1)) {
      const int size = whole->size;
      for (int i = goal.first / size; i < whole->count; ++i)
        if (const int want = whole->at[i]; want >= 0 && want * size != given(s, i * size))
          return false;
      return true;
    }
    for (int i = goal.first; i < goal.wide; ++i)
      if (const int want = goal.want[i]; want != dont_care && want != given(s, i))
        return false;
    return true;
  }
  // One step; when it alone does not give what is wanted, the elements that are not its own are masked.
  constexpr void offer(Class kind, const Step& s) {
    const float its_score = score(cpu, s);
    if (its_score >= best_score)
      return;
    if (gives(s))
      take(kind, s, its_score);
    else if ((merge != no_value || goal.zeros) && avx512() && maskable(s, merge != no_value))
      offer_masked(merge != no_value ? Class::merge : kind, s);
  }
  constexpr void offer_masked(Class kind, Step s) {
    // Byte i is the step's own, not zero or another's.
    const auto own = [&](int i) {
      const int id = goal.want[i];
      return id >= 0 && (merge == no_value || id != input(merge, i));
    };
    // What is wanted first of the step's own must be there, or nothing will.
    int i = goal.first;
    while (i < goal.wide && !own(i))
      ++i;
    if (i == goal.wide || given(s, i) != goal.want[i])
      return;
    s.masked = true, s.merge = merge, s.mask = 0;
    // An element that has a byte of the step's own must have nothing else.
    for (const int end = std::min(result_bytes(s), goal.wide); i < end; ++i)
      if (own(i))
        s.mask |= uint64_t(1) << (i / s.element);
    if (const float its_score = score(cpu, s); its_score < best_score && gives(s))
      take(kind, s, its_score);
  }
  // A step that gives what is wanted by the way in which it was made.
  constexpr void offer_right(Class kind, const Step& s) {
    if (const float its_score = score(cpu, s); its_score < best_score)
      take(kind, s, its_score);
  }
  constexpr void take(Class kind, const Step& s, float its_score) {
    found = true, best_score = its_score;
    best = empty(kind);
    best.add(s);
  }
};

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
