// Owns Plan: the steps that make one register of a result, their cost, and their execution on scalars.
#pragma once
#include "lanes/plan/cost.h"
#include "lanes/plan/pattern.h"
#include <algorithm>
#include <bit>
#include <string_view>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// What a pattern was recognised as: the name of its way, for reports and for the choice of lowering.
enum class Class : uint8_t {
  identity,
  zeros,
  broadcast,
  duplicate,
  in_lane_imm,
  in_lane_bytes,
  shift_in_element,
  rotate_in_element,
  shift_in_lane,
  lanes,
  extract,
  insert,
  stride,
  extend,
  permute_imm,
  permute,
  compress,
  expand,
  align_lane,
  align_register,
  align_element,
  unpack,
  pack,
  shuffle_two,
  blend,
  merge,
  permute_two,
  several,
};
inline constexpr std::string_view class_names[] = {
    "identity",
    "zeros",
    "broadcast",
    "duplicate",
    "in-lane immediate",
    "in-lane bytes",
    "shift in element",
    "rotate in element",
    "shift in lane",
    "128-bit lanes",
    "extract",
    "insert",
    "stride by truncation",
    "extension",
    "cross-lane immediate",
    "cross-lane",
    "compress",
    "expand",
    "align per lane",
    "align per register",
    "align per element",
    "unpack",
    "pack",
    "in-lane two sources",
    "blend",
    "permute into another",
    "cross-lane two sources",
    "several steps",
};
inline constexpr int class_count = int(Class::several) + 1;

// Steps name values: 0 to inputs-1 are the inputs (registers of the first source, then of the second), then the steps.
struct Plan {
  static constexpr int max_inputs = 16, max_steps = 40;
  bool found = true; // false: there is none within max_steps
  int8_t inputs = 0;
  int8_t count = 0;
  int8_t result = 0; // the value that is the result
  Class kind = Class::identity;
  std::array<Step, max_steps> steps{};

  constexpr int8_t add(const Step& s) {
    steps[count] = s;
    return result = int8_t(inputs + count++);
  }
  // The steps of a plan with the same inputs, after one's own; the result is its result.
  constexpr int8_t append(const Plan& p) {
    const auto moved = [&](int8_t v) { return v < inputs ? v : int8_t(v + count); };
    for (int i = 0; i < p.count; ++i) {
      Step s = p.steps[i];
      s.a = moved(s.a), s.b = moved(s.b), s.merge = moved(s.merge);
      steps[count + i] = s;
    }
    result = moved(p.result);
    count = int8_t(count + p.count);
    return result;
  }
};

// Cycles on a CPU: `latency` is the longest chain; `throughput` the busiest set of ports when the plan is repeated;
// then the registers that must hold an index or a constant, and those that must hold a mask.
struct PlanCost {
  float latency = 0, throughput = 0;
  int instructions = 0, constants = 0, masks = 0;
  // What the planner minimises. A chain counts as much as its throughput; constants and masks are mostly loaded once,
  // outside of the loop, so they break ties, and they are what an immediate saves.
  constexpr float score() const {
    return latency + 2 * throughput + 0.25f * float(constants) + 0.25f * float(masks) + 0.125f * float(instructions);
  }
};

constexpr bool needs_constant(const Step& s) {
  using enum Op;
  return s.op == shuffle_bytes || s.op == permute || s.op == permute_two || s.op == blend_bytes || s.op == keep;
}
constexpr bool needs_mask(const Step& s) {
  using enum Op;
  return s.masked || s.op == blend_mask || s.op == compress || s.op == expand;
}

constexpr PlanCost cost(Cpu cpu, const Plan& p) {
  PlanCost c;
  std::array<float, Plan::max_steps> ready{};
  std::array<StepCost, Plan::max_steps> each{};
  uint8_t all = 0;
  const auto when = [&](int value) { return value < p.inputs ? 0.0f : ready[value - p.inputs]; };
  for (int i = 0; i < p.count; ++i) {
    const Step& s = p.steps[i];
    each[i] = cost(cpu, s);
    all |= each[i].ports;
    ready[i] = each[i].latency + std::max({when(s.a), when(s.b), when(s.merge)});
    c.latency = std::max(c.latency, ready[i]);
    c.instructions += s.op != Op::zero;
    bool held = !needs_constant(s); // a constant that another step has too is loaded once
    for (int k = 0; k < i && !held; ++k)
      held = needs_constant(p.steps[k]) && p.steps[k].index == s.index;
    c.constants += !held;
    c.masks += needs_mask(s);
  }
  // The least time in which the ports can do it: for every set of ports, what only they can do, shared among them.
  for (int set = 1; set <= all; ++set) {
    if (set & ~all)
      continue;
    float work = 0, ports = 0;
    for (int i = 0; i < p.count; ++i)
      if (!(each[i].ports & ~set))
        work += each[i].occupancy;
    for (int bit = set; bit; bit &= bit - 1)
      ++ports;
    c.throughput = std::max(c.throughput, work / ports);
  }
  return c;
}

// The score of a plan of this step alone.
constexpr float score(Cpu cpu, const Step& s) {
  const StepCost c = cost(cpu, s);
  const float ports = float(std::popcount(c.ports));
  return PlanCost{c.latency, c.occupancy / ports, s.op != Op::zero, needs_constant(s), needs_mask(s)}.score();
}

// Runs the plan on `values`: the inputs, and room for the steps after them.
using Values = std::array<Bytes, Plan::max_inputs + Plan::max_steps>;
constexpr const Bytes& execute(const Plan& p, Values& values) {
  const Bytes none{};
  const auto value = [&](int8_t v) -> const Bytes& { return v == no_value ? none : values[v]; };
  for (int i = 0; i < p.count; ++i) {
    const Step& s = p.steps[i];
    values[p.inputs + i] = execute(s, value(s.a), value(s.b), value(s.merge));
  }
  return values[p.result];
}

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
