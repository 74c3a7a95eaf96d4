// Owns the enumeration of plans of two instructions: each instruction that could be the last is tried, and what it
// needs is asked of the searches for one instruction; then each that could be the first, and what is left is asked of
// them. What is enumerated are operations with few forms; those with an index or a mask of their own are what the
// searches find. Costs some microseconds at run time, and too much where a constant expression is evaluated: see
// Effort.
#pragma once
#include "lanes/plan/two_sources.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// f(step) for the operations with few forms, of n bytes: of `t` alone, and of `t` and `x` in either order. `x` may be
// no_value, or t.
template <class F> constexpr void small_steps_of_one(const Search& s, int8_t t, F f) {
  const uint8_t n = uint8_t(s.goal.bytes);
  const auto step = [&](Op op, int element, int imm) {
    f(Step{.op = op, .bytes = n, .element = uint8_t(element), .a = t, .imm = uint8_t(imm)});
  };
  for (const int e : {1, 2, 4, 8})
    step(Op::broadcast, e, 0);
  step(Op::duplicate_even, 4, 0), step(Op::duplicate_even, 8, 0), step(Op::duplicate_odd, 4, 0);
  for (int imm = 0; imm < 16 && n == 32; ++imm)
    step(Op::shuffle_qwords, 8, imm);
  for (const int e : {2, 4, 8})
    for (int k = 1; k < e; ++k) {
      step(Op::shift_left, e, 8 * k), step(Op::shift_right, e, 8 * k);
      if (s.avx512() && e > 2)
        step(Op::rotate_left, e, 8 * k);
    }
  for (int k = 1; k < 16; ++k)
    step(Op::shift_bytes_left, 1, k), step(Op::shift_bytes_right, 1, k);
  // Four of four: rotations, reversals, halves, pairs, one of them.
  constexpr uint8_t fours[] = {0x4e, 0xb1, 0x1b, 0xd8, 0xa0, 0xf5, 0x00, 0x55, 0xaa,
                               0xff, 0x44, 0xee, 0x50, 0xfa, 0x39, 0x93, 0x8d, 0x72};
  for (const uint8_t imm : fours) {
    step(Op::shuffle_dwords, 4, imm);
    if (n >= 32)
      step(Op::permute_imm, 8, imm);
  }
}
template <class F> constexpr void small_steps_of_two(const Search& s, int8_t t, int8_t x, F f) {
  const uint8_t n = uint8_t(s.goal.bytes);
  const auto step = [&](Op op, int element, int imm) {
    f(Step{.op = op, .bytes = n, .element = uint8_t(element), .a = t, .b = x, .imm = uint8_t(imm)});
    if (t != x)
      f(Step{.op = op, .bytes = n, .element = uint8_t(element), .a = x, .b = t, .imm = uint8_t(imm)});
  };
  for (const int e : {8, 4, 2, 1})
    step(Op::unpack_low, e, 0), step(Op::unpack_high, e, 0);
  for (int k = 1; k < 16; ++k)
    step(Op::align_bytes, 1, k);
  // Of each source: both dwords of a half, as they are or turned; either qword.
  for (const int low : {0x4, 0xe, 0x8, 0xd, 0x0, 0xf, 0x1, 0xb})
    for (const int high : {0x4, 0xe, 0x8, 0xd, 0x0, 0xf, 0x1, 0xb})
      step(Op::shuffle_two, 4, low | high << 4);
  if (!s.avx512()) // which has vpermt2d: all of the others
    for (const int low : {0x2, 0x3, 0x5, 0x6, 0x7, 0x9, 0xa, 0xc})
      for (int high = 0; high < 16; ++high)
        step(Op::shuffle_two, 4, low | high << 4), step(Op::shuffle_two, 4, high | low << 4);
  for (int imm = 0; imm < 16 && n == 32; ++imm)
    step(Op::shuffle_two, 8, imm);
  for (int pair = 0; pair < 4 && n != 32; ++pair)
    step(Op::shuffle_two, 8, pair * 0x55);
  if (n == 32)
    for (const int imm : {0x20, 0x31, 0x21, 0x30, 0x02, 0x13, 0x12, 0x03, 0x01, 0x08, 0x80, 0x81, 0x18})
      step(Op::permute_halves, 4, imm);
  if (n >= 32)
    for (const int part : {16, 32})
      for (int at = 0; part < n && at < n / part; ++at)
        step(Op::insert, 4, part | at);
  if (s.avx512()) {
    for (const int e : {4, 8})
      for (int k = 1; k < n / e; ++k)
        step(Op::align, e, k);
    if (n == 64)
      for (const int low : {0x4, 0xe, 0x8, 0xd, 0x0, 0x5, 0xa, 0xf, 0x1, 0xb})
        for (const int high : {0x4, 0xe, 0x8, 0xd, 0x0, 0x5, 0xa, 0xf, 0x1, 0xb})
          step(Op::shuffle_lanes, 8, low | high << 4);
  }
  if (s.isa >= Isa::avx512_vbmi2)
    for (const int e : {2, 4, 8})
      for (int k = 1; k < e; ++k)
        step(Op::shift_double, e, 8 * k);
}

