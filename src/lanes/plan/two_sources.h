// Owns the ways of one instruction that reads two registers.
#pragma once
#include "lanes/plan/one_source.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

constexpr void blends(Search& s, const Views& v, int8_t a, int8_t b) {
  const uint8_t n = uint8_t(s.goal.bytes);
  for (int e : {8, 4, 2, 1}) {
    const Elements& x = v(e);
    if (!x.ok)
      continue;
    // What is taken must lie where it is wanted, but for zeros, which a mask makes.
    uint64_t of_b = 0;
    bool moves = false;
    const int per_input = x.per_input;
    for (int i = 0; i < x.count && !moves; ++i) {
      const int at = x.at[i];
      if (at < 0)
        continue;
      moves = (at & (per_input - 1)) != i;
      if (at / per_input == b)
        of_b |= uint64_t(1) << i;
    }
    if (moves)
      return;
    if (s.avx512())
      s.offer(Class::blend, {.op = Op::blend_mask, .bytes = n, .element = uint8_t(e), .a = a, .b = b, .mask = of_b});
    if (n == 64)
      continue;
    if (e == 4)
      s.offer(Class::blend, {.op = Op::blend_imm, .bytes = n, .element = 4, .a = a, .b = b, .imm = uint8_t(of_b)});
    if (e == 2)
      s.offer(Class::blend,
              {.op = Op::blend_imm, .bytes = n, .element = 2, .a = a, .b = b, .imm = uint8_t(of_b | of_b >> 8)});
    if (e == 1 && !s.avx512()) {
      Step bytes{.op = Op::blend_bytes, .bytes = n, .element = 1, .a = a, .b = b};
      for (int i = 0; i < n; ++i)
        bytes.index[i] = of_b >> i & 1 ? 0x80 : 0;
      s.offer(Class::blend, bytes);
    }
  }
}

constexpr void in_lane_two(Search& s, const Views& v, int8_t a, int8_t b) {
  const uint8_t n = uint8_t(s.goal.bytes);
  for (int e : {8, 4, 2, 1}) {
    const Elements& x = v(e);
    if (!x.ok)
      continue;
    const int i = x.first();
    if (x.input(i) != (i % 2 ? b : a))
      continue;
    s.offer(Class::unpack, {.op = x.index(i) % (16 / e) * e < 8 ? Op::unpack_low : Op::unpack_high,
                            .bytes = n,
                            .element = uint8_t(e),
                            .a = a,
                            .b = b});
  }
  if (v(4).ok)
    s.offer(
        Class::shuffle_two,
        {.op = Op::shuffle_two, .bytes = n, .element = 4, .a = a, .b = b, .imm = uint8_t(repeated_imm(v(4), 4, 2))});
  if (v(8).ok) {
    Step q{.op = Op::shuffle_two, .bytes = n, .element = 8, .a = a, .b = b};
    for (int i = 0; i < n / 8; ++i)
      q.imm |= uint8_t((v(8).at[i] >= 0 ? v(8).index(i) & 1 : 0) << i);
    s.offer(Class::shuffle_two, q);
  }
  // a above b, moved down.
  const int to = v(1).first(), from = v(1).index(to) - v(1).index(to) / 16 * 16 + (v(1).input(to) == a ? 16 : 0);
  const int by = from - to % 16;
  if (by > 0 && by < 32)
    s.offer(Class::align_lane, {.op = Op::align_bytes, .bytes = n, .element = 1, .a = a, .b = b, .imm = uint8_t(by)});
  if (s.isa >= Isa::avx512_vbmi2)
    for (int e : {2, 4, 8}) {
      const int in = v(1).index(to) % e, k = v(1).input(to) == a ? to % e - in : to % e + e - in;
      if (k > 0 && k < e)
        s.offer(Class::align_element,
                {.op = Op::shift_double, .bytes = n, .element = uint8_t(e), .a = a, .b = b, .imm = uint8_t(8 * k)});
    }
}

