// Owns Plan: the steps that make one register of a result, their cost, and their execution on scalars.
#pragma once
#include "lanes/algobase.h"
#include "lanes/plan/cost.h"
#include "lanes/plan/pattern.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

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
inline constexpr const char* class_names[] = {
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
  Step steps[max_steps]{};

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

// Copied, it takes a constant expression a tenth of the time that building the steps anew takes.
inline constexpr Plan no_steps{};

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

inline constexpr uint64_t ops_with_constant =
                              bits_of({Op::shuffle_bytes, Op::permute, Op::permute_two, Op::blend_bytes, Op::keep}),
                          ops_with_mask = bits_of({Op::blend_mask, Op::compress, Op::expand});
constexpr bool needs_constant(const Step& s) { return ops_with_constant >> int(s.op) & 1; }
constexpr bool same_index(const Step& x, const Step& y) {
  for (int i = 0; i < 64; ++i)
    if (x.index[i] != y.index[i])
      return false;
  return true;
}
constexpr bool needs_mask(const Step& s) { return s.masked || (ops_with_mask >> int(s.op) & 1); }

constexpr PlanCost cost(Cpu cpu, const Plan& p) {
  PlanCost c;
  float ready[Plan::max_steps]{}, work[16]{}; // of each set of ports, what only they can do
  unsigned sets[16]{};
  int different = 0;
  for (int i = 0; i < p.count; ++i) {
    const Step& s = p.steps[i];
    const StepCost its = cost(cpu, s);
    float start = 0;
    if (s.a >= p.inputs)
      start = ready[s.a - p.inputs];
    if (s.b >= p.inputs && ready[s.b - p.inputs] > start)
      start = ready[s.b - p.inputs];
    if (s.merge >= p.inputs && ready[s.merge - p.inputs] > start)
      start = ready[s.merge - p.inputs];
    ready[i] = start + its.latency;
    if (ready[i] > c.latency)
      c.latency = ready[i];
    int set = 0;
    while (set < different && sets[set] != its.ports)
      ++set;
    if (set == different)
      sets[different++] = its.ports;
    work[set] += its.occupancy;
    c.instructions += s.op != Op::zero;
    bool held = !needs_constant(s); // a constant that another step has too is loaded once
    for (int k = 0; k < i && !held; ++k)
      held = needs_constant(p.steps[k]) && same_index(p.steps[k], s);
    c.constants += !held;
    c.masks += needs_mask(s);
  }
  // The least time in which the ports can do it: for every union of such sets, their work shared among its ports.
  for (int choice = 1; choice < 1 << different; ++choice) {
    unsigned all = 0;
    for (int set = 0; set < different; ++set)
      if (choice >> set & 1)
        all |= sets[set];
    float sum = 0;
    for (int set = 0; set < different; ++set)
      if (!(sets[set] & ~all))
        sum += work[set];
    if (const float time = sum / float(__builtin_popcount(all)); time > c.throughput)
      c.throughput = time;
  }
  return c;
}

// The score of a plan of this step alone.
constexpr float score(Cpu cpu, const Step& s) {
  const StepCost c = cost(cpu, s);
  const bool constant = ops_with_constant >> int(s.op) & 1, mask = s.masked || (ops_with_mask >> int(s.op) & 1);
  return c.latency + 2 * (c.occupancy / float(__builtin_popcount(c.ports))) + (constant ? 0.25f : 0) +
         (mask ? 0.25f : 0) + (s.op != Op::zero ? 0.125f : 0);
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

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
