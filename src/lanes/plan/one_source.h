// Owns the ways of one instruction that reads one register. Each looks at the first elements wanted, derives its
// immediate or its index from them, and offers itself.
#pragma once
#include "lanes/plan/search.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// Immediate of `slots` fields of `bits` each, the same for every group of `slots` elements.
constexpr int repeated_imm(const Elements& e, int slots, int bits) {
  int imm = 0;
  for (int s = 0; s < slots; ++s) {
    const int i = e.first(s, slots);
    imm |= (i < e.count ? e.index(i) % slots : s) << (bits * s);
  }
  return imm;
}
constexpr Step byte_shuffle(const Elements& bytes, uint8_t n, int8_t a) {
  Step s{.op = Op::shuffle_bytes, .bytes = n, .element = 1, .a = a};
  for (int i = 0; i < n; ++i)
    s.index[i] = bytes.at[i] >= 0 ? uint8_t(bytes.at[i] & 15) : 0x80;
  return s;
}
constexpr bool in_lanes(const Elements& bytes) {
  for (int i = 0; i < bytes.count; ++i)
    if (const int from = bytes.at[i]; from >= 0 && ((from ^ i) & 48))
      return false;
  return true;
}
constexpr void stay(Search& s, const Views& v, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  bool same = true;
  for (int i = s.goal.first; i < s.goal.wide && same; ++i)
    same = s.goal.want[i] == dont_care || s.goal.want[i] == s.input(a, i);
  if (same) {
    Plan p = s.empty(Class::identity);
    p.result = a;
    return s.keep(p);
  }
  if (!s.goal.zeros)
    return;
  for (int half = 16; half <= n && half < 64; half *= 2)
    s.offer(Class::zeros, {.op = Op::move, .bytes = uint8_t(half), .element = 4, .a = a});
  for (uint8_t e = 8; e && s.avx512(); e /= 2)
    s.offer(Class::zeros, {.op = Op::move, .bytes = n, .element = e, .a = a});
  if (!s.avx512()) {
    Step keep{.op = Op::keep, .bytes = n, .element = 1, .a = a};
    for (int i = 0; i < n; ++i)
      keep.index[i] = v(1).at[i] >= 0 ? 0xff : 0;
    s.offer(Class::zeros, keep);
  }
}

constexpr void broadcast(Search& s, const Views& v, int8_t a) {
  for (int e : {8, 4, 2, 1}) {
    const int i = v(e).first();
    if (!v(e).ok || i == v(e).count || v(e).index(i) != 0)
      continue;
    s.offer(Class::broadcast, {.op = Op::broadcast, .bytes = uint8_t(s.goal.bytes), .element = uint8_t(e), .a = a});
  }
}

// Bytes keep to their element, or to their 128 bits, and all move by as much as the first.
constexpr void shifts(Search& s, const Views& v, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  const int to = v(1).first(), from = v(1).index(to);
  for (int e : {8, 4, 2}) {
    if (to / e != from / e)
      continue;
    const int by = to % e - from % e;
    const Step shift{.op = by > 0 ? Op::shift_left : Op::shift_right,
                     .bytes = n,
                     .element = uint8_t(e),
                     .a = a,
                     .imm = uint8_t(8 * (by > 0 ? by : -by))};
    if (by)
      s.offer(Class::shift_in_element, shift);
    if (by && s.avx512() && e >= 4)
      s.offer(Class::rotate_in_element,
              {.op = Op::rotate_left, .bytes = n, .element = uint8_t(e), .a = a, .imm = uint8_t(8 * ((by + e) % e))});
  }
  if (to / 16 != from / 16 || to == from)
    return;
  const int by = to - from;
  s.offer(Class::shift_in_lane, {.op = by > 0 ? Op::shift_bytes_left : Op::shift_bytes_right,
                                 .bytes = n,
                                 .element = 1,
                                 .a = a,
                                 .imm = uint8_t(by > 0 ? by : -by)});
  s.offer(Class::align_lane,
          {.op = Op::align_bytes, .bytes = n, .element = 1, .a = a, .b = a, .imm = uint8_t((16 - by) % 16)});
}

