// Owns networks of exchanges, by which several results are made of one set of registers and what they need is moved
// once.
//
// A stage of a network exchanges registers that are so far apart, in all pairs alike, and is of use when each result
// then is in half as many registers. The results may be pairs exchanged at last, too: both halves of a zip are two
// unpacks of what one permute makes of each source. Sequences of stages are tried on the places of elements alone; the
// one that is estimated to cost least is built, and what is left for each result is planned from the registers that
// then hold it. lanes/plan/sets.h takes it if nothing else costs less. Constant expressions spend their time here, so
// inner loops call nothing.
#pragma once
#include "lanes/plan/drafts.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

struct Network {
  static constexpr int max_stages = 5;
  struct Stage {
    int8_t distance, exchange;
  };
  int stages = 0;
  Stage stage[max_stages]{};
  Stage closing{}; // the results are pairs of values exchanged; none if the distance is 0
  Estimate cost{}; // of the exchanges
  float score = 0; // of all
  Draft left{};    // for the last steps of the results, or of what is exchanged at last
};
inline constexpr Network blank{}; // copied, it takes a constant expression less than it takes to build it

// The search, which keeps so many networks.
template <int Kept> class Networks {
public:
  constexpr Networks(const Forms& forms, const Draft& start, int wide) : forms_(forms) {
    start_.left = start;
    start_.cost.stores = stores(forms.cpu, wide);
  }
  constexpr void search() {
    extend(start_);
    close();
  }
  constexpr int found() const { return found_; }
  constexpr const Network& best(int k) const { return best_[k]; } // by estimate, the cheapest first

private:
  static constexpr bool quick = Kept == 1;
  static constexpr int most_branches = 3; // of a quick search, from each network

  constexpr bool beaten(const Estimate& cost) const {
    return found_ == Kept && cost.score() >= best_[found_ - 1].score;
  }
  constexpr Estimate to_the_end(const Network& n) {
    Estimate all = n.cost;
    for (int r = 0; r < n.left.results && !beaten(all); ++r)
      forms_.last(n.left, r, n.cost.latency, all);
    work_ -= n.left.results * (n.left.count() + 30);
    return all;
  }

  constexpr void extend(const Network& so_far) {
    const Draft& d = so_far.left;
    const int most = d.most, limit = most > 2 ? (most + 1) / 2 : 2;
    if (so_far.stages == Network::max_stages || most == 0)
      return;
    for (int distance = 1; distance < d.values; distance *= 2) {
      int gone_on = 0;
      for (int number = 0; number < exchange_count; ++number) {
        const Form& form = forms_.form[number];
        uint32_t reads[SetPlan::max_results]{};
        if (!form.use || work_ < 0 || !halves(d, distance, form, limit, reads))
          continue;
        uint32_t read = 0;
        for (int r = 0; r < d.results; ++r)
          read |= reads[r];
        Estimate cost = so_far.cost;
        cost.add(form.cost, __builtin_popcount(read)); // a step for each register that is read afterwards
        if (beaten(cost))
          continue;
        Network next = blank;
        next.cost = cost, next.closing = so_far.closing;
        next.stages = so_far.stages + 1;
        for (int k = 0; k < so_far.stages; ++k)
          next.stage[k] = so_far.stage[k];
        next.stage[so_far.stages] = {int8_t(distance), int8_t(number)};
        exchange_all(d, distance, form, reads, next.left);
        gone_on += consider(next, most > 2);
        if (gone_on == most_branches && quick)
          break;
      }
      // What registers near each other give is enough for a quick search.
      if (gone_on && quick)
        return;
    }
  }
  // Keeps it, and what follows from it. One that had more than two registers for a result goes on in any case.
  constexpr bool consider(Network& n, bool halved) {
    if (n.left.most > 2) {
      extend(n);
      return true;
    }
    const Estimate all = to_the_end(n);
    if (!all.easy) {
      if (halved)
        extend(n);
      else
        return false;
    }
    keep(n, all);
    return true;
  }
  constexpr void keep(Network& n, const Estimate& all) {
    n.score = all.score();
    int at = found_ < Kept ? found_ : Kept;
    while (at > 0 && best_[at - 1].score > n.score)
      --at;
    if (at == Kept)
      return;
    found_ = found_ < Kept ? found_ + 1 : Kept;
    for (int k = found_ - 1; k > at; --k)
      best_[k] = best_[k - 1];
    best_[at] = n;
  }

  // Each exchange as the last step of the results that are so far apart: of what it needs less may be left to do than
  // of the results.
  constexpr void close() {
    const Draft& d = start_.left;
    for (int distance = 1; distance < d.results; distance *= 2)
      for (int number = 0; number < exchange_count && work_ >= 0; ++number) {
        const Form& form = forms_.form[number];
        int exchanged = 0;
        for (int v = 0; v < d.results; ++v)
          exchanged += (v ^ distance) < d.results && d.reads[v];
        Estimate cost = start_.cost;
        cost.add(form.cost, exchanged);
        if (!form.use || beaten(cost))
          continue;
        Network n = start_;
        n.cost = cost, n.closing = {int8_t(distance), int8_t(number)};
        for (int v = 0; v < d.results; ++v)
          if ((v ^ distance) < d.results)
            before(d, distance, form, v, n.left);
        work_ -= 2 * d.results * d.count();
        n.left.look();
        if (n.left.most > d.most)
          continue;
        if (n.left.most > 2)
          extend(n);
        else
          keep(n, to_the_end(n));
      }
  }
  // Value v of what the exchange needs.
  static constexpr void before(const Draft& d, int distance, const Form& form, int v, Draft& needed) {
    const int8_t* to = form.to[(v & distance) != 0];
    for (int i = 0; i < needed.count(); ++i) {
      const int t = to[i];
      needed.at[v][i] = t < 0 ? int16_t(dont_care) : d.at[(v & ~distance) | (t & 64 ? distance : 0)][t & 63];
    }
  }

  // Whether no result is in more than so many values after all pairs of values so far apart were exchanged, and which
  // those are. No element may be lost.
  constexpr bool halves(const Draft& d, int distance, const Form& form, int limit, uint32_t* reads) {
    const int count = d.count(), values = d.values;
    for (int r = 0; r < d.results; ++r) {
      const int16_t* at = d.at[r];
      uint32_t set = 0;
      int more = limit;
      for (int i = 0; i < count; ++i) {
        const int x = at[i];
        if (x < 0)
          continue;
        int value = x >> 6;
        if ((value ^ distance) < values) {
          const int t = form.to[(value & distance) != 0][x & 63];
          if (t < 0)
            return work_ -= i, false;
          value = (value & ~distance) | (t & 64 ? distance : 0);
        }
        if (const uint32_t bit = 1u << value; !(set & bit)) {
          if (--more < 0)
            return work_ -= i, false;
          set |= bit;
        }
      }
      reads[r] = set;
      work_ -= count;
    }
    return true;
  }
  constexpr void exchange_all(const Draft& d, int distance, const Form& form, const uint32_t* reads, Draft& to) {
    const int count = d.count();
    to.results = d.results, to.values = d.values, to.bytes = d.bytes, to.size = d.size;
    for (int r = 0; r < d.results; ++r) {
      for (int i = 0; i < count; ++i) {
        const int x = d.at[r][i], value = x >> 6;
        if (x < 0 || (value ^ distance) >= d.values) {
          to.at[r][i] = int16_t(x);
          continue;
        }
        const int t = form.to[(value & distance) != 0][x & 63];
        to.at[r][i] = int16_t((((value & ~distance) | (t & 64 ? distance : 0)) << 6) + (t & 63));
      }
      to.reads[r] = reads[r];
      to.most = std::max(to.most, __builtin_popcount(reads[r]));
    }
    work_ -= 2 * d.results * count;
  }

  const Forms& forms_;
  int work_ = quick ? 12000 : 20'000'000; // elements that may still be looked at
  int found_ = 0;
  Network start_{}, best_[Kept]{};
};
inline constexpr int kept_when_thorough = 12;

