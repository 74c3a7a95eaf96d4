// Owns the choice between the compiler's own shuffle, the plan's steps, and the plan's steps hidden from the compiler
// (pinned).
//
// Measured by `crosslane_lanes_bench --only pattern` on Zen 4 (EPYC, family 25, model 17), clang 19, plans for Ice
// Lake's costs. Each line: nanoseconds for one permute, independent ones / a chain of them. Where the compiler is not
// named, it is as good as the plan (most patterns without zeros of one source), or better, and nothing is planned,
// which saves the compile time.
//
//   AVX-512 (all levels unless said)                 compiler   steps      pinned
//   one source, zeros:
//     cross-lane, 64 x 8 (VBMI)                      0.54/1.63  0.33/1.71  0.27/1.36   shifts and aligns, or blends
//     cross-lane, 16 x 32                            1.36/1.36  0.33/1.64  0.28/1.36   the compiler: vpexpandd
//     cross-lane, 8 x 64                             1.37/1.37  1.37/1.37  0.28/1.36   vpexpandq
//     immediate across lanes, 8 x 64                 0.27/1.36  0.27/1.36  0.27/1.09
//     align per register, 8 x 64                     0.27/1.22  0.54/2.44  0.27/1.09
//   two sources:
//     consecutive, 64 x 8 (VBMI)                     0.55/1.65  0.32/1.67  0.35/1.68   valignq, vpalignr
//     zeros, 64 x 8 (VBMI)                           0.35/1.77  0.35/1.77  0.29/1.37   permutes, blends with zero
//     zeros, 32 x 16, 16 x 32, 8 x 64                0.32/1.66  0.33/1.67  0.29/1.36   likewise
//     of two registers, 32 x 32                      1.09/2.85  0.68/2.15  0.55/1.37
//     permute into another, 16 x 8                   0.33/0.89  0.32/0.89  0.14/0.54   permutes, then blends
//     zero, either or any of two, 16 x 8             0.33/1.30  0.18/0.82  0.19/0.83
//     ... with VBMI                                  0.17/1.11  0.19/0.84  0.20/0.86
//     ... 8 x 16 (VBMI)                              0.23/1.11  0.24/1.11  0.21/0.85
//     scattered, 16 x 8, AVX-512BW                   0.27/0.81  0.27/0.82  0.19/0.83   VBMI: the compiler 0.14/0.83
//     align per lane, 4 x 32                         0.15/0.81  0.15/0.68  0.15/0.68
//   swap between pairs, 32 x 16, AVX-512BW           0.28/1.38  0.28/1.39  0.31/0.89
//   ... 64 x 8                                       0.54/0.54  0.28/0.82  0.31/0.86
//   several, 64 x 8, AVX-512BW: scattered            1.13/3.53  1.09/2.17  1.09/2.18
//   ... zero, either or any of two                   2.47/5.14  1.09/2.45  1.09/2.46
//   ... three of four apart                          1.22/2.71  0.55/1.90  0.55/1.90
//   pack, 64 x 8, AVX-512BW                          0.81/1.90  0.57/1.92  0.54/1.92   every second of both
//   blends, zeros in place, extension                0.14/0.31  0.15/0.28  0.18/0.39   no plan is better
//
//   AVX2
//   several, up to 3 steps, 16 x 16                  0.44/1.82  0.44/1.82  0.27/1.63   three of four together
//   ...                                              0.44/1.90  0.27/1.90  0.27/1.90   one source into another
//   ... 32 x 8                                       0.41/1.90  0.27/1.63  0.27/1.63   three of four apart
//   4 steps, one source, 32 x 8                      0.54/2.17  0.42/1.90  0.42/1.90
//   ... 16 x 16                                                 0.27/1.90 of the compiler is better
//   one source into another, 8 x 32                  0.28/1.49  0.17/1.36  0.18/1.36
//   zeros, two registers of 8 x 32                   0.55/1.26  0.34/0.82  0.43/0.88
//   consecutive of two, 8 x 32, 2 steps              0.28/1.36  0.28/1.36  0.18/1.36
//   swap between pairs, 8 x 16                       0.32/0.89  0.33/0.89  0.17/0.81
//   one source of two registers, 16 x 32             0.56/1.59  0.56/1.59  0.38/1.67   four columns transposed
//   ... rotated                                      0.57/1.71             0.37/1.66
//   every second of 8 x 32                           0.21/1.08  0.14/1.09  0.14/1.09
//   consecutive, zeros, 32 x 8                       0.27/1.35  0.41/1.63  0.41/1.90   the plan is worse, as are most
//                                                                                      of more steps
//
// Sapphire Rapids (family 6, model 207), the same measure. Its instructions that are masked by bytes or words take two
// cycles more than Ice Lake's (vpermb {z} 5), which no cost table has.
//
//   one source, zeros, 64 x 8, AVX-512BW: by 5       2.01/3.93  0.68/3.40  0.68/2.01
//   ... by 21                                        2.01/3.42  1.35/2.34  1.34/2.34
//   scattered of two, 64 x 8, AVX-512BW              1.35/5.68  1.68/3.34  2.01/3.34
//   interleave, 32 x 16, VBMI                        0.68/2.34  0.68/1.35  0.68/1.35   vpermt2w; vpermt2b
//   scattered of two, 32 x 16, VBMI                  0.68/2.34  0.38/2.01  0.52/2.01   vpermt2w; vpblendmw, vpermb
//   ... 16 x 16                                      0.68/2.34  0.68/2.01  0.36/2.01
//   one source, 32 x 16, VBMI                        0.38/1.01  0.35/1.01  0.35/1.01   vpermw; vpermb
//
// Zen 5 (family 26, model 2), the same measure, compiled for it.
//
//   in 128 bits, zeros, 16 x 32                      0.14/0.95  0.14/0.54  0.15/1.08
//   permute into another, 4 x 32                     0.14/0.81  0.14/0.81  0.15/1.08
//   reverse, 16 x 32                                 0.14/1.91  0.14/1.36  0.14/1.36   two permutes by immediates
//   ... AVX2: 8 x 32                                 0.14/1.64  0.14/1.64  0.14/1.09
//   AVX2: every second of both, 16 x 16              0.41/2.28  0.27/2.25  0.27/2.24
//   AVX2: transpose of four columns, 32 x 8          0.41/2.18  0.41/2.18  0.27/1.63
//   AVX2: align by one, 4 x 32                       0.14/1.09  0.14/0.82  0.14/0.82
#pragma once
#include "lanes/plan/lower.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

