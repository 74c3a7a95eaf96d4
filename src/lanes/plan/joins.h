// Owns the plans of three instructions in which the last joins what the first two give: each instruction of two sources
// that could be the last is tried, and what it needs of either is asked of the searches for one instruction. It is for
// AVX2, which has few instructions of two sources; like lanes/plan/two_steps.h it takes too long for a constant
// expression.
#pragma once
#include "lanes/plan/two_steps.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// The cheapest single instruction, or input, that gives what is wanted; nothing that costs as much as `limit`.
constexpr Plan one_step(const Search& s, const Goal& g, float limit) {
  Search first(s.isa, s.cpu, g, s.inputs, s.input_bytes);
  first.best_score = limit;
  const int count = std::popcount(g.inputs);
  if (count == 1)
    one_source(first, int8_t(std::countr_zero(g.inputs)));
  else if (count == 2)
    two_sources(first, int8_t(std::countr_zero(g.inputs)), int8_t(31 - std::countl_zero(g.inputs)));
  first.best.found = first.found;
  return first.best;
}

// `last` reads values s.inputs and s.inputs + 1, which do not exist yet.
constexpr void offer_join(Search& s, Step last) {
  if (hopeless(s, last))
    return;
  Goal needed[2] = {nothing_wanted, nothing_wanted};
  for (int i = 0; i < s.goal.wide; ++i) {
    const Name want = s.goal.want[i];
    if (want == dont_care)
      continue;
    const From f = unmasked_source(last, i);
    if (f.operand < 0) {
      if (want != zero)
        return;
      continue;
    }
    Name& w = needed[(f.operand == 0 ? last.a : last.b) - s.inputs].want[f.byte];
    if (w != dont_care && w != want)
      return;
    w = want;
  }
  Plan p = s.empty(Class::several);
  int8_t value[2]{};
  const float limit = s.best_score - cost(s.cpu, last).latency - 0.125f;
  for (int side : {0, 1}) {
    needed[side].settle();
    if (needed[side].inputs == 0)
      return; // two instructions do that
    const Plan part = one_step(s, needed[side], limit);
    if (!part.found)
      return;
    value[side] = part.count ? p.add(part.steps[0]) : part.result;
  }
  last.a = value[last.a - s.inputs], last.b = value[last.b - s.inputs];
  p.add(last);
  s.keep(p);
}

constexpr void joins(Search& s) {
  const int8_t t = s.inputs, u = int8_t(s.inputs + 1);
  const uint8_t n = uint8_t(s.goal.bytes);
  small_steps_of_two(s, t, u, [&](const Step& last) {
    if (last.a == t) // the other order is the same by other names
      offer_join(s, last);
  });
  // Dwords of either, the same of each 128 bits; qwords of either.
  for (int dwords = 1; dwords < 8; ++dwords)
    offer_join(s, {.op = Op::blend_imm,
                   .bytes = n,
                   .element = 4,
                   .a = t,
                   .b = u,
                   .imm = uint8_t(n == 16 ? dwords : dwords * 0x11)});
  for (int qwords = 1; qwords < 8 && n == 32; ++qwords) {
    const int low = qwords & 1, middle = qwords >> 1 & 1, high = qwords >> 2;
    offer_join(s, {.op = Op::blend_imm,
                   .bytes = n,
                   .element = 4,
                   .a = t,
                   .b = u,
                   .imm = uint8_t(low * 0x3 | middle * 0xc | high * 0x30)});
  }
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
