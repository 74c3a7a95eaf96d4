// Owns plans of several results at once: networks of exchanges, in which what several results need is moved once.
//
//   constexpr SetPlan p = plan_all(make_pattern_set(4, 8, 8, 8, 8, [](int r, int i) { return i * 8 + r; }),
//                                  Isa::avx2, Cpu::icelake);           transposes 8 x 8 dwords: 24 steps, not 80
//
// A stage of a network exchanges registers that are so far apart, in all pairs alike, and is of use when each result
// then is in half as many registers. Sequences of stages are tried on the places of elements alone; the one that is
// estimated to cost least is built, what is left for each result is planned from the registers that then hold it, and
// it is taken if it costs less than the results' own plans, of which equal steps are made once. So a set never costs
// more than its results one by one.
#pragma once
#include "lanes/plan/exchanges.h"
#include "lanes/plan/pattern_set.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// Which value has each element of the results, and where: 64 * value + place; zero; dont_care.
struct Draft {
  int results = 0, values = 0, bytes = 64, size = 1;
  int16_t at[SetPlan::max_results][64]{};

  constexpr int count() const { return bytes / size; }
  constexpr uint32_t reads(int result) const {
    uint32_t set = 0;
    for (int i = 0; i < count(); ++i)
      if (at[result][i] >= 0)
        set |= 1u << (at[result][i] >> 6);
    return set;
  }
};

struct Network {
  static constexpr int max_stages = 5;
  struct Stage {
    int8_t distance, exchange;
  };
  int stages = 0;
  Stage stage[max_stages]{};
  float estimate = 0;
  Draft left{}; // for the results' last steps
};
inline constexpr Network blank{}; // copied, it takes a constant expression less than it takes to build it

class Networks {
public:
  constexpr Networks(Isa isa, Cpu cpu, const Goal* goals, int results, int inputs, Effort effort)
      : isa_(isa), cpu_(cpu), kept_(effort == Effort::quick ? 1 : most_kept),
        work_(effort == Effort::quick ? 24000 : 20'000'000) {
    Network& start = best_[0];
    Draft& d = start.left;
    d.results = results, d.values = inputs;
    d.bytes = 16;
    for (int r = 0; r < results; ++r)
      d.bytes = std::max(d.bytes, goals[r].bytes);
    int largest = 3;
    for (int r = 0; r < results; ++r) {
      const Views v(goals[r]);
      while (!v.of[largest].ok)
        --largest;
    }
    d.size = 1 << largest;
    for (int r = 0; r < results; ++r) {
      const Views v(goals[r]);
      const Elements& x = v.of[largest];
      for (int i = 0; i < d.count(); ++i)
        d.at[r][i] = int16_t(i >= x.count ? dont_care : x.at[i] < 0 ? x.at[i] : x.input(i) * 64 + x.index(i));
    }
    start_ = start;
    for (int number = 0; number < exchange_count; ++number) {
      Form& f = form_[number];
      f.use = exchange(number, isa, d.bytes, d.size, 0, 1, f.steps);
      if (!f.use)
        continue;
      f.places.fill(f.steps, d.bytes, d.size);
      f.use = f.places.whole;
      const StepCost low = cost(cpu, f.steps.low), high = cost(cpu, f.steps.high);
      f.latency = std::max(low.latency, high.latency);
      f.busy =
          (low.occupancy / float(std::popcount(low.ports)) + high.occupancy / float(std::popcount(high.ports))) / 2;
    }
  }

  constexpr void search() { extend(start_); }
  constexpr int found() const { return found_; }
  constexpr const Network& best(int k) const { return best_[k]; } // by estimate, the cheapest first

private:
  static constexpr int most_kept = 12, most_branches = 3; // of a quick search, from each network
  // An exchange of values 0 and 1, and what a step of it costs.
  struct Form {
    bool use = false;
    float latency = 0, busy = 0;
    Exchange steps{};
    Places places{};
  };
  struct Estimate {
    float latency = 0, busy = 0;
    bool easy = true; // of one instruction at most
    constexpr void add(const StepCost& c) {
      latency = std::max(latency, c.latency);
      busy += c.occupancy / float(std::popcount(c.ports)) + 0.0625f;
    }
  };

