// Owns the planner of several results at once: their own plans, what they share, and the choice.
//
//   constexpr SetPlan p = plan_all(make_pattern_set(4, 8, 8, 8, 8, [](int r, int i) { return i * 8 + r; }),
//                                  Isa::avx2, Cpu::icelake);           transposes 8 x 8 dwords: 24 steps, not 80
//
// The results' own plans, of which equal steps are made once; those of them that begin alike although each by itself
// has a cheaper one (lanes/plan/shared_steps.h); networks of exchanges (lanes/plan/networks.h). The cheapest is taken,
// so that a set never costs more than its results one by one.
#pragma once
#include "lanes/plan/networks.h"
#include "lanes/plan/shared_steps.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// What is planned: a goal for each register of all results.
struct Goals {
  int count = 0, inputs = 0, input_bytes = 64;
  int most = 0; // registers that one reads
  bool fit = false;
  Goal goal[SetPlan::max_results];
  // Results of 64 bytes.
  constexpr int wide() const {
    int n = 0;
    for (int r = 0; r < count; ++r)
      n += detail::wide(goal[r]);
    return n;
  }
  constexpr Goals(const PatternSet& set, Isa isa)
      : count(set_results(set, isa)), inputs(set_inputs(set, isa)),
        input_bytes(std::min(set.source_bytes(), widest_register(isa))),
        fit(count <= SetPlan::max_results && inputs <= Plan::max_inputs) {
    for (int r = 0; r < count && fit; ++r) {
      goal[r] = goal_of(set, r, isa);
      most = std::max(most, std::popcount(goal[r].inputs));
    }
  }
};

// No plans of these goals by themselves cost less: an instruction joins two registers at most, and none that does costs
// less than a blend.
constexpr float least_score(Isa isa, Cpu cpu, const Goals& goals) {
  int joins = 0, longest = 0, bytes = 16;
  for (int r = 0; r < goals.count; ++r) {
    const Goal& g = goals.goal[r];
    bytes = std::max(bytes, g.bytes);
    if (const int reads = std::popcount(g.inputs); reads > 1)
      joins += reads - 1, longest = std::max<int>(longest, std::bit_width(unsigned(reads - 1)));
  }
  const StepCost blend =
      cost(cpu, {.op = isa == Isa::avx2 ? Op::blend_imm : Op::blend_mask, .bytes = uint8_t(bytes), .element = 4});
  return float(longest) * blend.latency / 4 + 0.125f * float(joins) +
         2 * std::max(float(joins) * blend.occupancy / float(std::popcount(blend.ports)), stores(cpu, goals.wide()));
}

// Where each result is one step that costs no more than others, nothing is to be had.
constexpr bool worth_networks(Cpu cpu, const Goals& goals, const SetPlan& each) {
  return goals.count > 1 && goals.most > 0 &&
         !(each.found && each.steps.count <= goals.count && !any_dear(cpu, each.steps));
}
// Nor where a step for each and one for all, of those within 128 bits, would cost more.
constexpr bool worth_sharing(Cpu cpu, const Goals& goals, const SetPlan& each) {
  if (goals.count < 2 || !each.found)
    return false;
  int bytes = 16, steps = 1;
  for (int r = 0; r < goals.count; ++r)
    bytes = std::max(bytes, goals.goal[r].bytes), steps += each.value[size_t(r)] >= goals.inputs;
  const StepCost align = cost(cpu, {.op = Op::align_bytes, .bytes = uint8_t(bytes), .element = 1});
  return 2 * align.latency / 4 + float(steps) * (2 * align.occupancy / float(std::popcount(align.ports)) + 0.125f) <
         cost(cpu, each).score();
}
constexpr void take_cheaper(Cpu cpu, const SetPlan& p, SetPlan& best, float& limit) {
  if (!p.found)
    return;
  if (const float its = cost(cpu, p).score(); its < limit)
    limit = its, best = p;
}

// Whether a goal's own plan is looked for: in a quick search not where it reads many registers, which takes long.
constexpr bool plans_each(const Goals& goals, Effort effort) { return goals.most <= 4 || effort == Effort::thorough; }

} // namespace detail

namespace detail {
constexpr SetPlan plan_network(Isa isa, Cpu cpu, const Goals& goals, Effort effort) {
  const Draft start = draft_of(goals.goal, goals.count, goals.inputs);
  const Forms forms(isa, cpu, start.bytes, start.size);
  SetPlan best;
  best.found = false;
  float limit = 1e9f;
  const auto take = [&](auto networks) {
    networks.search();
    for (int k = 0; k < networks.found(); ++k)
      take_cheaper(cpu, build(isa, cpu, goals.goal, networks.best(k)), best, limit);
  };
  if (effort == Effort::quick)
    take(Networks<1>(forms, start, goals.wide()));
  else
    take(Networks<kept_when_thorough>(forms, start, goals.wide()));
  return best;
}

// The results' own plans, or those of them that begin alike.
constexpr SetPlan plan_each(Isa isa, Cpu cpu, const Goals& goals, Effort effort, float& limit) {
  Plan own[SetPlan::max_results], pair[SetPlan::max_results];
  const Plan *each[SetPlan::max_results]{}, *pairs[SetPlan::max_results]{};
  for (int r = 0; r < goals.count; ++r) {
    own[r] = effort == Effort::quick ? solve(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes, effort)
                                     : solve_thoroughly(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes);
    each[r] = &own[r], pairs[r] = &pair[r];
  }
  SetPlan best = join_plans(cpu, each, goals.goal, goals.count, goals.inputs, limit);
  if (worth_sharing(cpu, goals, best)) {
    for (int r = 0; r < goals.count; ++r)
      pair[r] = pair_of(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes);
    share_first_steps(cpu, each, pairs, goals.goal, goals.count, goals.inputs, best, limit);
  }
  return best;
}
} // namespace detail

// All registers of all results. A set with a fault() has no plan. Quick and thorough as for one pattern; a thorough one
// takes some milliseconds for each register. lanes/permute_all.h has the same for constant expressions, in pieces.
constexpr SetPlan plan_all(const PatternSet& set, Isa isa, Cpu cpu, Effort effort = Effort::quick) {
  SetPlan best;
  best.found = false;
  const detail::Goals goals(set, isa);
  if (!goals.fit)
    return best;
  float limit = detail::least_score(isa, cpu, goals);
  if (detail::plans_each(goals, effort))
    best = detail::plan_each(isa, cpu, goals, effort, limit);
  if (detail::worth_networks(cpu, goals, best))
    detail::take_cheaper(cpu, detail::plan_network(isa, cpu, goals, effort), best, limit);
  best.registers = detail::registers(set, isa), best.results = set.results;
  return best;
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
