// Owns the bookkeeping of a search for a plan: candidates are offered, tried on the names of bytes, and the cheapest one that
// gives what is wanted is kept. A matcher may therefore guess from a few elements; a wrong guess costs nothing but time.
#pragma once
#include "lanes/plan/goal.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// Whether the instruction can leave elements of its result zero, or as they were in another register.
constexpr bool maskable(const Step& s, bool merging) {
  using enum Op;
  switch (s.op) {
  case zero: case shift_bytes_left: case shift_bytes_right: case pack: case permute_halves: case blend_imm: case blend_bytes:
  case blend_mask: case keep: case either: case compress: case expand: return false;
  case permute_two: return !merging; // it can only merge into its own first source
  case insert: case shuffle_lanes: case extract: return s.element >= 4;
  default: return true;
  }
}

struct Search {
  Isa isa;
  Cpu cpu;
  Goal goal;
  int8_t inputs;
  Values<Name> values; // the inputs' names, and room
  bool found = false;
  float best_score = 0;
  Plan best{};
  int8_t merge = no_value; // elements that are not wanted from elsewhere are to be those of this input

  constexpr Search(Isa i, Cpu c, const Goal& g, int n, int input_bytes) : isa(i), cpu(c), goal(g), inputs(int8_t(n)), values{} {
    for (int v = 0; v < n; ++v)
      for (int b = 0; b < 64; ++b) values[v][b] = b < input_bytes ? Name::of(v, b) : Name{Name::unknown};
  }
  constexpr bool avx512() const { return isa >= Isa::avx512; }
  constexpr Plan empty(Class kind) const {
    Plan p;
    p.inputs = inputs;
    p.kind = kind;
    return p;
  }

  constexpr void keep(const Plan& p) {
    const float score = cost(cpu, p).score();
    if (found && score >= best_score) return;
    found = true, best_score = score, best = p;
  }
  constexpr void offer(const Plan& p) {
    if (goal.met_by(execute(p, values))) keep(p);
  }
  // One step; when it alone does not give what is wanted, the elements that are not its own are masked.
  constexpr void offer(Class kind, Step s) {
    Plan p = empty(kind);
    const auto value = [&](int8_t v) { return v == no_value ? Bytes<Name>{} : values[v]; };
    const Bytes<Name> plain = execute(s, value(s.a), value(s.b), Bytes<Name>{});
    if (goal.met_by(plain)) {
      p.add(s);
      return keep(p);
    }
    if (!avx512() || !maskable(s, merge != no_value)) return;
    s.masked = true, s.merge = merge;
    const int width = result_bytes(s);
    for (int i = 0; i < 64; ++i) {
      if (goal.want[i].id == Name::anything) continue;
      const bool own = i < width && goal.want[i] == plain[i] && plain[i].id != 0;
      const bool other = goal.want[i] == (merge == no_value ? Name{} : values[merge][i]);
      if (own) s.mask |= uint64_t(1) << (i / s.element);
      else if (!other) return;
    }
    if (!goal.met_by(execute(s, value(s.a), value(s.b), value(s.merge)))) return;
    if (merge != no_value) p.kind = Class::merge;
    p.add(s);
    keep(p);
  }
};

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