  // The last steps of a result.
  constexpr void last(const Draft& d, int result, Estimate& sum) {
    work_ -= d.count();
    const uint32_t set = d.reads(result);
    const int n = d.bytes, e = d.size, count = d.count();
    if (!set)
      return;
    const int8_t a = int8_t(std::countr_zero(set)), b = int8_t(31 - std::countl_zero(set));
    bool stays = true, in_lanes = true;
    for (int i = 0; i < count; ++i)
      if (const int at = d.at[result][i]; at != dont_care)
        stays &= at >= 0 && (at & 63) == i, in_lanes &= at < 0 || (at & 63) * e / 16 == i * e / 16;
    const bool by_index = isa_ >= Isa::avx512 && (e > 1 || isa_ >= Isa::avx512_vbmi);
    if (a == b) {
      if (stays)
        return;
      if (in_lanes)
        return sum.add(cost(cpu_, {.op = Op::shuffle_bytes, .bytes = uint8_t(n), .element = 1}));
      if (by_index || (n == 32 && e >= 4))
        return sum.add(cost(cpu_, {.op = e == 8 ? Op::permute_imm : Op::permute,
                                   .bytes = uint8_t(n),
                                   .element = uint8_t(std::max(e, by_index ? 1 : 4))}));
    } else if (std::popcount(set) == 2) {
      work_ -= 100; // comparisons with the first element, mostly
      for (const Form& form : form_)
        for (const bool turned : {false, true})
          for (const Step* step : {&form.steps.low, &form.steps.high})
            if (form.use && gives(d, result, *step, turned ? b : a, turned ? a : b))
              return sum.add(cost(cpu_, *step));
      if (by_index)
        return sum.add(cost(cpu_, {.op = Op::permute_two, .bytes = uint8_t(n), .element = uint8_t(e)}));
    }
    // Some more than one for each register after the first.
    const float more = float(std::popcount(set));
    sum.easy = false, sum.busy += 1.5f * more, sum.latency = std::max(sum.latency, 2 * more);
  }
  static constexpr bool gives(const Draft& d, int result, const Step& s, int8_t a, int8_t b) {
    for (int i = 0; i < d.count(); ++i)
      for (const int c : {0, d.size - 1}) {
        const int at = d.at[result][i];
        if (at < 0)
          continue;
        const From f = unmasked_source(s, i * d.size + c);
        if (f.operand < 0 || (f.operand ? b : a) != at >> 6 || f.byte != (at & 63) * d.size + c)
          return false;
      }
    return true;
  }

