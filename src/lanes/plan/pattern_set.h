// Owns PatternSet: several results of one set of sources, and SetPlan: the steps that make them all.
#pragma once
#include "lanes/plan/planner.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// `results` vectors of `elements` of `element_bytes` each, from `sources` vectors of `source_elements` each: at most
// 1024 bytes of either. from[r * elements + i] is element i of result r, counted through all sources laid end to end;
// dont_care; or zero.
struct PatternSet {
  static constexpr int max_bytes = 1024;
  int element_bytes = 4;
  int results = 1, elements = 0;
  int sources = 1, source_elements = 0;
  std::array<int16_t, max_bytes> from{};

  constexpr int bytes() const { return elements * element_bytes; } // of one result
  constexpr int source_bytes() const { return source_elements * element_bytes; }
  constexpr int16_t at(int result, int i) const { return from[size_t(result * elements + i)]; }
  // What is wrong with it, or nullptr.
  constexpr const char* fault() const {
    const auto power_of_two = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
    if (!power_of_two(element_bytes) || element_bytes > 8)
      return "an element has 1, 2, 4 or 8 bytes";
    if (!power_of_two(elements) || !power_of_two(source_elements))
      return "sources and results have a power of two of elements";
    if (results < 1 || sources < 1 || results * bytes() > max_bytes || sources * source_bytes() > max_bytes)
      return "there are sources and results of at least 1 and at most 1024 bytes";
    for (int i = 0; i < results * elements; ++i)
      if (from[size_t(i)] < zero || from[size_t(i)] >= sources * source_elements)
        return "an element is not of the sources";
    return nullptr;
  }
};

// The patterns that fn(r, i) answers.
template <class F>
constexpr PatternSet make_pattern_set(int element_bytes, int results, int elements, int sources, int source_elements,
                                      F fn) {
  PatternSet s{element_bytes, results, elements, sources, source_elements, {}};
  for (int r = 0; r < results; ++r)
    for (int i = 0; i < elements && r * elements + i < PatternSet::max_bytes; ++i)
      s.from[size_t(r * elements + i)] = int16_t(fn(r, i));
  return s;
}

