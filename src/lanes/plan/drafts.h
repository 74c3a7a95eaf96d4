// Owns the view of several results that networks of exchanges are sought on: which value has each element, and where;
// and what an exchange does with elements. Constant expressions spend their time here, so inner loops call nothing.
#pragma once
#include "lanes/plan/exchanges.h"
#include "lanes/plan/pattern_set.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// The elements of the results: 64 * value + place; zero; dont_care.
struct Draft {
  int results = 0, values = 0, bytes = 64, size = 1;
  int16_t at[SetPlan::max_results][64]{};
  uint32_t reads[SetPlan::max_results]{}; // values, one bit each
  int most = 0;                           // values that one result reads

  constexpr int count() const { return bytes / size; }
  constexpr void look() {
    const int n = count();
    most = 0;
    for (int r = 0; r < results; ++r) {
      uint32_t set = 0;
      for (int i = 0; i < n; ++i)
        if (const int x = at[r][i]; x >= 0)
          set |= 1u << (x >> 6);
      reads[r] = set, most = std::max(most, __builtin_popcount(set));
    }
  }
};
constexpr Draft draft_of(const Goal* goals, int results, int inputs) {
  Draft d;
  d.results = results, d.values = inputs, d.bytes = 16;
  int largest = 3;
  for (int r = 0; r < results; ++r) {
    d.bytes = std::max(d.bytes, goals[r].bytes);
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
  d.look();
  return d;
}

// What steps are thought to cost, before they are built: SetCost in little.
struct Estimate {
  float latency = 0, busy = 0, stores = 0;
  int steps = 0;
  bool easy = true; // each result is one instruction at most
  constexpr float score() const { return latency / 4 + 2 * (busy > stores ? busy : stores) + 0.125f * float(steps); }
  // So many steps as one of `each`, of which none waits for another.
  constexpr void add(const Estimate& each, int times) {
    latency += each.latency, busy += each.busy * float(times), stores += each.stores * float(times);
    steps += each.steps * times;
  }
};

// An exchange of values 0 and 1: what a step of it costs, and where elements go.
struct Form {
  bool use = false;
  Estimate cost{}, of[2]{}; // of either step in the middle; of the lower one and of the higher one
  int8_t to[2][64]{};       // from a, from b: 64 * high + place; no_value: it is lost
};

// All exchanges of registers of so many bytes, in elements of `size`; and what the last steps of results cost.
struct Forms {
  Isa isa;
  Cpu cpu;
  int bytes, size;
  Form form[exchange_count]{};
  Estimate bytes_within, by_index, by_two_indexes, lanes;
  bool has_index, has_two_indexes;

  constexpr Forms(Isa i, Cpu c, int n, int e)
      : isa(i), cpu(c), bytes(n), size(e),
        bytes_within(of({.op = Op::shuffle_bytes, .bytes = uint8_t(n), .element = 1})),
        by_index(of({.op = e == 8 ? Op::permute_imm : Op::permute, .bytes = uint8_t(n), .element = uint8_t(e)})),
        by_two_indexes(of({.op = Op::permute_two, .bytes = uint8_t(n), .element = uint8_t(e)})),
        lanes(of({.op = n == 64 ? Op::shuffle_lanes : Op::permute_halves, .bytes = uint8_t(n)})),
        has_index((i >= Isa::avx512 && (e > 1 || i >= Isa::avx512_vbmi)) || (n == 32 && e >= 4)),
        has_two_indexes(i >= Isa::avx512 && (e > 1 || i >= Isa::avx512_vbmi)) {
    for (int number = 0; number < exchange_count; ++number) {
      Form& f = form[number];
      Exchange x;
      if (!exchange(number, isa, n, e, 0, 1, x))
        continue;
      Places places;
      places.fill(x, n, e);
      f.use = places.whole;
      for (int side = 0; side < 2 && f.use; ++side)
        for (int k = 0; k < n / e; ++k)
          f.to[side][k] =
              places.value[side][k] == no_value ? no_value : int8_t(places.value[side][k] * 64 + places.at[side][k]);
      f.of[0] = of(x.low), f.of[1] = of(x.high);
      f.cost = {std::max(f.of[0].latency, f.of[1].latency), (f.of[0].busy + f.of[1].busy) / 2,
                (f.of[0].stores + f.of[1].stores) / 2, 1};
    }
  }
  constexpr Estimate of(const Step& s) const {
    const StepCost c = cost(cpu, s);
    return {c.latency, c.occupancy / float(__builtin_popcount(c.ports)), hold_up(cpu, s), 1};
  }

  // What the step of an exchange costs that gives these elements of two values, of which the second is b; or nullptr.
  constexpr const Estimate* exchanged(const int16_t* at, int count, int b) const {
    int first = 0;
    while (at[first] < 0)
      ++first;
    const int of_b = at[first] >> 6 == b, place = at[first] & 63;
    for (const Form& f : form)
      for (int turned = 0; turned < 2 && f.use; ++turned) {
        const int t = f.to[of_b ^ turned][place];
        if (t < 0 || (t & 63) != first)
          continue;
        const int high = t & 64;
        int i = first + 1;
        while (i < count && (at[i] < 0 || f.to[(at[i] >> 6 == b) ^ turned][at[i] & 63] == high + i))
          ++i;
        if (i == count)
          return &f.of[high != 0];
      }
    return nullptr;
  }
  // Whether the elements of one value are where they are wanted: those of the other are permuted into it.
  static constexpr bool one_stays(const int16_t* at, int count, int b) {
    bool stays[2] = {true, true};
    for (int i = 0; i < count; ++i)
      if (const int x = at[i]; x >= 0 && (x & 63) != i)
        stays[x >> 6 == b] = false;
    return stays[0] || stays[1];
  }
  // Whether each 128 bits come from one lane of one value.
  constexpr bool of_whole_lanes(const int16_t* at, int count) const {
    const int lane = 16 / size;
    for (int i = 0; i < count; i += lane) {
      int from = -1;
      for (int k = i; k < i + lane; ++k) {
        if (at[k] < 0)
          continue;
        if (from >= 0 && from != at[k] / lane)
          return false;
        from = at[k] / lane;
      }
    }
    return true;
  }

  // The last steps of a result, which begin after so many cycles.
  constexpr void last(const Draft& d, int result, float before, Estimate& sum) const {
    const uint32_t set = d.reads[result];
    if (!set)
      return;
    const int16_t* at = d.at[result];
    const int count = d.count(), reads = __builtin_popcount(set), other_lane = -(16 / size);
    const auto then = [&](const Estimate& e) {
      before += e.latency, sum.busy += e.busy, sum.stores += e.stores, ++sum.steps;
      sum.latency = before > sum.latency ? before : sum.latency;
    };
    if (reads == 1) {
      bool stays = true, in_lanes = true;
      for (int i = 0; i < count && in_lanes; ++i) {
        const int x = at[i];
        if (x >= 0 ? (x & 63) != i : x == zero)
          stays = false, in_lanes = x < 0 || !(((x & 63) ^ i) & other_lane);
      }
      if (stays)
        return;
      if (in_lanes || has_index)
        return then(in_lanes ? bytes_within : by_index);
    } else if (reads == 2) {
      if (const Estimate* one = exchanged(at, count, 31 - __builtin_clz(set)))
        return then(*one);
      if (has_two_indexes)
        return then(one_stays(at, count, 31 - __builtin_clz(set)) ? by_index : by_two_indexes);
    }
    sum.easy = false;
    if (bytes >= 32 && reads <= 2 && of_whole_lanes(at, count))
      return then(lanes), then(bytes_within);
    // Some more than one for each register after the first.
    sum.busy += 1.5f * float(reads), sum.latency = std::max(sum.latency, before + 2 * float(reads));
  }
};

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
