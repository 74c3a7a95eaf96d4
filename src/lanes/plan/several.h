// Owns the ways of several instructions, and the choice among all ways for one register: what one instruction cannot do
// is put together from what it can, and what reads several registers is split among them.
#pragma once
#include "lanes/plan/pairs.h"
#include "lanes/plan/two_steps.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace detail {

constexpr Plan solve(Isa isa, Cpu cpu, const Goal& goal, int inputs, int input_bytes, Effort effort);

// Whole lanes of 128 bits to where their bytes are needed, then bytes within them.
constexpr void lanes_then_bytes(Search& s, const Elements& bytes, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  Step lanes{.op = n == 64 ? Op::shuffle_lanes : Op::permute_halves, .bytes = n, .element = 4, .a = a, .b = a};
  for (int l = 0; l < n / 16; ++l) {
    const int i = bytes.first(l * 16);
    lanes.imm |= uint8_t((i < l * 16 + 16 ? bytes.index(i) / 16 : 0) << (n == 64 ? 2 : 4) * l);
  }
  Plan p = s.empty(Class::several);
  const int8_t moved = p.add(lanes);
  p.add({.op = Op::shuffle_bytes, .bytes = n, .element = 1, .a = moved, .index = byte_shuffle(bytes)});
  s.offer(p);
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
      if (bytes.at[i] < 0)
        continue;
      const int from = bytes.index(i) / e;
      int slot = 0;
      while (slot < used && gather.index[lane * slots + slot] != from)
        ++slot;
      if (slot == slots)
        return;
      if (slot == used)
        gather.index[lane * slots + used++] = uint8_t(from);
      order.index[i] = uint8_t(slot * e + bytes.index(i) % e);
    }
  }
  Plan p = s.empty(Class::several);
  order.a = p.add(gather);
  p.add(order);
  s.offer(p);
}

// Elements of e bytes are put together where their bytes are, then moved across.
constexpr void bytes_then_elements(Search& s, const Elements& bytes, int8_t a, int e) {
  const int n = s.goal.bytes, slots = 16 / e;
  Step order{.op = Op::shuffle_bytes, .bytes = uint8_t(n), .element = 1, .a = a};
  Step move{.op = Op::permute, .bytes = uint8_t(n), .element = uint8_t(e)};
  std::array<int, 4> used{};
  for (int i = 0; i < n / e; ++i) {
    std::array<uint8_t, 8> wanted{};
    int lane = -1;
    for (int c = 0; c < e; ++c) {
      const int at = bytes.at[i * e + c];
      wanted[c] = at < 0 ? 0x80 : uint8_t(bytes.index(i * e + c) % 16);
      if (at < 0)
        continue;
      if (lane >= 0 && lane != bytes.index(i * e + c) / 16)
        return;
      lane = bytes.index(i * e + c) / 16;
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
  s.offer(p);
}

// Any bytes of 32: what stays in its half and what changes it are put in place separately.
constexpr void both_halves(Search& s, const Elements& bytes, int8_t a) {
  Step own{.op = Op::shuffle_bytes, .bytes = 32, .element = 1, .a = a}, other = own;
  for (int i = 0; i < 32; ++i) {
    const bool data = bytes.at[i] >= 0, stays = data && bytes.index(i) / 16 == i / 16;
    own.index[i] = stays ? uint8_t(bytes.index(i) % 16) : 0x80;
    other.index[i] = data && !stays ? uint8_t(bytes.index(i) % 16) : 0x80;
  }
  Plan p = s.empty(Class::several);
  other.a = p.add({.op = Op::permute_imm, .bytes = 32, .element = 8, .a = a, .imm = 0x4e});
  const int8_t x = p.add(own), y = p.add(other);
  p.add({.op = Op::either, .bytes = 32, .element = 8, .a = x, .b = y});
  s.offer(p);
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
    if (bytes.at[i] < 0)
      continue;
    words[i % 2].index[i / 2] = uint8_t(bytes.index(i) / 2 + (bytes.input(i) == a ? 0 : n / 2));
    order[i % 2].index[i] = uint8_t(i % 16 / 2 * 2 + bytes.index(i) % 2);
  }
  Plan p = s.empty(Class::several);
  order[0].a = p.add(words[0]), order[1].a = p.add(words[1]);
  const int8_t even = p.add(order[0]), odd = p.add(order[1]);
  p.add({.op = Op::either, .bytes = n, .element = 8, .a = even, .b = odd});
  s.offer(p);
}

constexpr void several_of_one(Search& s, int8_t a) {
  const Elements bytes = Views(s.goal.only(1u << a))(1);
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
    if (!v(e).ok || (e == 2 && s.avx512()))
      continue; // which has vpermt2w
    const bool odd = v(e).index(v(e).first()) % 2;
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
    const int8_t x = p.add(narrow);
    narrow.a = b;
    const int8_t y = p.add(narrow);
    const int8_t packed = p.add({.op = Op::pack, .bytes = n, .element = e, .a = x, .b = y});
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
  std::array<bool, 64> taken{};
  for (int i = 0; i < 64; ++i)
    taken[i] = s.goal.want[i].data() && (second >> s.goal.want[i].input() & 1);
  // For elements of e bytes: those to take, or false if one of them is torn.
  const auto mask_of = [&](int e, uint64_t& mask) {
    mask = 0;
    for (int i = 0; i < 64; ++i)
      if (taken[i])
        mask |= uint64_t(1) << i / e;
    for (int i = 0; i < 64; ++i)
      if (!taken[i] && s.goal.want[i].id != Name::anything && (mask >> i / e & 1))
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
      s.offer(merged);
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
        for (int i = 0; i < 64; ++i)
          b.index[i] = taken[i] ? 0x80 : 0;
      }
      b.mask = 0;
    }
    p.add(b);
    return s.offer(p);
  }
}