namespace planner {

// Input k is register k of all sources, in their order; value[r * registers + k] is register k of result r. The result
// of `steps` itself means nothing.
struct SetPlan {
  static constexpr int max_results = 16;
  bool found = true;   // false: there is none with at most 16 registers of sources and of results, or of so many steps
  bool shared = false; // it is not what the results' own plans are together
  int registers = 1, results = 1;
  int wide = 0; // registers of results that have 64 bytes
  Plan steps = no_steps;
  std::array<int8_t, max_results> value{};
};

// What is asked for together is mostly made in a loop and stored, and its rounds run beside each other: so a chain
// counts a quarter of what it does for one result, and nothing is faster than the stores.
struct SetCost : PlanCost {
  float stores = 0; // cycles, where it is known that steps hold them up
  constexpr float score() const {
    return latency / 4 + 2 * std::max(throughput, stores) + 0.25f * float(constants) + 0.25f * float(masks) +
           0.125f * float(instructions);
  }
};
// Zen 5 stores a register of 64 bytes by two halves of a path, of which a permute of two registers takes one
// (lanes/fields_unpacked.h).
constexpr float hold_up(Cpu cpu, const Step& s) {
  return cpu == Cpu::zen5 && s.op == Op::permute_two && s.bytes == 64 ? 0.5f : 0;
}
constexpr float stores(Cpu cpu, int wide) { return cpu == Cpu::zen5 ? float(wide) : 0; }
constexpr SetCost cost(Cpu cpu, const SetPlan& p) {
  SetCost c{cost(cpu, p.steps), stores(cpu, p.wide)};
  for (int i = 0; i < p.steps.count && p.wide; ++i)
    c.stores += hold_up(cpu, p.steps.steps[i]);
  return c;
}

namespace detail {

constexpr int source_registers(const PatternSet& s, Isa isa) {
  return (s.source_bytes() + widest_register(isa) - 1) / widest_register(isa);
}
constexpr int registers(const PatternSet& s, Isa isa) {
  return (s.bytes() + widest_register(isa) - 1) / widest_register(isa);
}
// Registers of all sources, and of all results.
constexpr int set_inputs(const PatternSet& s, Isa isa) { return s.sources * source_registers(s, isa); }
constexpr int set_results(const PatternSet& s, Isa isa) { return s.results * registers(s, isa); }

// Whether anybody cares for any of it; whether a store of it is one of 64 bytes.
constexpr bool wanted(const Goal& g) { return g.first < 64; }
constexpr bool wide(const Goal& g) { return g.wide == 64 && wanted(g); }

// Of register `number` of all results.
constexpr Goal goal_of(const PatternSet& s, int number, Isa isa) {
  const int width = widest_register(isa), per_source = source_registers(s, isa), per_result = registers(s, isa),
            e = s.element_bytes;
  Goal g = nothing_wanted;
  g.wide = std::min(width, s.bytes());
  const int first = number % per_result * width / e;
  for (int x = 0; x < g.wide / e; ++x) {
    const int from = s.at(number / per_result, first + x);
    if (from == dont_care)
      continue;
    const int byte = from < 0 ? 0 : from % s.source_elements * e;
    const Name name =
        from < 0 ? Name(zero) : name_of(from / s.source_elements * per_source + byte / width, byte % width);
    for (int c = 0; c < e; ++c)
      g.want[x * e + c] = Name(from < 0 ? name : name + c);
  }
  g.settle();
  return g;
}

constexpr bool same_step(const Step& x, const Step& y) {
  return x.op == y.op && x.a == y.a && x.b == y.b && x.imm == y.imm && x.bytes == y.bytes && x.element == y.element &&
         x.masked == y.masked && x.merge == y.merge && x.mask == y.mask && (!needs_constant(x) || same_index(x, y));
}
// The step's value: of an earlier one, if that is the same. no_value where the plan is full.
constexpr int8_t add_once(Plan& p, const Step& s) {
  for (int i = 0; i < p.count; ++i)
    if (same_step(p.steps[i], s))
      return int8_t(p.inputs + i);
  if (p.count == Plan::max_steps)
    return no_value;
  return p.add(s);
}
// The steps of a part, whose input i is value of[i] of the plan; its result.
constexpr int8_t append_once(Plan& p, const Plan& part, const int8_t* of) {
  int8_t values[Plan::max_inputs + Plan::max_steps]{};
  for (int i = 0; i < part.inputs; ++i)
    values[i] = of[i];
  const auto moved = [&](int8_t v) { return v == no_value ? no_value : values[v]; };
  for (int i = 0; i < part.count; ++i) {
    Step s = part.steps[i];
    s.a = moved(s.a), s.b = moved(s.b), s.merge = moved(s.merge);
    values[part.inputs + i] = add_once(p, s);
    if (values[part.inputs + i] == no_value)
      return no_value;
  }
  return moved(part.result);
}

} // namespace detail

// What plans cost that are made one beside the other and share nothing: the longest chain, and the work of all. They
// are added one by one; `wide`: whether the result has 64 bytes.
class SideBySide {
public:
  constexpr explicit SideBySide(Cpu cpu) : cpu_(cpu) {}
  constexpr void add(const Plan& p, bool wide) {
    const PlanCost one = planner::cost(cpu_, p);
    sum_.latency = std::max(sum_.latency, one.latency);
    sum_.instructions += one.instructions, sum_.constants += one.constants, sum_.masks += one.masks;
    for (int i = 0; i < p.count; ++i) {
      const StepCost its = planner::cost(cpu_, p.steps[i]);
      work_[its.ports] += its.occupancy;
      sum_.stores += wide ? hold_up(cpu_, p.steps[i]) : 0;
    }
    sum_.stores += stores(cpu_, int(wide));
  }
  constexpr SetCost cost() const {
    SetCost c = sum_;
    for (unsigned all = 1; all < 16; ++all) {
      float busy = 0;
      for (unsigned ports = 1; ports < 16; ++ports)
        busy += ports & ~all ? 0 : work_[ports];
      c.throughput = std::max(c.throughput, busy / float(std::popcount(all)));
    }
    return c;
  }

private:
  Cpu cpu_;
  SetCost sum_{};
  float work_[16]{}; // by the set of ports
};

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