constexpr void in_lane(Search& s, const Views& v, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  if (v(4).ok) {
    s.offer(Class::duplicate, {.op = Op::duplicate_even, .bytes = n, .element = 4, .a = a});
    s.offer(Class::duplicate, {.op = Op::duplicate_odd, .bytes = n, .element = 4, .a = a});
    s.offer(Class::in_lane_imm,
            {.op = Op::shuffle_dwords, .bytes = n, .element = 4, .a = a, .imm = uint8_t(repeated_imm(v(4), 4, 2))});
  }
  if (v(8).ok) {
    s.offer(Class::duplicate, {.op = Op::duplicate_even, .bytes = n, .element = 8, .a = a});
    Step q{.op = Op::shuffle_qwords, .bytes = n, .element = 8, .a = a};
    for (int i = 0; i < n / 8; ++i)
      q.imm |= uint8_t((v(8).at[i] >= 0 ? v(8).index(i) & 1 : i & 1) << i);
    s.offer(Class::in_lane_imm, q);
    q.op = Op::shuffle_two, q.b = a; // on Ice Lake it has a port more
    s.offer(Class::in_lane_imm, q);
  }
  if (v(2).ok)
    for (int high : {0, 1}) {
      Step w{.op = high ? Op::shuffle_high_words : Op::shuffle_low_words, .bytes = n, .element = 2, .a = a};
      for (int slot = 0; slot < 4; ++slot) {
        const int i = v(2).first(slot + 4 * high, 8);
        w.imm |= uint8_t((i < v(2).count ? v(2).index(i) % 4 : slot) << 2 * slot);
      }
      s.offer(Class::in_lane_imm, w);
    }
  if (!in_lanes(v(1)))
    return;
  const Step shuffle = byte_shuffle(v(1), n, a);
  if (s.merge == no_value && !(s.goal.inputs & ~(1u << a)))
    s.offer_right(Class::in_lane_bytes, shuffle);
  else
    s.offer(Class::in_lane_bytes, shuffle);
}

constexpr void lanes_of_16(Search& s, const Views& v, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  const int to = v(1).first(), from = v(1).index(to);
  if (from >= to && (from - to) % 16 == 0 && from > to) {
    const int part = (from - to) / 16;
    s.offer(Class::extract, {.op = Op::extract, .bytes = 16, .element = 4, .a = a, .imm = uint8_t(part)});
    if (part == 2)
      s.offer(Class::extract, {.op = Op::extract, .bytes = 32, .element = 4, .a = a, .imm = 1});
  }
  if (v(8).ok && n >= 32)
    s.offer(Class::permute_imm,
            {.op = Op::permute_imm, .bytes = n, .element = 8, .a = a, .imm = uint8_t(repeated_imm(v(8), 4, 2))});
  const Elements& l = v(16);
  if (!l.ok || n < 32)
    return;
  if (n == 64) {
    Step move{.op = Op::shuffle_lanes, .bytes = 64, .element = uint8_t(v(8).ok ? 8 : 4), .a = a, .b = a};
    for (int i = 0; i < 4; ++i)
      move.imm |= uint8_t((l.at[i] < 0 ? i : l.index(i)) << 2 * i);
    s.offer(Class::lanes, move);
  } else {
    const Elements exact = s.goal.zeros ? Views(s.goal)(16) : l;
    Step move{.op = Op::permute_halves, .bytes = 32, .element = 4, .a = a, .b = a};
    for (int i = 0; i < 2; ++i)
      move.imm |= uint8_t((exact.at[i] == zero ? 8 : l.at[i] < 0 ? i : l.index(i)) << 4 * i);
    s.offer(Class::lanes, move);
    if (l.index(1) == 0 && l.at[1] >= 0)
      s.offer(Class::insert, {.op = Op::insert, .bytes = 32, .element = 4, .a = a, .b = a, .imm = 0x11});
  }
}

constexpr void rotations(Search& s, const Views& v, int8_t a) {
  if (!s.avx512())
    return;
  for (int e : {8, 4}) {
    if (!v(e).ok)
      continue;
    const int to = v(e).first(), count = s.goal.bytes / e, by = (v(e).index(to) - to + count) % count;
    if (by)
      s.offer(
          Class::align_register,
          {.op = Op::align, .bytes = uint8_t(s.goal.bytes), .element = uint8_t(e), .a = a, .b = a, .imm = uint8_t(by)});
  }
}

