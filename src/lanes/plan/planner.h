// Owns the planner: the cheapest sequence of host instructions that gives a pattern, for an instruction set and a CPU.
//
//   constexpr PatternPlan p = plan(make_pattern(4, 16, 1, 16, [](int i) { return i ^ 1; }), Isa::avx512, Cpu::icelake);
//
// Each register of the result is planned alone, from the registers that it reads: first the ways of one instruction,
// then, while they could still be beaten, those of several (lanes/plan/several.h). All of it is constexpr, and works on
// any machine.
#pragma once
#include "lanes/plan/several.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

// Input k of a part is register k of the first source, then of the second: `source_registers` of `source_bytes` each.
struct PatternPlan {
  static constexpr int max_registers = Pattern::max_bytes / 32;
  int registers = 0, register_bytes = 64;
  int source_registers = 1, source_bytes = 64;
  std::array<Plan, max_registers> part{};
};

namespace detail {
constexpr int source_registers(const Pattern& p, Isa isa) {
  return (p.source_bytes() + widest_register(isa) - 1) / widest_register(isa);
}
constexpr int registers(const Pattern& p, Isa isa) {
  return (p.bytes() + widest_register(isa) - 1) / widest_register(isa);
}

constexpr Goal goal_of(const Pattern& p, int part, Isa isa) {
  const int width = widest_register(isa), per_source = source_registers(p, isa), e = p.element_bytes;
  Goal g = nothing_wanted;
  g.wide = std::min(width, p.bytes());
  const int first = part * width / e;
  for (int x = 0; x < g.wide / e; ++x) {
    const int from = p.from[size_t(first + x)], second = from >= p.source_elements;
    if (from == dont_care)
      continue;
    const int byte = (from - second * p.source_elements) * e,
              name = from < 0 ? zero : name_of(second * per_source + byte / width, byte % width);
    for (int c = 0; c < e; ++c)
      g.want[x * e + c] = Name(from < 0 ? name : name + c);
  }
  g.settle();
  return g;
}
} // namespace detail

namespace detail {
// The two inputs' names exchanged.
constexpr Goal exchanged(Goal g, int8_t a, int8_t b) {
  for (Name& n : g.want)
    if (n >= 0)
      n = name_of(n / 64 == a ? b : a, n % 64);
  return g;
}
constexpr Plan exchanged(Plan p, int8_t a, int8_t b) {
  const auto other = [&](int8_t v) { return v == a ? b : v == b ? a : v; };
  for (int i = 0; i < p.count; ++i)
    p.steps[i].a = other(p.steps[i].a), p.steps[i].b = other(p.steps[i].b), p.steps[i].merge = other(p.steps[i].merge);
  p.result = other(p.result);
  return p;
}

// What nobody cares for, chosen so that it may fit: as it lies in the first source, in the second; zero; moved as far
// as the byte before.
enum class Filling : uint8_t { first, second, zeros, onward };
constexpr Goal filled(Goal g, Filling how, int8_t a, int8_t b, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    Name& n = g.want[i];
    if (n != dont_care)
      continue;
    if (how == Filling::zeros)
      n = zero;
    else if (how == Filling::first || how == Filling::second)
      n = name_of(how == Filling::first ? a : b, i);
    else if (i && g.want[i - 1] >= 0 && g.want[i - 1] % 64 + 1 < bytes)
      n = Name(g.want[i - 1] + 1);
  }
  g.wide = std::max(g.wide, bytes);
  g.settle();
  return g;
}

constexpr Plan solve_thoroughly(Isa isa, Cpu cpu, const Goal& goal, int inputs, int input_bytes) {
  Plan best = solve(isa, cpu, goal, inputs, input_bytes, Effort::thorough);
  const uint32_t set = goal.inputs;
  if (best.count < 2 && best.found && cost(cpu, best).score() <= 3)
    return best;
  const auto consider = [&](const Plan& p) {
    if (p.found && (!best.found || cost(cpu, p).score() < cost(cpu, best).score()))
      best = p;
  };
  if (set == 0 || std::popcount(set) > 2)
    return best;
  const int8_t a = int8_t(std::countr_zero(set)), b = int8_t(31 - std::countl_zero(set));
  if (a != b)
    consider(exchanged(solve(isa, cpu, exchanged(goal, a, b), inputs, input_bytes, Effort::thorough), a, b));
  for (const Filling how : {Filling::first, Filling::second, Filling::zeros, Filling::onward}) {
    const Goal g = filled(goal, how, a, b, std::min(goal.bytes, input_bytes));
    if (g == goal || (a == b && how == Filling::second))
      continue;
    consider(solve(isa, cpu, g, inputs, input_bytes, Effort::quick));
    if (a != b)
      consider(exchanged(solve(isa, cpu, exchanged(g, a, b), inputs, input_bytes, Effort::quick), a, b));
  }
  return best;
}
} // namespace detail

// Of one register of the result. A pattern with a fault() has no plan. At run time a quick search takes some 15
// microseconds, a thorough one some 3 milliseconds, and either a thousand times that in a constant expression.
constexpr Plan plan_register(const Pattern& p, int part, Isa isa, Cpu cpu, Effort effort = Effort::quick) {
  const Goal goal = detail::goal_of(p, part, isa);
  const int inputs = p.sources * detail::source_registers(p, isa),
            bytes = std::min(p.source_bytes(), widest_register(isa));
  return effort == Effort::quick ? detail::solve(isa, cpu, goal, inputs, bytes, effort)
                                 : detail::solve_thoroughly(isa, cpu, goal, inputs, bytes);
}

constexpr PatternPlan plan(const Pattern& p, Isa isa, Cpu cpu, Effort effort = Effort::quick) {
  PatternPlan all{detail::registers(p, isa),
                  widest_register(isa),
                  detail::source_registers(p, isa),
                  std::min(p.source_bytes(), widest_register(isa)),
                  {}};
  for (int r = 0; r < all.registers; ++r)
    all.part[r] = plan_register(p, r, isa, cpu, effort);
  return all;
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
