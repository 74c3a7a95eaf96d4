// Owns the ways of several instructions, and the choice among all ways for one register: what one instruction cannot do
// is put together from what it can, and what reads several registers is split among them.
#pragma once
#include "lanes/plan/joins.h"
#include "lanes/plan/pairs.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

constexpr Plan solve(Isa isa, Cpu cpu, const Goal& goal, int inputs, int input_bytes, Effort effort);

// What follows is right by the way in which it is put together, and so is kept without being tried (Search::keep).

// Whole lanes of 128 bits to where their bytes are needed, then bytes within them.
constexpr void lanes_then_bytes(Search& s, const Elements& bytes, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  Step lanes{.op = n == 64 ? Op::shuffle_lanes : Op::permute_halves, .bytes = n, .element = 4, .a = a, .b = a};
  for (int l = 0; l < n / 16; ++l) {
    int lane = -1;
    for (int i = l * 16; i < l * 16 + 16; ++i) {
      const int from = bytes.at[i];
      if (from < 0)
        continue;
      if (lane >= 0 && lane != (from & 63) >> 4)
        return;
      lane = (from & 63) >> 4;
    }
    lanes.imm |= uint8_t((lane < 0 ? 0 : lane) << (n == 64 ? 2 : 4) * l);
  }
  Plan p = s.empty(Class::several);
  const int8_t moved = p.add(lanes);
  p.add(byte_shuffle(bytes, n, moved));
  s.keep(p);
}

// The elements of e bytes that a lane needs, if they are no more than it holds, then bytes within it.
constexpr void elements_then_bytes(Search& s, const Elements& bytes, int8_t a, int e) {
  const int n = s.goal.bytes, slots = 16 / e;
  Step gather{.op = Op::permute, .bytes = uint8_t(n), .element = uint8_t(e), .a = a};
  Step order{.op = Op::shuffle_bytes, .bytes = uint8_t(n), .element = 1};
  for (int lane = 0; lane < n / 16; ++lane) {
    int used = 0;
    for (int i = lane * 16; i < lane * 16 + 16; ++i) {
      order.index[i] = 0x80;
      const int byte = bytes.at[i] & 63;
      if (bytes.at[i] < 0)
        continue;
      const int from = byte / e;
      int slot = 0;
      while (slot < used && gather.index[lane * slots + slot] != from)
        ++slot;
      if (slot == slots)
        return;
      if (slot == used)
        gather.index[lane * slots + used++] = uint8_t(from);
      order.index[i] = uint8_t(slot * e + byte % e);
    }
  }
  Plan p = s.empty(Class::several);
  order.a = p.add(gather);
  p.add(order);
  s.keep(p);
}

// Elements of e bytes are put together where their bytes are, then moved across.
constexpr void bytes_then_elements(Search& s, const Elements& bytes, int8_t a, int e) {
  const int n = s.goal.bytes, slots = 16 / e;
  Step order{.op = Op::shuffle_bytes, .bytes = uint8_t(n), .element = 1, .a = a};
  Step move{.op = Op::permute, .bytes = uint8_t(n), .element = uint8_t(e)};
  int used[4]{};
  for (int i = 0; i < n / e; ++i) {
    uint8_t wanted[8]{};
    int lane = -1;
    for (int c = 0; c < e; ++c) {
      const int at = bytes.at[i * e + c];
      wanted[c] = at < 0 ? 0x80 : uint8_t(at & 15);
      if (at < 0)
        continue;
      if (lane >= 0 && lane != (at & 63) >> 4)
        return;
      lane = (at & 63) >> 4;
    }
    if (lane < 0)
      lane = 0;
    int slot = 0;
    const auto same = [&] {
      for (int c = 0; c < e; ++c)
        if (order.index[(lane * slots + slot) * e + c] != wanted[c])
          return false;
      return true;
    };
    while (slot < used[lane] && !same())
      ++slot;
    if (slot == slots)
      return;
    if (slot == used[lane])
      for (int c = 0; c < e; ++c)
        order.index[(lane * slots + used[lane]) * e + c] = wanted[c];
    used[lane] = std::max(used[lane], slot + 1);
    move.index[i] = uint8_t(lane * slots + slot);
  }
  Plan p = s.empty(Class::several);
  move.a = p.add(order);
  if (e == 8 && n == 32) {
    Step imm{.op = Op::permute_imm, .bytes = 32, .element = 8, .a = move.a};
    for (int i = 0; i < 4; ++i)
      imm.imm |= uint8_t(move.index[i] << 2 * i);
    p.add(imm);
  } else {
    p.add(move);
  }
  s.keep(p);
}