// Permutes by conversion: every second, fourth or eighth element, or elements with zeros between.
constexpr void conversions(Search& s, const Views& v, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  for (int e : {1, 2, 4}) {
    const Elements& x = v(e);
    if (!x.ok)
      continue;
    const int i = x.first(1);
    if (i == x.count)
      continue;
    for (int ratio : {2, 4, 8}) {
      if (e * ratio > 8)
        break;
      if (s.avx512() && x.index(i) == i * ratio)
        s.offer(Class::stride, {.op = Op::truncate, .bytes = n, .element = uint8_t(e), .a = a, .imm = uint8_t(ratio)});
      if (x.index(i) * ratio == i)
        s.offer(Class::extend,
                {.op = Op::extend, .bytes = n, .element = uint8_t(e * ratio), .a = a, .imm = uint8_t(ratio)});
    }
  }
}

constexpr void across(Search& s, const Views& v, int8_t a) {
  const uint8_t n = uint8_t(s.goal.bytes);
  for (int e : {8, 4, 2, 1}) {
    if (!v(e).ok || (e >= 4 && n == 16))
      continue;
    const bool have = e == 4 ? n == 32 || s.avx512() : e == 1 ? s.isa >= Isa::avx512_vbmi : s.avx512();
    if (!have)
      continue;
    Step permute{.op = Op::permute, .bytes = n, .element = uint8_t(e), .a = a};
    const Elements& x = v(e);
    const int index = x.per_input - 1;
    for (int i = 0; i < x.count; ++i)
      if (x.at[i] >= 0)
        permute.index[i] = uint8_t(x.at[i] & index);
    if (s.merge == no_value && s.all_of(1u << a))
      s.offer_right(Class::permute, permute);
    else
      s.offer(Class::permute, permute);
  }
}

// Elements in their order, moved together or apart, and zeros for the rest.
constexpr void in_order(Search& s, const Views& exact, int8_t a) {
  for (int e : {8, 4, 2, 1}) {
    const Elements& x = exact(e);
    if (!x.ok || !(e >= 4 || s.isa >= Isa::avx512_vbmi2))
      continue;
    const uint8_t n = uint8_t(s.goal.bytes);
    Step compress{.op = Op::compress, .bytes = n, .element = uint8_t(e), .a = a},
        expand{.op = Op::expand, .bytes = n, .element = uint8_t(e), .a = a};
    if (score(s.cpu, compress) >= s.best_score && score(s.cpu, expand) >= s.best_score)
      continue;
    uint64_t from = 0, to = 0;
    int previous = -1;
    bool ordered = true;
    for (int i = 0; i < x.count && ordered; ++i) {
      if (x.at[i] < 0)
        continue;
      ordered = x.index(i) > previous;
      previous = x.index(i);
      from |= uint64_t(1) << previous, to |= uint64_t(1) << i;
    }
    if (!ordered)
      continue;
    compress.mask = from, expand.mask = to;
    s.offer(Class::compress, compress);
    s.offer(Class::expand, expand);
  }
}

// The ways of one instruction that move whole lanes of 128 bits of `a`, where nothing else is wanted.
constexpr void lanes_of_one(Search& s, int8_t a) {
  const Views v(s.goal);
  stay(s, v, a);
  broadcast(s, v, a);
  lanes_of_16(s, v, a);
  rotations(s, v, a);
}

constexpr void ways_of_one(Search& s, const Views& v, int8_t a) {
  if (s.merge == no_value) {
    stay(s, v, a);
    if (s.found && s.best.count == 0)
      return;
  }
  if (v(1).first() == v(1).count)
    return;
  broadcast(s, v, a);
  shifts(s, v, a);
  in_lane(s, v, a);
  lanes_of_16(s, v, a);
  rotations(s, v, a);
  conversions(s, v, a);
  across(s, v, a);
  if (s.merge != no_value || !s.avx512())
    return;
  if (s.goal.zeros)
    in_order(s, Views(s.goal), a);
  else
    in_order(s, v, a);
}

// Every way of one instruction that reads `a`; what else is wanted is zero, or comes from s.merge.
constexpr void one_source(Search& s, int8_t a) {
  const Views v(s.goal.only(1u << a));
  if (s.all_of(1u << a))
    s.know(v);
  ways_of_one(s, v, a);
  s.whole = nullptr;
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