constexpr void across_two(Search& s, const Views& v, int8_t a, int8_t b) {
  const uint8_t n = uint8_t(s.goal.bytes);
  if (s.avx512())
    for (int e : {8, 4}) {
      if (!v(e).ok)
        continue;
      const int to = v(e).first(), by = v(e).index(to) - to + (v(e).input(to) == a ? n / e : 0);
      if (by > 0 && by < n / e)
        s.offer(Class::align_register,
                {.op = Op::align, .bytes = n, .element = uint8_t(e), .a = a, .b = b, .imm = uint8_t(by)});
    }
  const Elements& l = v(16);
  if (l.ok && n == 64 && s.avx512()) {
    Step move{.op = Op::shuffle_lanes, .bytes = 64, .element = uint8_t(v(8).ok ? 8 : 4), .a = a, .b = b};
    for (int i = 0; i < 4; ++i)
      move.imm |= uint8_t((l.at[i] < 0 ? 0 : l.index(i)) << 2 * i);
    s.offer(Class::lanes, move);
  }
  if (l.ok && n == 32) {
    const Elements exact = s.goal.zeros ? Views(s.goal)(16) : l;
    Step move{.op = Op::permute_halves, .bytes = 32, .element = 4, .a = a, .b = b};
    for (int i = 0; i < 2; ++i)
      move.imm |= uint8_t((exact.at[i] == zero ? 8
                           : l.at[i] < 0       ? 0
                                               : l.index(i) + (l.input(i) == b ? 2 : 0))
                          << 4 * i);
    s.offer(Class::lanes, move);
  }
  if (n >= 32 && (n == 32 || s.avx512()))
    for (int part : {16, 32})
      for (int at = 0; part < n && at < n / part; ++at)
        if (const Name w = s.goal.want[at * part]; w == dont_care || w == name_of(b, 0))
          s.offer(Class::insert,
                  {.op = Op::insert, .bytes = n, .element = 4, .a = a, .b = b, .imm = uint8_t(part | at)});
  for (int e : {8, 4, 2, 1}) {
    if (!v(e).ok || !(e == 1 ? s.isa >= Isa::avx512_vbmi : s.avx512()))
      continue;
    Step two{.op = Op::permute_two, .bytes = n, .element = uint8_t(e), .a = a, .b = b};
    if (score(s.cpu, two) >= s.best_score)
      continue;
    const Elements& x = v(e);
    const int count = n / e, per_input = x.per_input;
    for (int i = 0; i < count; ++i)
      if (const int at = x.at[i]; at >= 0)
        two.index[i] = uint8_t((at & (per_input - 1)) + (at / per_input == b ? count : 0));
    if (s.all_of(1u << a | 1u << b))
      s.offer_right(Class::permute_two, two);
    else
      s.offer(Class::permute_two, two);
  }
}

// Every way of one instruction that reads both.
constexpr void two_sources(Search& s, int8_t a, int8_t b) {
  const Views v(s.goal.only(1u << a | 1u << b));
  const bool both_alone = s.all_of(1u << a | 1u << b);
  if (both_alone)
    s.know(v);
  blends(s, v, a, b);
  for (int order : {0, 1}) {
    const int8_t x = order ? b : a, y = order ? a : b;
    if (both_alone)
      s.know(v);
    in_lane_two(s, v, x, y);
    across_two(s, v, x, y);
    if (!s.avx512())
      continue;
    // x moved into y, whose elements are where they should be.
    bool y_stays = true;
    for (int i = 0; i < s.goal.wide && y_stays; ++i) {
      const Name w = s.goal.want[i];
      y_stays = w == dont_care || (w >= 0 && (w / 64 == x || w == s.input(y, i)));
    }
    if (!y_stays)
      continue;
    s.merge = y;
    one_source(s, x);
    s.merge = no_value;
  }
  s.whole = nullptr;
}

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