// Any bytes of 32: what stays in its half and what changes it are put in place separately.
constexpr void both_halves(Search& s, const Elements& bytes, int8_t a) {
  Step own{.op = Op::shuffle_bytes, .bytes = 32, .element = 1, .a = a}, other = own;
  for (int i = 0; i < 32; ++i) {
    const int from = bytes.at[i];
    own.index[i] = other.index[i] = 0x80;
    if (from >= 0)
      (((from ^ i) & 16) ? other : own).index[i] = uint8_t(from & 15);
  }
  Plan p = s.empty(Class::several);
  other.a = p.add({.op = Op::permute_imm, .bytes = 32, .element = 8, .a = a, .imm = 0x4e});
  const int8_t x = p.add(own), y = p.add(other);
  p.add({.op = Op::either, .bytes = 32, .element = 8, .a = x, .b = y});
  s.keep(p);
}

// Any bytes, by the words that hold them: those for even bytes and those for odd ones, of one or two sources.
constexpr void words_twice(Search& s, const Elements& bytes, int8_t a, int8_t b) {
  const uint8_t n = uint8_t(s.goal.bytes);
  Step words[2], order[2];
  for (int odd : {0, 1}) {
    words[odd] = {
        .op = a == b ? Op::permute : Op::permute_two, .bytes = n, .element = 2, .a = a, .b = a == b ? no_value : b};
    order[odd] = {.op = Op::shuffle_bytes, .bytes = n, .element = 1};
  }
  for (int i = 0; i < n; ++i) {
    order[0].index[i] = order[1].index[i] = 0x80;
    const int from = bytes.at[i];
    if (from < 0)
      continue;
    words[i % 2].index[i / 2] = uint8_t((from & 63) / 2 + (from / 64 == a ? 0 : n / 2));
    order[i % 2].index[i] = uint8_t(i % 16 / 2 * 2 + from % 2);
  }
  Plan p = s.empty(Class::several);
  order[0].a = p.add(words[0]), order[1].a = p.add(words[1]);
  const int8_t even = p.add(order[0]), odd = p.add(order[1]);
  p.add({.op = Op::either, .bytes = n, .element = 8, .a = even, .b = odd});
  s.keep(p);
}

constexpr void several_of_one(Search& s, int8_t a) {
  Elements bytes;
  bytes_of(s.goal.only(1u << a), bytes);
  const int n = s.goal.bytes;
  if (n >= 32) {
    lanes_then_bytes(s, bytes, a);
    for (int e : {4, 2}) {
      if (e == 2 ? s.avx512() : n == 32 || s.avx512()) {
        elements_then_bytes(s, bytes, a, e);
        bytes_then_elements(s, bytes, a, e);
      }
    }
    if (n == 32 || s.avx512())
      bytes_then_elements(s, bytes, a, 8);
    if (n == 32)
      both_halves(s, bytes, a);
    if (s.avx512())
      words_twice(s, bytes, a, a);
  }
}