  static constexpr int most_read(const Draft& d) {
    int most = 0;
    for (int r = 0; r < d.results; ++r)
      most = std::max(most, std::popcount(d.reads(r)));
    return most;
  }
  constexpr void extend(const Network& so_far) {
    const Draft& d = so_far.left;
    const int most = most_read(d), limit = most > 2 ? (most + 1) / 2 : 2;
    if (so_far.stages == Network::max_stages || most == 0)
      return;
    for (int distance = 1; distance < d.values; distance *= 2) {
      int gone_on = 0;
      for (int number = 0; number < exchange_count; ++number) {
        const Form& form = form_[number];
        if (!form.use || work_ < 0)
          continue;
        if (!halves(d, distance, form.places, limit))
          continue;
        Network next = blank;
        exchange_all(d, distance, form.places, next.left);
        work_ -= 3 * d.results * d.count();
        next.stages = so_far.stages + 1;
        for (int k = 0; k < so_far.stages; ++k)
          next.stage[k] = so_far.stage[k];
        next.stage[so_far.stages] = {int8_t(distance), int8_t(number)};
        // A step for each register that is read afterwards.
        uint32_t read = 0;
        for (int r = 0; r < d.results; ++r)
          read |= next.left.reads(r);
        next.estimate = so_far.estimate + form.latency + 2 * (form.busy + 0.0625f) * float(std::popcount(read));
        if (found_ == kept_ && next.estimate >= best_[found_ - 1].estimate)
          continue;
        gone_on += consider(next, most > 2);
        if (gone_on == most_branches && kept_ == 1)
          break;
      }
      // What registers near each other give is enough for a quick search.
      if (gone_on && kept_ == 1)
        return;
    }
  }
  // Keeps it, and what follows from it. One that had more than two registers for a result goes on in any case.
  constexpr bool consider(Network& n, bool halved) {
    if (most_read(n.left) > 2) {
      extend(n);
      return true;
    }
    Estimate sum;
    for (int r = 0; r < n.left.results; ++r)
      last(n.left, r, sum);
    if (!sum.easy) {
      if (halved)
        extend(n);
      else
        return false;
    }
    n.estimate += sum.latency + 2 * sum.busy;
    int at = found_ < kept_ ? found_ : kept_;
    while (at > 0 && best_[at - 1].estimate > n.estimate)
      --at;
    if (at == kept_)
      return true;
    found_ = std::min(found_ + 1, kept_);
    for (int k = found_ - 1; k > at; --k)
      best_[k] = best_[k - 1];
    best_[at] = n;
    return true;
  }
  // Where an element is after all pairs of values so far apart were exchanged; no_value: it is not left.
  static constexpr int moved(const Draft& d, int at, int distance, const Places& places) {
    const int value = at >> 6;
    if (at < 0 || (value ^ distance) >= d.values)
      return at;
    const int side = (value & distance) != 0, high = places.value[side][at & 63];
    return high == no_value ? int(no_value)
                            : ((value & ~distance) | (high ? distance : 0)) * 64 + places.at[side][at & 63];
  }
  // Whether no result is in more than so many values afterwards.
  constexpr bool halves(const Draft& d, int distance, const Places& places, int limit) {
    const int count = d.count();
    for (int r = 0; r < d.results; ++r) {
      uint32_t set = 0;
      for (int i = 0; i < count; ++i) {
        --work_;
        if (d.at[r][i] < 0)
          continue;
        const int at = moved(d, d.at[r][i], distance, places);
        if (at < 0)
          return false;
        set |= 1u << (at >> 6);
        if (std::popcount(set) > limit)
          return false;
      }
    }
    return true;
  }
  static constexpr void exchange_all(const Draft& d, int distance, const Places& places, Draft& to) {
    to.results = d.results, to.values = d.values, to.bytes = d.bytes, to.size = d.size;
    const int count = d.count();
    for (int r = 0; r < d.results; ++r)
      for (int i = 0; i < count; ++i)
        to.at[r][i] = int16_t(moved(d, d.at[r][i], distance, places));
  }

  Isa isa_;
  Cpu cpu_;
  int kept_, work_; // elements that may still be looked at
  int found_ = 0;
  Form form_[exchange_count]{};
  Network start_{}, best_[most_kept]{};
};

// What makes result r of the values that the stages gave.
constexpr int8_t append_last(Isa isa, Cpu cpu, Goal g, Plan& p, const Draft& d, int r, const int8_t* value) {
  const uint32_t set = d.reads(r);
  int8_t of[Plan::max_inputs]{}, number[Plan::max_inputs]{}, inputs = 0;
  for (int8_t v = 0; v < d.values; ++v)
    if (set >> v & 1)
      number[v] = inputs, of[inputs++] = value[v];
  for (int i = 0; i < g.wide; ++i)
    if (g.want[i] >= 0) {
      const int at = d.at[r][i / d.size];
      g.want[i] = name_of(number[at >> 6], (at & 63) * d.size + i % d.size);
    }
  g.settle();
  Search s(isa, cpu, g, inputs, d.bytes);
  Plan part = no_steps;
  part.found = false;
  if (inputs == 1 || inputs == 2)
    part = one_step(s, g, 1e9f);
  if (!part.found)
    part = solve(isa, cpu, g, inputs, d.bytes, Effort::quick);
  return part.found ? append_once(p, part, of) : no_value;
}

