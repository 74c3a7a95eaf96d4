// Owns plans of several results that begin alike. One instruction may give each result for the least, and still two
// each cost less together, where all have the first in common: neighbours of bytes in two registers are one move of
// qwords, and an align within 128 bits for each, where each by itself is one permute of both.
#pragma once
#include "lanes/plan/pattern_set.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// The goals' own plans, of which equal steps are made once. `score` is no more than what the plans cost one beside the
// other.
constexpr SetPlan join_plans(Cpu cpu, const Plan* const* own, const Goal* goals, int results, int inputs,
                             float& score) {
  SetPlan all;
  all.steps.inputs = int8_t(inputs);
  all.steps.kind = results == 1 ? own[0]->kind : Class::several;
  SideBySide beside(cpu);
  int8_t values[Plan::max_inputs]{};
  for (int8_t i = 0; i < inputs; ++i)
    values[i] = i;
  bool fits = true;
  score = 1e9f;
  for (int r = 0; r < results; ++r) {
    all.found &= own[r]->found;
    if (!all.found)
      return all;
    beside.add(*own[r], wide(goals[r]));
    all.wide += wide(goals[r]);
    if (fits)
      all.value[size_t(r)] = append_once(all.steps, *own[r], values), fits = all.value[size_t(r)] != no_value;
  }
  score = beside.cost().score();
  if (fits)
    score = std::min(score, cost(cpu, all).score());
  all.found = fits;
  return all;
}

// The cheapest plan of two instructions whose first brings together what the second puts in order, whatever one
// instruction costs.
constexpr Plan pair_of(Isa isa, Cpu cpu, const Goal& goal, int inputs, int input_bytes) {
  Search s(isa, cpu, goal, inputs, input_bytes);
  if (const int reads = std::popcount(goal.inputs); reads == 1 || reads == 2) {
    const int8_t a = int8_t(std::countr_zero(goal.inputs)), b = int8_t(31 - std::countl_zero(goal.inputs));
    lanes_first(s, a, b);
  }
  s.best.found = s.found;
  return s.best;
}

// Whether other steps may cost less than a permute of two registers: where it takes longer than two steps within 128
// bits, or holds up stores.
constexpr bool dear(Cpu cpu, const Step& s) {
  if (s.op != Op::permute_two)
    return false;
  const StepCost its = cost(cpu, s), align = cost(cpu, {.op = Op::align_bytes, .bytes = s.bytes, .element = 1});
  return hold_up(cpu, s) > 0 ||
         its.occupancy / float(std::popcount(its.ports)) > align.occupancy / float(std::popcount(align.ports));
}
constexpr bool any_dear(Cpu cpu, const Plan& p) {
  for (int i = 0; i < p.count; ++i)
    if (dear(cpu, p.steps[i]))
      return true;
  return false;
}

// For each first step that pairs of two results have in common, or one has whose own plan holds up the set, those
// results by their pairs and the others by their own plans; the cheapest such set that costs less than `limit` replaces
// `best`.
constexpr void share_first_steps(Cpu cpu, const Plan* const* own, const Plan* const* pairs, const Goal* goals,
                                 int results, int inputs, SetPlan& best, float& limit) {
  for (int first = 0; first < results; ++first) {
    if (!pairs[first]->found)
      continue;
    const Plan* taken[SetPlan::max_results]{};
    int alike = 0;
    bool earlier = false; // it was tried with an earlier result
    for (int r = 0; r < results; ++r) {
      const bool same = pairs[r]->found && same_step(pairs[r]->steps[0], pairs[first]->steps[0]);
      taken[r] = same ? pairs[r] : own[r];
      alike += same, earlier |= same && r < first;
    }
    if (earlier || (alike < 2 && !any_dear(cpu, *own[first])))
      continue;
    float score = 0;
    SetPlan p = join_plans(cpu, taken, goals, results, inputs, score);
    if (p.found && cost(cpu, p).score() < limit)
      p.shared = true, limit = cost(cpu, p).score(), best = p;
  }
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