// Every second byte or word of two registers: the others made zero, packed, and the quarters put in order.
constexpr void packs(Search& s, const Views& v, int8_t a, int8_t b) {
  const uint8_t n = uint8_t(s.goal.bytes);
  for (uint8_t e : {1, 2}) {
    const Elements& x = v(e);
    if (!x.ok || (e == 2 && s.avx512()))
      continue; // which has vpermt2w
    const bool odd = x.at[x.first()] % 2;
    const int half = n / e / 2;
    bool fits = true;
    for (int i = 0; i < x.count && fits; ++i)
      fits = x.at[i] < 0 || x.at[i] == (i < half ? a * x.per_input + 2 * i : b * x.per_input + 2 * (i - half)) + odd;
    if (!fits)
      continue;
    Step narrow{.op = odd ? Op::shift_right : Op::keep,
                .bytes = n,
                .element = uint8_t(2 * e),
                .a = a,
                .imm = uint8_t(odd ? 8 * e : 0)};
    for (int i = 0; i < 64 && !odd; ++i)
      narrow.index[i] = i % (2 * e) < e ? 0xff : 0;
    if (!odd)
      narrow.element = 1;
    Plan p = s.empty(Class::pack);
    const int8_t low = p.add(narrow);
    narrow.a = b;
    const int8_t high = p.add(narrow);
    const int8_t packed = p.add({.op = Op::pack, .bytes = n, .element = e, .a = low, .b = high});
    if (n == 32)
      p.add({.op = Op::permute_imm, .bytes = 32, .element = 8, .a = packed, .imm = 0xd8});
    if (n == 64)
      p.add({.op = Op::permute, .bytes = 64, .element = 8, .a = packed, .index = {0, 2, 4, 6, 1, 3, 5, 7}});
    s.offer(p);
  }
}

// The inputs of `second` brought into what the others give.
constexpr void split(Search& s, uint32_t second, int input_bytes) {
  Plan p = solve(s.isa, s.cpu, s.goal.without(second), s.inputs, input_bytes, Effort::quick);
  const Plan q = solve(s.isa, s.cpu, s.goal.only(second), s.inputs, input_bytes, Effort::quick);
  if (!p.found || !q.found || p.count + q.count >= Plan::max_steps)
    return;
  p.kind = Class::several;
  const int8_t first = p.result, last = p.append(q);
  bool taken[64]{};
  const int wide = s.goal.wide;
  for (int i = 0; i < wide; ++i)
    if (const int id = s.goal.want[i]; id >= 0)
      taken[i] = second >> (id >> 6) & 1;
  // For elements of e bytes: those to take, or false if one of them is torn.
  const auto mask_of = [&](int e, uint64_t& mask) {
    mask = 0;
    for (int i = 0; i < wide; ++i)
      if (taken[i])
        mask |= uint64_t(1) << i / e;
    for (int i = 0; i < wide; ++i)
      if (!taken[i] && s.goal.want[i] != dont_care && (mask >> i / e & 1))
        return false;
    return true;
  };
  if (q.count > 0 && s.avx512()) {
    Plan merged = p;
    Step& step = merged.steps[merged.count - 1];
    if (!step.masked && maskable(step, true) && mask_of(step.element, step.mask)) {
      step.masked = true, step.merge = first;
      // The others' bytes beyond a narrow step would be lost.
      step.bytes = result_bytes(step) == step.bytes ? uint8_t(std::max<int>(step.bytes, s.goal.bytes)) : step.bytes;
      s.offer(merged); // which a wider step may not give
      if (s.found && s.effort == Effort::quick)
        return;
    }
  }
  for (int e : {8, 4, 2, 1}) {
    Step b{.op = Op::blend_mask, .bytes = uint8_t(s.goal.bytes), .element = uint8_t(e), .a = first, .b = last};
    if (!mask_of(e, b.mask))
      continue;
    if (!s.avx512()) {
      const bool repeated = uint8_t(b.mask) == uint8_t(b.mask >> 8) || b.bytes == 16;
      if (e >= 4) {
        uint64_t dwords = 0;
        mask_of(4, dwords);
        b.op = Op::blend_imm, b.element = 4, b.imm = uint8_t(dwords);
      } else if (e == 2 && repeated) {
        b.op = Op::blend_imm, b.imm = uint8_t(b.mask);
      } else {
        b.op = Op::blend_bytes, b.element = 1;
        for (int i = 0; i < wide; ++i)
          b.index[i] = taken[i] ? 0x80 : 0;
      }
      b.mask = 0;
    }
    p.add(b);
    return s.keep(p);
  }
}

