// Owns plans of several results at once: networks of exchanges, in which what several results need is moved once.
//
//   constexpr SetPlan p = plan_all(make_pattern_set(4, 8, 8, 8, 8, [](int r, int i) { return i * 8 + r; }),
//                                  Isa::avx2, Cpu::icelake);           transposes 8 x 8 dwords: 24 steps, not 56
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

class Networks {
public:
  constexpr Networks(Isa isa, Cpu cpu, const Goal* goals, int results, int inputs, Effort effort)
      : isa_(isa), cpu_(cpu), goals_(goals), kept_(effort == Effort::quick ? 1 : most_kept) {
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
        d.at[r][i] = int16_t(i >= x.count    ? dont_care
                             : x.at[i] < 0 ? x.at[i]
                                           : x.input(i) * 64 + x.index(i));
    }
    start_ = start;
  }

  constexpr void search() { extend(start_); }
  // The cheapest of those kept, which costs less than `limit`; found is false if there is none.
  constexpr SetPlan cheapest(float limit) const {
    SetPlan best;
    best.found = false;
    for (int k = 0; k < found_; ++k) {
      const SetPlan p = build(best_[k]);
      if (!p.found)
        continue;
      if (const float its = cost(cpu_, p).score(); its < limit)
        limit = its, best = p;
    }
    return best;
  }

private:
  static constexpr int most_kept = 12;
  struct Estimate {
    float latency = 0, busy = 0;
    bool easy = true; // of one instruction at most
    constexpr void add(const StepCost& c) {
      latency = std::max(latency, c.latency);
      busy += c.occupancy / float(std::popcount(c.ports)) + 0.0625f;
    }
  };

  // The last steps of a result.
  constexpr void last(const Draft& d, int result, Estimate& sum) const {
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
      Exchange x;
      for (int number = 0; number < exchange_count; ++number)
        for (const bool turned : {false, true})
          if (exchange(number, isa_, n, e, turned ? b : a, turned ? a : b, x)) {
            if (gives(d, result, x.low))
              return sum.add(cost(cpu_, x.low));
            if (gives(d, result, x.high))
              return sum.add(cost(cpu_, x.high));
          }
      if (by_index)
        return sum.add(cost(cpu_, {.op = Op::permute_two, .bytes = uint8_t(n), .element = uint8_t(e)}));
    }
    // Some more than one for each register after the first.
    const float more = float(std::popcount(set));
    sum.easy = false, sum.busy += 1.5f * more, sum.latency = std::max(sum.latency, 2 * more);
  }
  static constexpr bool gives(const Draft& d, int result, const Step& s) {
    for (int i = 0; i < d.count(); ++i)
      for (const int c : {0, d.size - 1}) {
        const int at = d.at[result][i];
        if (at < 0)
          continue;
        const From f = unmasked_source(s, i * d.size + c);
        if (f.operand < 0 || (f.operand ? s.b : s.a) != at >> 6 || f.byte != (at & 63) * d.size + c)
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
      bool any = false;
      for (int number = 0; number < exchange_count; ++number) {
        Exchange x;
        if (!exchange(number, isa_, d.bytes, d.size, 0, 1, x))
          continue;
        const Places places(x, d.bytes, d.size);
        Network next;
        if (!places.whole || !exchanged_all(d, distance, places, limit, next.left))
          continue;
        next.stages = so_far.stages + 1;
        for (int k = 0; k < so_far.stages; ++k)
          next.stage[k] = so_far.stage[k];
        next.stage[so_far.stages] = {int8_t(distance), int8_t(number)};
        // A step for each register that is read afterwards.
        uint32_t read = 0;
        for (int r = 0; r < d.results; ++r)
          read |= next.left.reads(r);
        const StepCost low = cost(cpu_, x.low), high = cost(cpu_, x.high);
        const float each = (low.occupancy / float(std::popcount(low.ports)) +
                            high.occupancy / float(std::popcount(high.ports)) + 0.125f) /
                           2;
        next.estimate = so_far.estimate + std::max(low.latency, high.latency) + 2 * each * float(std::popcount(read));
        if (found_ == kept_ && next.estimate >= best_[found_ - 1].estimate)
          continue;
        any |= consider(next, most > 2);
      }
      // What registers near each other give is enough for a quick search.
      if (any && kept_ == 1)
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
  // The results after all pairs of values so far apart were exchanged; false if one is in too many values then.
  static constexpr bool exchanged_all(const Draft& d, int distance, const Places& places, int limit, Draft& to) {
    to.results = d.results, to.values = d.values, to.bytes = d.bytes, to.size = d.size;
    const int count = d.count();
    for (int r = 0; r < d.results; ++r) {
      uint32_t set = 0;
      for (int i = 0; i < count; ++i) {
        const int at = d.at[r][i], value = at >> 6, place = at & 63;
        to.at[r][i] = int16_t(at);
        if (at < 0)
          continue;
        int now = value;
        if ((value ^ distance) < d.values) {
          const int side = (value & distance) != 0;
          const int8_t half = places.value[side][place];
          if (half == no_value)
            return false;
          now = (value & ~distance) | (half ? distance : 0);
          to.at[r][i] = int16_t(now * 64 + places.at[side][place]);
        }
        set |= 1u << now;
      }
      if (std::popcount(set) > limit)
        return false;
    }
    return true;
  }

  constexpr SetPlan build(const Network& network) const {
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
        exchange(network.stage[k].exchange, isa_, d.bytes, d.size, value[v], value[other], x);
        const int8_t low = needed[k + 1] >> v & 1 ? add_once(out.steps, x.low) : value[v],
                     high = needed[k + 1] >> other & 1 ? add_once(out.steps, x.high) : value[other];
        if (low == no_value || high == no_value)
          return out.found = false, out;
        value[v] = low, value[other] = high;
      }
    for (int r = 0; r < d.results && out.found; ++r) {
      out.value[size_t(r)] = append_last(out.steps, d, r, value);
      out.found = out.value[size_t(r)] != no_value;
    }
    return out;
  }
  // What makes result r of the values that the stages gave.
  constexpr int8_t append_last(Plan& p, const Draft& d, int r, const int8_t* value) const {
    const uint32_t set = d.reads(r);
    int8_t of[Plan::max_inputs]{}, number[Plan::max_inputs]{}, inputs = 0;
    for (int8_t v = 0; v < d.values; ++v)
      if (set >> v & 1)
        number[v] = inputs, of[inputs++] = value[v];
    Goal g = goals_[r];
    for (int i = 0; i < g.wide; ++i)
      if (g.want[i] >= 0) {
        const int at = d.at[r][i / d.size];
        g.want[i] = name_of(number[at >> 6], (at & 63) * d.size + i % d.size);
      }
    g.settle();
    Search s(isa_, cpu_, g, inputs, d.bytes);
    Plan part = no_steps;
    part.found = false;
    if (inputs == 1 || inputs == 2)
      part = one_step(s, g, 1e9f);
    if (!part.found)
      part = solve(isa_, cpu_, g, inputs, d.bytes, Effort::quick);
    return part.found ? append_once(p, part, of) : no_value;
  }

  Isa isa_;
  Cpu cpu_;
  const Goal* goals_;
  int kept_, found_ = 0;
  Network start_{}, best_[most_kept]{};
};

