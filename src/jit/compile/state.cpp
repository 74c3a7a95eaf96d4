// Where two paths meet: the class that holds on both.
#include "jit/compile/state.h"
#include <algorithm>

namespace crosslane::jit {

std::optional<int32_t> Lane::step_in(const Lane& o) const {
  const auto distance = [&](size_t i) { return int64_t(fixed[i]) - o.fixed[i]; };
  const int64_t k = distance(o.first_step());
  if (dynamic || column != o.column || k != int32_t(k))
    return std::nullopt;
  for (size_t i = 0; i < fixed.size(); ++i)
    if (distance(i) != k * o.by[i])
      return std::nullopt;
  return int32_t(k);
}

namespace {

// Affine values of which not all distances are equal: with a step.
std::optional<Lane> with_step(const Lane& a, const Lane& b) {
  Lane n = a;
  if (b.dynamic)
    n.fixed = b.fixed, n.by = b.by;
  else if (!a.dynamic) { // as all steps of lines are: 1, 2 and 4 of those that there are
    uint8_t next = 0;
    for (size_t i = 0; i < n.by.size(); ++i) {
      next = next ? uint8_t(2 * next) : a.fixed[i] != b.fixed[i];
      n.by[i] = a.fixed[i] != b.fixed[i] ? next : 0;
    }
    n.fixed = b.fixed;
  }
  n.dynamic = true;
  const auto fits = [&](const Lane& l) { return l.dynamic ? n.same_distances(l) : l.step_in(n).has_value(); };
  return fits(a) && fits(b) ? std::optional(n) : std::nullopt;
}

bool meet(Lane& a, const Lane& b) {
  if (a.kind == Lane::stored || b.kind == Lane::stored) { // sums stay in the Wave
    const bool changed = a.kind != Lane::stored;
    a = {.kind = Lane::stored};
    return changed;
  }
  Lane n = a;
  n.dirty = a.dirty || b.dirty, n.may = a.may | b.may;
  if (a.constant != b.constant)
    n.constant.reset();
  if (a.kind == Lane::affine && b.kind == Lane::affine && a.column == b.column) {
    n.no_wrap = a.no_wrap && b.no_wrap;
    n.zeros = n.constant ? a.zeros : std::min(a.known_zeros(), b.known_zeros());
    if (!a.same_distances(b)) {
      const auto stepped = with_step(a, b);
      if (stepped)
        n.dynamic = true, n.fixed = stepped->fixed, n.by = stepped->by;
      else
        n.kind = Lane::vector;
    }
  } else if (a.kind != b.kind || a.kind == Lane::affine) {
    n.kind = Lane::vector;
  }
  const bool changed = !n.same_class(a);
  a = n;
  return changed;
}

bool meet(Scalar& a, const Scalar& b) {
  const Scalar n{a.kind == Scalar::wave && b.kind == Scalar::wave ? Scalar::wave : Scalar::value, a.dirty || b.dirty};
  const bool changed = n.kind != a.kind || n.dirty != a.dirty;
  a.kind = n.kind, a.dirty = n.dirty;
  return changed;
}

bool meet(Mask& a, const Mask& b) {
  Mask::Kind kind = a.kind;
  if (a.kind != b.kind) {
    const bool by_lane = a.kind == Mask::none || b.kind == Mask::none || a.kind == Mask::rows || b.kind == Mask::rows;
    kind = by_lane ? Mask::rows : Mask::uniform;
  }
  const bool dirty = a.dirty || b.dirty, changed = kind != a.kind || dirty != a.dirty;
  a.kind = kind, a.dirty = dirty;
  return changed;
}

} // namespace

bool State::meet(const State& o) {
  bool changed = false;
  for (size_t i = 0; i < v.size(); ++i)
    changed |= jit::meet(v[i], o.v[i]);
  for (uint32_t p = 0; p < pair_count; ++p) {
    // What is a mask on one side only is one on both: its scalars' dirt becomes the mask's.
    Mask& mask = m[p];
    Mask other = o.m[p];
    if (mask.kind == Mask::none && other.kind == Mask::none)
      continue;
    if (mask.kind == Mask::none)
      mask.dirty = s[2 * p].dirty || s[2 * p + 1].dirty;
    if (other.kind == Mask::none)
      other.dirty = o.s[2 * p].dirty || o.s[2 * p + 1].dirty;
    changed |= jit::meet(mask, other);
    s[2 * p] = s[2 * p + 1] = Scalar{};
  }
  for (uint32_t i = 0; i < scalar_count; ++i)
    if (i >= 2 * pair_count || m[i / 2].kind == Mask::none)
      changed |= jit::meet(s[i], o.s[i]);
  changed |= jit::meet(scc, o.scc);
  if (o.stored && !stored)
    stored = changed = true;
  if (o.loaded && !loaded)
    loaded = changed = true;
  return changed;
}

} // namespace crosslane::jit