// The network, and the last steps of each result; found is false if it does not fit.
constexpr SetPlan build(Isa isa, Cpu cpu, const Goal* goals, const Network& network) {
  SetPlan out;
  const Draft& d = network.left;
  out.shared = true;
  out.steps.inputs = int8_t(d.values);
  out.steps.kind = Class::several;
  uint32_t needed[Network::max_stages + 1]{};
  for (int r = 0; r < d.results; ++r)
    needed[network.stages] |= d.reads(r);
  for (int k = network.stages - 1; k >= 0; --k)
    for (int v = 0; v < d.values; ++v) {
      const int other = v ^ network.stage[k].distance;
      const uint32_t pair = 1u << v | (other < d.values ? 1u << other : 0u);
      if (needed[k + 1] & pair)
        needed[k] |= pair;
    }
  int8_t value[Plan::max_inputs]{};
  for (int v = 0; v < d.values; ++v)
    value[v] = int8_t(v);
  for (int k = 0; k < network.stages; ++k)
    for (int v = 0; v < d.values; ++v) {
      const int other = v | network.stage[k].distance;
      if (other == v || other >= d.values)
        continue;
      Exchange x;
      exchange(network.stage[k].exchange, isa, d.bytes, d.size, value[v], value[other], x);
      const int8_t low = needed[k + 1] >> v & 1 ? add_once(out.steps, x.low) : value[v],
                   high = needed[k + 1] >> other & 1 ? add_once(out.steps, x.high) : value[other];
      if (low == no_value || high == no_value)
        return out.found = false, out;
      value[v] = low, value[other] = high;
    }
  for (int r = 0; r < d.results && out.found; ++r) {
    out.value[size_t(r)] = append_last(isa, cpu, goals[r], out.steps, d, r, value);
    out.found = out.value[size_t(r)] != no_value;
  }
  return out;
}

// The goals' own plans, of which equal steps are made once. `score` is no more than what the plans cost one beside the
// other.
constexpr SetPlan join_plans(Cpu cpu, const Plan* const* own, int results, int inputs, float& score) {
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
    beside.add(*own[r]);
    if (fits)
      all.value[size_t(r)] = append_once(all.steps, *own[r], values), fits = all.value[size_t(r)] != no_value;
  }
  score = beside.cost().score();
  if (fits)
    score = std::min(score, cost(cpu, all).score());
  all.found = fits;
  return all;
}

// What is planned: a goal for each register of all results.
struct Goals {
  int count = 0, inputs = 0, input_bytes = 64;
  int most = 0; // registers that one reads
  bool fit = false;
  Goal goal[SetPlan::max_results];
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
  return float(longest) * blend.latency +
         float(joins) * (2 * blend.occupancy / float(std::popcount(blend.ports)) + 0.125f);
}

// Where each result is one step, nothing is to be had.
constexpr bool worth_networks(const Goals& goals, const SetPlan& each) {
  return goals.count > 1 && goals.most > 0 && !(each.found && each.steps.count <= goals.count);
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

// All registers of all results. A set with a fault() has no plan. Quick and thorough as for one pattern; a thorough one
// takes some milliseconds for each register.
constexpr SetPlan plan_all(const PatternSet& set, Isa isa, Cpu cpu, Effort effort = Effort::quick) {
  SetPlan best;
  best.found = false;
  const detail::Goals goals(set, isa);
  if (!goals.fit)
    return best;
  float limit = detail::least_score(isa, cpu, goals);
  if (detail::plans_each(goals, effort)) {
    Plan own[SetPlan::max_results];
    const Plan* each[SetPlan::max_results]{};
    for (int r = 0; r < goals.count; ++r) {
      own[r] = effort == Effort::quick
                   ? detail::solve(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes, effort)
                   : detail::solve_thoroughly(isa, cpu, goals.goal[r], goals.inputs, goals.input_bytes);
      each[r] = &own[r];
    }
    best = detail::join_plans(cpu, each, goals.count, goals.inputs, limit);
  }
  if (detail::worth_networks(goals, best)) {
    detail::Networks networks(isa, cpu, goals.goal, goals.count, goals.inputs, effort);
    networks.search();
    for (int k = 0; k < networks.found(); ++k)
      detail::take_cheaper(cpu, detail::build(isa, cpu, goals.goal, networks.best(k)), best, limit);
  }
  best.registers = detail::registers(set, isa), best.results = set.results;
  return best;
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