// The results' own plans, of which equal steps are made once. `score` is no less than what it costs, and no more than
// what the plans cost one beside the other.
constexpr SetPlan plan_each(Isa isa, Cpu cpu, const Goal* goals, int results, int inputs, int input_bytes,
                            Effort effort, float& score) {
  SetPlan all;
  all.steps.inputs = int8_t(inputs);
  all.steps.kind = Class::several;
  SideBySide beside(cpu);
  bool found = true, fits = true;
  for (int r = 0; r < results && found; ++r) {
    const Plan one = effort == Effort::quick ? solve(isa, cpu, goals[r], inputs, input_bytes, effort)
                                             : solve_thoroughly(isa, cpu, goals[r], inputs, input_bytes);
    found = one.found;
    if (!found)
      break;
    beside.add(one);
    if (results == 1)
      all.steps.kind = one.kind;
    int8_t own[Plan::max_inputs]{};
    for (int8_t i = 0; i < inputs; ++i)
      own[i] = i;
    if (fits)
      all.value[size_t(r)] = append_once(all.steps, one, own), fits = all.value[size_t(r)] != no_value;
  }
  all.found = found && fits;
  score = !found ? 1e9f : beside.cost().score();
  if (all.found)
    score = std::min(score, cost(cpu, all).score());
  return all;
}

// No plans of these goals by themselves cost less: an instruction joins two registers at most, and none that does costs
// less than a blend.
constexpr float least_score(Isa isa, Cpu cpu, const Goal* goals, int results) {
  int joins = 0, longest = 0;
  for (int r = 0; r < results; ++r)
    if (const int reads = std::popcount(goals[r].inputs); reads > 1)
      joins += reads - 1, longest = std::max<int>(longest, std::bit_width(unsigned(reads - 1)));
  int bytes = 16;
  for (int r = 0; r < results; ++r)
    bytes = std::max(bytes, goals[r].bytes);
  const StepCost blend =
      cost(cpu, {.op = isa == Isa::avx2 ? Op::blend_imm : Op::blend_mask, .bytes = uint8_t(bytes), .element = 4});
  return float(longest) * blend.latency +
         float(joins) * (2 * blend.occupancy / float(std::popcount(blend.ports)) + 0.125f);
}

} // namespace detail

// All registers of all results. A set with a fault() has no plan.
constexpr SetPlan plan_all(const PatternSet& set, Isa isa, Cpu cpu, Effort effort = Effort::quick) {
  const int inputs = detail::set_inputs(set, isa), results = detail::set_results(set, isa),
            input_bytes = std::min(set.source_bytes(), widest_register(isa));
  SetPlan none;
  none.found = false;
  if (inputs > Plan::max_inputs || results > SetPlan::max_results)
    return none;
  Goal goals[SetPlan::max_results];
  int most = 0;
  for (int r = 0; r < results; ++r) {
    goals[r] = detail::goal_of(set, r, isa);
    most = std::max(most, std::popcount(goals[r].inputs));
  }
  const auto finished = [&](SetPlan p) {
    p.registers = detail::registers(set, isa), p.results = set.results;
    return p;
  };
  detail::Networks networks(isa, cpu, goals, results, inputs, effort);
  // Of many registers the results' own plans take long to find, and mostly cannot be as cheap.
  if (most > 2 && effort == Effort::quick) {
    networks.search();
    const SetPlan p = networks.cheapest(detail::least_score(isa, cpu, goals, results));
    if (p.found)
      return finished(p);
  }
  float score = 0;
  const SetPlan each = detail::plan_each(isa, cpu, goals, results, inputs, input_bytes, effort, score);
  if (results == 1 || (each.found && each.steps.count <= results))
    return finished(each);
  if (most <= 2 || effort != Effort::quick)
    networks.search();
  const SetPlan p = networks.cheapest(score);
  return finished(p.found ? p : each);
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