// Whether one source lies where it is wanted, or (with masks) nothing leaves its 128 bits: then each source by itself
// is a matter of one instruction at most.
constexpr bool parts_are_cheap(const Search& s, int8_t a, int8_t b) {
  bool stays[2] = {true, true}, in_lanes = true;
  for (int i = 0; i < 64; ++i) {
    const Name w = s.goal.want[i];
    if (!w.data())
      continue;
    stays[w.input() == b] &= w == s.input(w.input(), i);
    in_lanes &= w.byte() / 16 == i / 16;
  }
  return a != b && (stays[0] || stays[1] || (in_lanes && s.avx512()));
}

constexpr Plan solve(Isa isa, Cpu cpu, const Goal& goal, int inputs, int input_bytes, Effort effort) {
  Search s(isa, cpu, goal, inputs, input_bytes);
  s.effort = effort;
  const bool thorough = effort == Effort::thorough;
  const uint32_t set = goal.inputs();
  const int count = std::popcount(set);
  if (count == 0) {
    Plan p = s.empty(Class::zeros);
    for (const Name n : goal.want)
      if (n.id == 0 && p.count == 0)
        p.add({.op = Op::zero, .bytes = 16});
    return p;
  }
  const int8_t a = int8_t(std::countr_zero(set)), b = int8_t(31 - std::countl_zero(set));
  // Two instructions cost at least this, so one that costs no more ends the search.
  Plan two = s.empty(Class::several);
  for (int i = 0; i < 2; ++i)
    two.add({.op = Op::shuffle_dwords, .bytes = uint8_t(goal.bytes), .element = 4, .a = a});
  two.steps[1].a = int8_t(inputs);
  const float least = thorough ? 3 : cost(cpu, two).score(); // no pair costs less than 3
  if (count == 1) {
    one_source(s, a);
    if (s.found && s.best_score <= least)
      return s.best;
    several_of_one(s, a);
    lanes_first(s, a, a);
    // AVX2 has no zeros but those of the byte shuffle: first without them.
    if (!s.found && !s.avx512()) {
      Plan p = solve(isa, cpu, goal.only(set), inputs, input_bytes, Effort::quick);
      Step keep{.op = Op::keep, .bytes = uint8_t(goal.bytes), .element = 1, .a = p.result};
      for (int i = 0; i < 64; ++i)
        keep.index[i] = goal.want[i].data() ? 0xff : 0;
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
  if (thorough && count <= 2)
    all_of_two_steps(s, a, b);
  s.best.found = s.found;
  if (!s.found)
    s.best.inputs = int8_t(inputs);
  return s.best;
}

} // namespace detail
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
