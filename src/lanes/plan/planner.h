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
  Goal g;
  for (int i = 0; i < 64; ++i) {
    const int at = part * width + i;
    g.want[i] = {Name::anything};
    if (i >= width || at >= p.bytes())
      continue;
    const int from = p.from[at / e];
    if (from == zero)
      g.want[i] = Name{0};
    if (from < 0)
      continue;
    const int byte = from % p.source_elements * e + at % e;
    g.want[i] = Name::of(from / p.source_elements * per_source + byte / width, byte % width);
  }
  return g.narrowed();
}
} // namespace detail

// Of one register of the result. A pattern with a fault() has no plan.
constexpr Plan plan_register(const Pattern& p, int part, Isa isa, Cpu cpu) {
  return detail::solve(isa, cpu, detail::goal_of(p, part, isa), p.sources * detail::source_registers(p, isa),
                       std::min(p.source_bytes(), widest_register(isa)));
}

constexpr PatternPlan plan(const Pattern& p, Isa isa, Cpu cpu) {
  PatternPlan all{detail::registers(p, isa),
                  widest_register(isa),
                  detail::source_registers(p, isa),
                  std::min(p.source_bytes(), widest_register(isa)),
                  {}};
  for (int r = 0; r < all.registers; ++r)
    all.part[r] = plan_register(p, r, isa, cpu);
  return all;
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
