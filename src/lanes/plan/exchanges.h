// Owns exchanges: two instructions on the same two registers whose results hold together what the two held. Networks of
// exchanges make several results of one set of registers (lanes/plan/networks.h).
#pragma once
#include "lanes/plan/plan.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {
namespace detail {

// Of values a and b: what takes their places.
struct Exchange {
  Step low, high;
};
inline constexpr int exchange_count = 13;

// Exchange `number` of registers of n bytes, and of elements of e bytes where it could be of any; false if there is no
// such one.
constexpr bool exchange(int number, Isa isa, int n, int e, int8_t a, int8_t b, Exchange& x) {
  const bool avx512 = isa >= Isa::avx512;
  const auto both = [&](Op op, int element, int low, int high) {
    x.low = {.op = op, .bytes = uint8_t(n), .element = uint8_t(element), .a = a, .b = b, .imm = uint8_t(low)};
    x.high = x.low;
    x.high.op = op == Op::unpack_low ? Op::unpack_high : op;
    x.high.imm = uint8_t(high);
  };
  // Those elements of b whose bit is set, and the others of a; and the other way around.
  const auto blends = [&](int element, unsigned of_b) {
    both(avx512 ? Op::blend_mask : Op::blend_imm, avx512 || element < 8 ? element : 4, 0, 0);
    const int count = n / element;
    if (avx512) {
      const uint64_t all = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
      x.low.mask = of_b * (~uint64_t(0) / 0xff) & all, x.high.mask = ~x.low.mask & all;
    } else {
      const unsigned mask = n == 16 && element >= 4 ? 0xfu : 0xffu;
      x.low.imm = uint8_t((element == 8 ? 0xcc : of_b) & mask), x.high.imm = uint8_t(~x.low.imm & mask);
    }
  };
  switch (number) {
  case 0:
  case 1:
  case 2:
  case 3: return both(Op::unpack_low, 1 << number, 0, 0), true;
  case 4: return both(Op::shuffle_two, 4, 0x88, 0xdd), true;
  case 5: // lanes of 128 bits: lower ones, upper ones
    if (n == 32)
      both(Op::permute_halves, 4, 0x20, 0x31);
    else
      both(Op::shuffle_lanes, 8, 0x44, 0xee);
    x.low.op = Op::insert, x.low.element = 4, x.low.imm = uint8_t(n / 2 | 1); // costs less than either
    return n >= 32;
  case 6: // every second lane
    both(Op::shuffle_lanes, 8, 0x88, 0xdd);
    return n == 64;
  case 7: // lanes that stay, lanes that change places
    both(Op::permute_halves, 4, 0x30, 0x21);
    if (n == 32)
      x.low = {.op = avx512 ? Op::blend_mask : Op::blend_imm,
               .bytes = 32,
               .element = 4,
               .a = a,
               .b = b,
               .imm = uint8_t(avx512 ? 0 : 0xf0),
               .mask = avx512 ? 0xf0u : 0};
    return n == 32;
  case 8: // qwords that stay, qwords that change places
    blends(8, 0xaa);
    x.high = {.op = Op::shuffle_two, .bytes = uint8_t(n), .element = 8, .a = a, .b = b, .imm = 0x55};
    return true;
  case 9: return blends(4, 0xaa), true;
  case 10: return blends(2, 0xaa), true;
  case 11: // elements of even places, of odd ones
  case 12: // the lower halves element by element, the upper ones
    both(Op::permute_two, e, 0, 0);
    for (int i = 0; i < n / e; ++i) {
      const int half = n / e / 2, far = i % 2 * (n / e);
      x.low.index[i] = uint8_t(number == 11 ? 2 * i : i / 2 + far);
      x.high.index[i] = uint8_t(number == 11 ? 2 * i + 1 : i / 2 + half + far);
    }
    return e == 1 ? isa >= Isa::avx512_vbmi : avx512;
  }
  return false;
}

// Where elements of `size` bytes are afterwards: of value a and of b, element by element; or that some are torn.
struct Places {
  bool whole = true;
  int8_t value[2][64]{}, at[2][64]{}; // value 0: low, 1: high
  constexpr void fill(const Exchange& x, int n, int size) {
    const int count = n / size;
    for (int side : {0, 1})
      for (int i = 0; i < count; ++i)
        value[side][i] = no_value;
    for (int8_t high : {0, 1})
      for (int8_t i = 0; i < count; ++i) {
        const From f = unmasked_source(high ? x.high : x.low, i * size);
        if (f.operand < 0 || f.byte % size) {
          whole = false;
          return;
        }
        if (size > 1) {
          const From last = unmasked_source(high ? x.high : x.low, i * size + size - 1);
          if (last.operand != f.operand || last.byte != f.byte + size - 1) {
            whole = false;
            return;
          }
        }
        value[f.operand][f.byte / size] = high, at[f.operand][f.byte / size] = i;
      }
  }
};

} // namespace detail
} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