// No plan that has this step and another costs less, or there is no such instruction.
constexpr bool hopeless(const Search& s, const Step& step) {
  if (!available(s.isa, step))
    return true;
  const StepCost c = cost(s.cpu, step);
  const float busy = c.occupancy / float(std::popcount(c.ports));
  return s.found && c.latency + 1 + 2 * std::max(busy, 0.5f) + 0.25f >= s.best_score;
}

// What `last`, which reads value s.inputs, needs of it; false if it does not give what is wanted. With `zeroing` it
// need not give the zeros.
constexpr bool needed_by(const Search& s, const Step& last, bool zeroing, Goal& g) {
  g = nothing_wanted;
  for (int i = 0; i < s.goal.wide; ++i) {
    const Name want = s.goal.want[i];
    if (want == dont_care || (zeroing && want == zero && i < result_bytes(last)))
      continue;
    const From f = unmasked_source(last, i);
    if (f.operand < 0) {
      if (want != zero)
        return false;
      continue;
    }
    const int8_t from = f.operand == 0 ? last.a : last.b;
    if (from != s.inputs) {
      if (s.input(from, f.byte) != want)
        return false;
      continue;
    }
    Name& w = g.want[f.byte];
    if (w != dont_care && w != want)
      return false;
    w = want;
  }
  return true;
}

constexpr void offer_last(Search& s, const Step& last, bool zeroing) {
  Goal g;
  if (hopeless(s, last) || !needed_by(s, last, zeroing, g))
    return;
  g.settle();
  const uint32_t read = g.inputs;
  if (!read || std::popcount(read) > 2)
    return;
  Search first(s.isa, s.cpu, g, s.inputs, s.input_bytes);
  if (std::popcount(read) == 1)
    one_source(first, int8_t(std::countr_zero(read)));
  else
    two_sources(first, int8_t(std::countr_zero(read)), int8_t(31 - std::countl_zero(read)));
  if (!first.found || first.best.count != 1)
    return;
  Plan p = s.empty(Class::several);
  p.add(first.best.steps[0]);
  Step then = last;
  if (zeroing) {
    then.masked = true;
    for (int i = 0; i < 64; ++i)
      if (s.goal.want[i] >= 0)
        then.mask |= uint64_t(1) << i / then.element;
  }
  p.add(then);
  s.offer(p);
}

