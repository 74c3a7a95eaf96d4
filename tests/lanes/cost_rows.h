// The steps that stand for the rows of lanes/plan/costs.inc: one instruction of each operation, element size and width,
// or several where the row covers several (vpmovdb and vpmovqb give bytes, from elements of another size).
#pragma once
#include "lanes/plan/print.h"
#include <vector>

namespace crosslane::lanes::planner {

inline bool two_sources(Op op) {
  using enum Op;
  switch (op) {
  case shift_double:
  case unpack_low:
  case unpack_high:
  case shuffle_two:
  case align_bytes:
  case pack:
  case permute_halves:
  case shuffle_lanes:
  case insert:
  case align:
  case permute_two:
  case blend_imm:
  case blend_bytes:
  case blend_mask:
  case either: return true;
  default: return false;
  }
}

inline std::vector<Step> steps_of_row(Op op, int element, int bytes) {
  using enum Op;
  std::vector<Step> steps;
  const auto add = [&](int imm) {
    Step s{.op = op,
           .bytes = uint8_t(bytes),
           .element = uint8_t(element),
           .a = 0,
           .b = two_sources(op) ? int8_t(1) : no_value};
    s.imm = uint8_t(imm);
    for (int i = 0; i < 64; ++i)
      s.index[size_t(i)] = op == keep ? uint8_t(-(i % 2)) : uint8_t(63 - i);
    s.mask = 0x5a5a5a5a5a5a5a5a;
    if (named_element(s) == element && available(Isa::avx512_gfni, s))
      steps.push_back(s);
  };
  if (op == extend || op == truncate)
    for (const int times : {2, 4, 8})
      add(times);
  else if (op == extract)
    for (const int part : {1, 2, 3})
      add(part);
  else if (op == insert)
    for (const int part : {0x11, 0x21})
      add(part);
  else if (op == shift_left || op == shift_right || op == rotate_left || op == shift_double)
    add(8);
  else
    add(op == align || op == align_bytes || op == shift_bytes_left || op == shift_bytes_right ? 3 : 0x39);
  return steps;
}

// f(op, element, bytes, steps)
template <class F> void every_cost_row(F f) {
  for (int op = 0; op < op_count; ++op)
    for (const int element : {1, 2, 4, 8})
      for (const int bytes : {16, 32, 64})
        if (const std::vector<Step> steps = steps_of_row(Op(op), element, bytes); !steps.empty())
          f(Op(op), element, bytes, steps);
}

} // namespace crosslane::lanes::planner
