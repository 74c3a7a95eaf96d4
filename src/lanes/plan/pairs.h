// Owns the ways of two instructions in which the first brings together what the second puts in order: whole lanes first
// and then bytes, or a gathering from two registers and then one permute. Both halves are searches for one instruction,
// the second with one more input: what the first gives.
#pragma once
#include "lanes/plan/two_sources.h"
#include <bit>

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

constexpr void offer_pair(Search& s, const Step& first, const Search& then) {
  if (!then.found || then.best.count != 1)
    return;
  Plan p = s.empty(Class::several);
  p.add(first); // value s.inputs, which is what the second search took it for
  p.add(then.best.steps[0]);
  s.keep(p);
}

// Bytes that are in their lane of `stays` already are taken from there; the rest of each lane is all of one other lane,
// which the first instruction moves. An align across lanes is of this kind: the lanes that come next, then an align
// within lanes.
constexpr void lanes_first(Search& s, int8_t a, int8_t b) {
  const int n = s.goal.bytes;
  const int8_t gathered = s.inputs;
  for (int way = a == b; way < 3; ++way) {
    const int8_t stays = way == 0 ? a : way == 1 ? b : no_value;
    if (n < 32)
      continue;
    Goal lanes = nothing_wanted, last = s.goal;
    lanes.wide = n;
    int from[4] = {-1, -1, -1, -1};
    bool fits = true, any_stays = false;
    for (int i = 0; i < n && fits; ++i) {
      const int id = s.goal.want[i], lane = id >> 4;
      if (id < 0)
        continue;
      if (id / 64 == stays && lane % 4 == i / 16) {
        any_stays = true;
        continue;
      }
      const int at = i / 16 * 16 + id % 16;
      fits = from[i / 16] < 0 || from[i / 16] == lane;
      from[i / 16] = lane;
      lanes.want[at] = Name(id);
      last.want[i] = name_of(gathered, at);
    }
    if (!fits || (stays != no_value && !any_stays)) // the way in which none stays is the same
      continue;
    lanes.settle();
    const uint32_t read = lanes.inputs;
    if (!read)
      continue;
    Search first(s.isa, s.cpu, lanes, s.inputs, s.input_bytes);
    first.best_score = s.best_score - 0.125f;
    if (std::popcount(read) == 1)
      lanes_of_one(first, int8_t(std::countr_zero(read)));
    else
      two_sources(first, a, b);
    if (!first.found || first.best.count != 1)
      continue;
    last.settle();
    Search then(s.isa, s.cpu, last, s.inputs + 1, std::max(s.input_bytes, n));
    then.best_score = s.best_score - cost(s.cpu, first.best.steps[0]).latency - 0.125f;
    if (stays != no_value && (last.inputs >> stays & 1))
      two_sources(then, stays, gathered);
    else
      one_source(then, gathered);
    offer_pair(s, first.best.steps[0], then);
  }
}