namespace detail {
// What can be seen of a pattern without planning it.
struct Look {
  bool zeros = false, both = false; // reads both sources
  bool consecutive = true; // element i is element i + constant of both sources laid end to end, or that rotated
  bool strided = true;     // element i is element 2 i + constant
  bool one_stays = false;  // what comes of one of both sources does not move
  bool in_lanes = true;    // nothing leaves its 128 bits
  bool in_place = true;    // nothing moves: a blend, or some elements become zero
};
constexpr Look look(const Pattern& p) {
  Look l;
  bool first = false, second = false, first_stays = true, second_stays = true, any = false;
  int by = 0, start = 0;
  const int n = p.source_elements, all = n * p.sources, lane = 16 / p.element_bytes;
  for (int i = 0; i < p.elements; ++i) {
    const int from = p.from[i];
    l.zeros |= from == zero;
    if (from < 0)
      continue;
    if (!any)
      by = (from - i + all) % all, start = (from - 2 * i + 2 * all) % all;
    any = true;
    l.consecutive &= (from - i + all) % all == by;
    l.strided &= (from - 2 * i + 2 * all) % all == start;
    l.in_lanes &= from % n / lane == i / lane;
    l.in_place &= from % n == i;
    if (from < n)
      first = true, first_stays &= from == i;
    else
      second = true, second_stays &= from - n == i;
  }
  l.both = first && second;
  l.one_stays = l.both && (first_stays || second_stays);
  return l;
}
// With AVX2; `compiler`: as on other CPUs.
constexpr Lowering on_zen5(const Pattern& p, const Look& l) {
  const int e = p.element_bytes;
  if (l.zeros || l.in_place || e == 8)
    return Lowering::compiler;
  if (p.bytes() == 16 && l.both)
    return e == 4 && l.consecutive ? Lowering::steps : Lowering::compiler;
  if (l.both)
    return e <= 2 && l.strided && !l.in_lanes ? Lowering::steps : Lowering::compiler;
  return l.in_lanes || (e <= 2 && (l.consecutive || l.strided || p.bytes() == 16)) ? Lowering::compiler
                                                                                   : Lowering::pinned;
}
constexpr bool taken_on_zen5(const Plan& plan) {
  using enum Class;
  return plan.kind == permute || plan.kind == pack || plan.kind == align_lane ||
         (plan.kind == several && plan.count == 2);
}
} // namespace detail

// Told to tune for a Zen, of which it tells no program unless by -march, the compiler takes two permutes by immediates
// for one by an index, which costs more.
#if defined(__tune_znver4__) || defined(__tune_znver5__)
inline constexpr bool compiled_for_zen = true;
#else
inline constexpr bool compiled_for_zen = is_zen(compiled_cpu);
#endif