// A last step that takes one source as it lies there, where it is wanted so.
constexpr void blends_last(Search& s, int8_t t, int8_t x) {
  const uint8_t n = uint8_t(s.goal.bytes);
  for (const int e : {8, 4, 2, 1}) {
    uint64_t stays = 0, leaves = 0;
    for (int i = 0; i < n; ++i)
      if (const Name w = s.goal.want[i]; w != dont_care)
        (w == s.input(x, i) ? stays : leaves) |= uint64_t(1) << i / e;
    stays &= ~leaves;
    if (!stays)
      continue;
    if (s.avx512()) {
      offer_last(s, {.op = Op::blend_mask, .bytes = n, .element = uint8_t(e), .a = t, .b = x, .mask = stays}, false);
      continue;
    }
    if (e == 4 || (e == 2 && (n == 16 || uint8_t(stays) == uint8_t(stays >> 8))))
      offer_last(s, {.op = Op::blend_imm, .bytes = n, .element = uint8_t(e), .a = t, .b = x, .imm = uint8_t(stays)},
                 false);
    if (e == 1) {
      Step blend{.op = Op::blend_bytes, .bytes = n, .element = 1, .a = t, .b = x};
      for (int i = 0; i < n; ++i)
        blend.index[i] = stays >> i & 1 ? 0x80 : 0;
      offer_last(s, blend, false);
    }
  }
}

constexpr void last_steps(Search& s, int8_t a, int8_t b) {
  const int8_t t = s.inputs;
  const auto attempt = [&](const Step& last) {
    offer_last(s, last, false);
    if (s.goal.zeros && s.avx512() && maskable(last, false) && last.element >= 2)
      offer_last(s, last, true);
  };
  small_steps_of_one(s, t, attempt);
  small_steps_of_two(s, t, t, attempt);
  for (const int8_t x : {a, b}) {
    small_steps_of_two(s, t, x, attempt);
    blends_last(s, t, x);
    if (a == b)
      break;
  }
  if (!s.goal.zeros)
    return;
  Step keep{.op = Op::keep, .bytes = uint8_t(s.goal.bytes), .element = 1, .a = t};
  for (int i = 0; i < 64; ++i)
    keep.index[i] = s.goal.want[i] == zero ? 0 : 0xff;
  offer_last(s, keep, false);
}

// What `first` holds of what is wanted is taken from it: from the same place, else from the same lane, else anywhere.
constexpr void offer_first(Search& s, const Step& first) {
  if (hopeless(s, first))
    return;
  const int n = s.goal.bytes;
  std::array<Name, 64> held{};
  for (int i = 0; i < 64; ++i) {
    const From f = unmasked_source(first, i);
    held[i] = i >= n || f.operand < 0 ? Name(zero) : s.input(f.operand == 0 ? first.a : first.b, f.byte);
  }
  Goal g = s.goal;
  bool any = false;
  for (int i = 0; i < n; ++i) {
    const Name want = s.goal.want[i];
    if (want < 0)
      continue;
    int at = held[i] == want ? i : -1;
    for (int k = 0; k < 16 && at < 0; ++k)
      if (held[i / 16 * 16 + k] == want)
        at = i / 16 * 16 + k;
    for (int k = 0; k < n && at < 0; ++k)
      if (held[k] == want)
        at = k;
    if (at >= 0)
      any = true, g.want[i] = name_of(s.inputs, at);
  }
  g.settle();
  const uint32_t read = g.inputs;
  if (!any || std::popcount(read) > 2)
    return;
  Search then(s.isa, s.cpu, g, s.inputs + 1, std::max(s.input_bytes, n));
  if (std::popcount(read) == 1)
    one_source(then, s.inputs);
  else {
    const int8_t x = int8_t(std::countr_zero(read));
    two_sources(then, x, s.inputs);
  }
  if (!then.found || then.best.count != 1)
    return;
  Plan p = s.empty(Class::several);
  p.add(first);
  p.add(then.best.steps[0]);
  s.offer(p);
}

constexpr void first_steps(Search& s, int8_t a, int8_t b) {
  const auto attempt = [&](const Step& first) { offer_first(s, first); };
  for (const int8_t x : {a, b}) {
    small_steps_of_one(s, x, attempt);
    small_steps_of_two(s, x, x, attempt);
    if (a == b)
      return;
  }
  small_steps_of_two(s, a, b, attempt);
}

constexpr void all_of_two_steps(Search& s, int8_t a, int8_t b) {
  last_steps(s, a, b);
  first_steps(s, a, b);
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