// Dwords that lie in `x` as they are wanted stay there; the rest is brought around them.
constexpr void around(Search& s, int8_t x, int input_bytes) {
  Goal rest = s.goal;
  int stay = 0;
  for (int d = 0; d < s.goal.wide / 4; ++d) {
    bool stays = true;
    for (int i = 4 * d; i < 4 * d + 4; ++i)
      stays &= s.goal.want[i] == dont_care || s.goal.want[i] == s.input(x, i);
    for (int i = 4 * d; i < 4 * d + 4 && stays; ++i)
      rest.want[i] = dont_care;
    stay |= stays << d;
  }
  rest.settle();
  if (stay == 0 || rest.inputs == 0)
    return;
  Plan p = solve(s.isa, s.cpu, rest, s.inputs, input_bytes, Effort::quick);
  if (!p.found || p.count >= Plan::max_steps)
    return;
  p.kind = Class::several;
  p.add(
      {.op = Op::blend_imm, .bytes = uint8_t(s.goal.bytes), .element = 4, .a = p.result, .b = x, .imm = uint8_t(stay)});
  s.keep(p);
}

// Whether one source lies where it is wanted, or (with masks) nothing leaves its 128 bits: then each source by itself
// is a matter of one instruction at most.
constexpr bool parts_are_cheap(const Search& s, int8_t a, int8_t b) {
  bool stays[2] = {true, true}, in_lanes = true;
  for (int i = 0; i < s.goal.wide; ++i) {
    const int id = s.goal.want[i];
    if (id < 0)
      continue;
    stays[id / 64 == b] &= id % 64 == i;
    in_lanes &= id % 64 / 16 == i / 16;
  }
  return a != b && (stays[0] || stays[1] || (in_lanes && s.avx512()));
}

constexpr Plan solve(Isa isa, Cpu cpu, const Goal& goal, int inputs, int input_bytes, Effort effort) {
  Search s(isa, cpu, goal, inputs, input_bytes);
  s.effort = effort;
  const bool thorough = effort == Effort::thorough;
  const uint32_t set = goal.inputs;
  const int count = std::popcount(set);
  if (count == 0) {
    Plan p = s.empty(Class::zeros);
    if (goal.zeros)
      p.add({.op = Op::zero, .bytes = 16});
    return p;
  }
  const int8_t a = int8_t(std::countr_zero(set)), b = int8_t(31 - std::countl_zero(set));
  // Two instructions cost at least this, so one that costs no more ends the search: a chain of two shuffles.
  const StepCost one = cost(cpu, Step{.op = Op::shuffle_dwords, .bytes = uint8_t(goal.bytes)});
  const float least = thorough ? 3 // no pair costs less
                               : 2 * one.latency + 4 * one.occupancy / float(std::popcount(one.ports)) + 0.25f;
  if (count == 1) {
    one_source(s, a);
    if (s.found && s.best_score <= least)
      return s.best;
    several_of_one(s, a);
    lanes_first(s, a, a);
    // AVX2 has no zeros but those of the byte shuffle: first without them.
    if (!s.found && goal.zeros && !s.avx512()) {
      Plan p = solve(isa, cpu, goal.only(set), inputs, input_bytes, Effort::quick);
      Step keep{.op = Op::keep, .bytes = uint8_t(goal.bytes), .element = 1, .a = p.result};
      for (int i = 0; i < goal.wide; ++i)
        keep.index[i] = goal.want[i] >= 0 ? 0xff : 0;
      if (p.found && p.count < Plan::max_steps)
        p.kind = Class::several, p.add(keep), s.offer(p);
    }
  } else if (count == 2) {
    two_sources(s, a, b);
    if (s.found && s.best_score <= least)
      return s.best;
    lanes_first(s, a, b);
    gather_first(s, a, b);
    const Views v(goal.only(set));
    packs(s, v, a, b), packs(s, v, b, a);
    if (thorough || !s.found || s.best_score > 2 * least || parts_are_cheap(s, a, b)) {
      if (goal.bytes >= 32 && s.avx512())
        words_twice(s, v(1), a, b);
      split(s, 1u << b, input_bytes);
    }
  } else {
    // Two of three, or halves: each half then is a matter of few instructions.
    uint32_t second = set;
    for (int i = 0; i < (count + 1) / 2; ++i)
      second &= second - 1;
    split(s, second, input_bytes);
  }
  if (thorough && count <= 2) {
    all_of_two_steps(s, a, b);
    if (!s.avx512()) {
      joins(s);
      around(s, a, input_bytes);
      if (a != b)
        around(s, b, input_bytes);
    }
  }
  s.best.found = s.found;
  if (!s.found)
    s.best.inputs = int8_t(inputs);
  return s.best;
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