// Whether a pattern's plan is made at all at compile time: planning costs some 10 to 20 ms a register.
constexpr bool may_beat_compiler(const Pattern& p, Isa isa) {
  const detail::Look l = detail::look(p);
  const int e = p.element_bytes;
  if (l.in_place)
    return false;
  if (isa == Isa::avx2) {
    if (compiled_cpu == Cpu::zen5 && detail::on_zen5(p, l) != Lowering::compiler)
      return true;
    if (l.one_stays)
      return p.bytes() <= 32;
    if (l.strided && !l.both && p.bytes() == 16 && p.source_bytes() == 32)
      return e <= 4;
    if (l.consecutive)
      return e == 4 && !l.zeros && !l.in_lanes && p.bytes() >= 32;
    if (e == 4 && p.source_bytes() == 64 && !l.both && !l.in_lanes)
      return true;
    if (l.strided)
      return false;
    return e <= 2 ? p.bytes() <= 32 && (l.zeros || l.both) : l.zeros && e == 4 && p.source_bytes() == 64;
  }
  if (l.zeros)
    return true;
  // Of words, vpermb and vpermt2b, which the compiler does not take, cost less than vpermw and vpermt2w on Intel's.
  if (!is_zen(compiled_cpu) && isa >= Isa::avx512_vbmi && e == 2 && p.bytes() > 16 && !l.in_lanes)
    return true;
  if (compiled_for_zen && e >= 4 && p.bytes() >= 64 && !l.both && !l.in_lanes)
    return true;
  if (isa == Isa::avx512 && e == 1 && p.bytes() > 16 && !l.in_lanes && !l.consecutive)
    return true;
  if (isa == Isa::avx512 && e <= 2 && l.both && l.in_lanes)
    return true;
  return l.both && (p.bytes() <= 16 || l.one_stays || (l.consecutive && e == 1 && isa >= Isa::avx512_vbmi));
}

constexpr Lowering chosen_lowering(const Plan& plan, const Pattern& p, Isa isa) {
  using enum Class;
  using enum Lowering;
  const detail::Look l = detail::look(p);
  const int e = p.element_bytes;
  const bool small = p.bytes() <= 16;
  if (isa == Isa::avx2) {
    if (compiled_cpu == Cpu::zen5 && detail::taken_on_zen5(plan) && detail::on_zen5(p, l) != compiler)
      return detail::on_zen5(p, l);
    if (l.consecutive)
      return plan.kind == several && plan.count <= 2 ? pinned : compiler;
    if (p.source_bytes() > 32 && !l.zeros)
      return plan.kind == several && plan.count <= 2 ? pinned : compiler;
    if (p.source_bytes() > 32)
      return plan.kind == several || plan.kind == extend ? steps : compiler;
    if (plan.kind == permute && small)
      return steps;
    if (plan.kind != several)
      return compiler;
    if (l.one_stays)
      return pinned;
    if (small && plan.steps[0].op == Op::blend_imm)
      return pinned;
    if (small)
      return e == 1 && l.both ? (l.zeros ? steps : pinned) : l.both || l.zeros ? compiler : pinned;
    if (e == 1 && !l.both && plan.count <= 4)
      return pinned;
    if (e == 2 && l.both && l.in_lanes && plan.count <= 2)
      return compiler;
    return e <= 2 && plan.count <= 3 ? pinned : compiler;
  }
  switch (plan.kind) {
  case in_lane_imm: return compiled_cpu == Cpu::zen5 && e == 4 && l.zeros ? steps : compiler;
  case permute:
    if (e == 2 && plan.steps[0].element == 1 && !is_zen(compiled_cpu))
      return pinned;
    if (e >= 4 && compiled_for_zen)
      return pinned;
    [[fallthrough]];
  case permute_imm:
  case align_register: return l.zeros ? pinned : compiler;
  case merge: return compiled_cpu == Cpu::zen5 && e == 4 && small ? compiler : pinned;
  case permute_two: return pinned;
  case align_lane: return l.both && small ? pinned : compiler;
  case several:
    if (small && e == 1)
      return !l.both ? compiler : l.zeros ? steps : isa == Isa::avx512 ? pinned : compiler;
    if (small && l.both && l.zeros)
      return e == 2 && isa != Isa::avx512 ? pinned : compiler;
    if (small)
      return l.both && l.strided ? pinned : compiler;
    if (l.both && e == 2 && !l.in_lanes && !l.zeros && isa != Isa::avx512 && !is_zen(compiled_cpu))
      return plan.count > 2 ? compiler : p.bytes() <= 32 ? pinned : steps;
    if (!l.both && l.consecutive && l.zeros && e == 1 && isa == Isa::avx512)
      return pinned;
    if (l.both && e == 1 && isa == Isa::avx512 && !is_zen(compiled_cpu) && !l.consecutive && !l.strided)
      return steps;
    if (l.both && l.consecutive && e == 1 && isa != Isa::avx512)
      return l.zeros ? compiler : steps;
    if (l.both && l.in_lanes && e <= 2 && isa == Isa::avx512 && plan.count == 2 && !l.zeros)
      return e == 1 ? steps : pinned;
    return e == 1 && isa == Isa::avx512 && !l.consecutive && !l.strided ? pinned : compiler;
  case pack: return e == 1 && isa == Isa::avx512 && !small ? pinned : compiler;
  default: return compiler;
  }
}

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