// What makes result r of the values that the stages gave.
constexpr int8_t append_last(Isa isa, Cpu cpu, Goal g, Plan& p, const Draft& d, int r, const int8_t* value) {
  const uint32_t set = d.reads[r];
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

// What exchanges of pairs so far apart need to give the goals.
constexpr void before_closing(Isa isa, const Goal* goals, const Network& network, Goal* before) {
  const Draft& d = network.left;
  const int distance = network.closing.distance;
  for (int r = 0; r < d.results; ++r)
    before[r] = distance && (r ^ distance) < d.results ? nothing_wanted : goals[r];
  Exchange x;
  exchange(network.closing.exchange, isa, d.bytes, d.size, 0, 1, x);
  for (int r = 0; r < d.results && distance; ++r) {
    if ((r ^ distance) >= d.results)
      continue;
    const Step& s = r & distance ? x.high : x.low;
    for (int i = 0; i < d.bytes && i < goals[r].wide; ++i)
      if (const From f = unmasked_source(s, i); goals[r].want[i] != dont_care)
        before[(r & ~distance) | (f.operand ? distance : 0)].want[f.byte] = goals[r].want[i];
  }
  for (int r = 0; r < d.results; ++r)
    before[r].settle();
}

// The network, and the last steps of each result; found is false if it does not fit.
constexpr SetPlan build(Isa isa, Cpu cpu, const Goal* goals, const Network& network) {
  SetPlan out;
  const Draft& d = network.left;
  out.shared = true;
  for (int r = 0; r < d.results; ++r)
    out.wide += wide(goals[r]);
  out.steps.inputs = int8_t(d.values);
  out.steps.kind = Class::several;
  uint32_t needed[Network::max_stages + 1]{};
  for (int r = 0; r < d.results; ++r)
    needed[network.stages] |= d.reads[r];
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
  Goal before[SetPlan::max_results];
  before_closing(isa, goals, network, before);
  for (int r = 0; r < d.results && out.found; ++r) {
    out.value[size_t(r)] = append_last(isa, cpu, before[r], out.steps, d, r, value);
    out.found = out.value[size_t(r)] != no_value;
  }
  for (int r = 0; r < d.results && out.found; ++r) {
    const int other = r | network.closing.distance;
    if (other == r || other >= d.results)
      continue;
    Exchange x;
    exchange(network.closing.exchange, isa, d.bytes, d.size, out.value[size_t(r)], out.value[size_t(other)], x);
    if (wanted(goals[r]))
      out.value[size_t(r)] = add_once(out.steps, x.low);
    if (wanted(goals[other]))
      out.value[size_t(other)] = add_once(out.steps, x.high);
    out.found = out.value[size_t(r)] != no_value && out.value[size_t(other)] != no_value;
  }
  return out;
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