// What one instruction of two sources holds of what is wanted, anywhere, put in order by another of one source.
constexpr void gather_first(Search& s, int8_t a, int8_t b) {
  const int n = s.goal.bytes;
  const auto attempt = [&](const Step& first) {
    Goal last = s.goal;
    int8_t where[128]{}; // 1 + the place of each byte of a and of b
    for (int i = 0; i < n; ++i)
      if (const From f = source(first, i); f.operand >= 0)
        where[(f.operand == 0 ? first.a == b : first.b == b) * 64 + f.byte] = int8_t(i + 1);
    for (int i = 0; i < last.wide; ++i) {
      const int id = last.want[i];
      if (id < 0)
        continue;
      const int at = where[(id / 64 == b) * 64 + id % 64];
      if (!at)
        return;
      last.want[i] = name_of(s.inputs, at - 1);
    }
    last.settle();
    Search then(s.isa, s.cpu, last, s.inputs + 1, std::max(s.input_bytes, n));
    then.best_score = s.best_score - cost(s.cpu, first).latency - 0.125f;
    one_source(then, s.inputs);
    offer_pair(s, first, then);
  };

  // For each source: the least and the last byte of a lane that is wanted; which dwords of a lane; which qword of each
  // lane.
  int low[2] = {16, 16}, high[2] = {0, 0}, dwords[2] = {};
  int8_t qword[2][4] = {{-1, -1, -1, -1}, {-1, -1, -1, -1}};
  bool qwords = true;
  uint64_t wanted[2] = {};
  for (int i = 0; i < s.goal.wide; ++i) {
    const int id = s.goal.want[i];
    if (id < 0)
      continue;
    const int x = id / 64 == b, in = id % 16, lane = id % 64 / 16;
    low[x] = std::min(low[x], in), high[x] = std::max(high[x], in);
    dwords[x] |= 1 << in / 4;
    qwords &= qword[x][lane] < 0 || qword[x][lane] == in / 8;
    qword[x][lane] = int8_t(in / 8);
    wanted[x] |= uint64_t(1) << id % 64;
  }
  const uint8_t bytes = uint8_t(n);
  if ((high[0] < 8 && high[1] < 8) || (low[0] >= 8 && low[1] >= 8))
    for (const uint8_t e : {8, 4, 2, 1})
      attempt({.op = high[0] < 8 ? Op::unpack_low : Op::unpack_high, .bytes = bytes, .element = e, .a = a, .b = b});
  if (qwords) {
    Step two{.op = Op::shuffle_two, .bytes = bytes, .element = 8, .a = a, .b = b};
    for (int l = 0; l < n / 16; ++l)
      two.imm |= uint8_t(((qword[0][l] > 0) | (qword[1][l] > 0) << 1) << 2 * l);
    attempt(two);
  }
  if (std::popcount(unsigned(dwords[0])) <= 2 && std::popcount(unsigned(dwords[1])) <= 2) {
    Step two{.op = Op::shuffle_two, .bytes = bytes, .element = 4, .a = a, .b = b};
    for (int x : {0, 1}) {
      const int first = std::countr_zero(unsigned(dwords[x])) & 3,
                second = (31 - std::countl_zero(unsigned(dwords[x]))) & 3;
      two.imm |= uint8_t((first | second << 2) << 4 * x);
    }
    attempt(two);
  }
  // The upper part of one lane below the lower part of another.
  for (const int x : {0, 1}) {
    if (high[1 - x] >= low[x])
      continue;
    int by = low[x];
    for (int e = 8; e; e /= 2)
      if (low[x] / e * e > high[1 - x]) {
        by = low[x] / e * e;
        break;
      }
    attempt({.op = Op::align_bytes, .bytes = bytes, .element = 1, .a = x ? a : b, .b = x ? b : a, .imm = uint8_t(by)});
  }
  // Both in place.
  if (wanted[0] & wanted[1])
    return;
  for (const uint8_t e : {8, 4, 2, 1}) {
    uint64_t of_a = 0, of_b = 0;
    for (int i = 0; i < n; ++i)
      of_a |= (wanted[0] >> i & 1) << i / e, of_b |= (wanted[1] >> i & 1) << i / e;
    if (of_a & of_b)
      continue;
    Step blend{.op = Op::blend_mask, .bytes = bytes, .element = e, .a = a, .b = b, .mask = of_b};
    const bool repeated = uint8_t(of_b) == uint8_t(of_b >> 8) || n == 16;
    if (!s.avx512()) {
      blend.mask = 0, blend.op = Op::blend_imm, blend.imm = uint8_t(of_b);
      if (e == 8)
        continue; // dwords do the same
      if (e == 1 || (e == 2 && !repeated)) {
        blend.op = Op::blend_bytes, blend.element = 1, blend.imm = 0;
        for (int i = 0; i < n; ++i)
          blend.index[i] = wanted[1] >> i & 1 ? 0x80 : 0;
      }
    }
    return attempt(blend);
  }
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
