// The search. Bases are in the order of what they cost.
#include "cross_lane/lane_function.h"
#include <algorithm>
#include <bit>

namespace crosslane::cross_lane {
namespace {

uint32_t reverse_32(uint32_t v) {
  uint32_t r = 0;
  for (int b = 0; b < 32; ++b)
    r |= (v >> b & 1) << (31 - b);
  return r;
}

std::vector<LaneBase> make_bases() {
  std::vector<LaneBase> all;
  const auto add = [&](int multiplier, int shift, int group = 0) {
    all.push_back({multiplier, shift, group, planes_of([&](int lane) {
                     const int i = group ? lane & ((1 << group) - 1) : lane;
                     const uint64_t product = multiplier ? uint64_t(i) * uint64_t(multiplier) : reverse_32(uint32_t(i));
                     return uint32_t(shift >= 0 ? product >> shift : product << -shift);
                   })});
  };
  for (int shift : {0, 2, 1, 3, 4, 5, -1, -2, -3, -4, -5})
    add(1, shift);
  for (int multiplier = 3; multiplier < 64; multiplier += 2)
    for (int shift = -4; shift <= 2; ++shift)
      add(multiplier, shift);
  for (int shift : {26, 27, 28, 29, 30})
    add(0, shift);
  for (int multiplier = 3; multiplier < 256; multiplier += 2)
    for (int shift = multiplier < 64 ? 3 : -2; shift <= 10; ++shift)
      add(multiplier, shift);
  // Rotations of the lower bits: twice the same bits in a row, and a shift.
  for (int group = 2; group < 6; ++group)
    for (int shift = 1; shift < group; ++shift)
      add((1 << group) + 1, shift, group);
  return all;
}

const std::vector<LaneBase>& bases() {
  static const std::vector<LaneBase> all = make_bases();
  return all;
}

// The cheapest masks that make `f` of `base` where lanes `care`; false: none.
bool mask_bits(const LanePlanes& base, const LanePlanes& f, uint64_t care, int bits, LaneFunction& form) {
  uint32_t equal = 0, inverted = 0, zero = 0, one = 0;
  for (int b = 0; b < bits; ++b) {
    const uint64_t is = f[size_t(b)] & care, has = base[size_t(b)] & care;
    equal |= uint32_t(is == has) << b;
    inverted |= uint32_t((is ^ has) == care) << b;
    zero |= uint32_t(is == 0) << b;
    one |= uint32_t(is == care) << b;
    if (!((equal | inverted | zero | one) >> b & 1))
      return false;
  }
  const uint32_t all = (1u << bits) - 1, other = all & ~equal;
  // One operation, if one does; else what each bit needs.
  form.keep = 63, form.set = form.flip = 0;
  if ((other & ~inverted) == 0)
    form.flip = other;
  else if ((other & ~one) == 0)
    form.set = other;
  else if ((other & ~zero) == 0)
    form.keep = 63 & ~other;
  else {
    form.flip = other & inverted & ~zero & ~one;
    form.set = other & one;
    form.keep = 63 & ~(other & zero & ~one);
  }
  return true;
}

uint32_t value_of(const LaneBase& base, int lane) {
  uint32_t v = 0;
  for (int b = 0; b < 6; ++b)
    v |= uint32_t(base.planes[size_t(b)] >> lane & 1) << b;
  return v;
}
uint32_t before_add(const LaneFunction& form, int lane) {
  return ((value_of(*form.base, lane) & form.keep) | form.set) ^ form.flip;
}

int count(const LaneFunction& form, AddressBits look) {
  int n = form.base->instructions() + (form.keep != 63) + (form.set != 0) + (form.flip != 0);
  if (form.bits < 6) // lane * 4 unless it is the base, the mask, v_bfi_b32
    return n + (form.add != 0) + 2 + !(form.base->multiplier == 1 && form.base->shift == 0);
  if (look == AddressBits::all) {
    n += form.base->has_other_bits() && form.keep == 63;
    n += form.add != 0 && !form.can_offset() ? 2 : 0;
  }
  return n;
}

} // namespace

int LaneFunction::operator()(int lane) const {
  const int low = (1 << bits) - 1;
  return (lane & 63 & ~low) | ((int(before_add(*this, lane)) + add) & low);
}

bool LaneFunction::can_offset() const {
  for (int i = 0; i < lane_count; ++i)
    if (int(before_add(*this, i)) + add > 63)
      return false;
  return true;
}

namespace {

// add_cost: of an addition in the whole wave, which the offset of one instruction does for nothing.
std::optional<LaneFunction> search(const Pattern& f, AddressBits look, int add_cost) {
  const uint64_t care = reading_lanes(f);
  LaneFunction best;
  best.instructions = 9; // nothing is so long
  const auto identity = planes_of([](int i) { return i; });
  for (int bits = 6; bits > 0; --bits) {
    bool own = true; // the upper bits are the lane's
    const auto planes = planes_of([&](int i) { return int(f[size_t(i)]) & 63; });
    for (int b = bits; b < 6; ++b)
      own &= ((planes[size_t(b)] ^ identity[size_t(b)]) & care) == 0;
    if (!own)
      break;
    std::array<LanePlanes, 64> less; // [add]: the pattern minus that, borrowing from bit to bit
    less[0] = planes;
    for (size_t add = 1; add < 64; ++add) {
      uint64_t borrow = ~uint64_t(0);
      for (size_t b = 0; b < 6; ++b) {
        less[add][b] = less[add - 1][b] ^ borrow;
        borrow &= ~less[add - 1][b];
      }
    }
    for (const LaneBase& base : bases()) {
      if (base.instructions() + (bits < 6 ? 2 : 0) >= best.instructions || (base.group && base.group != bits))
        continue;
      // Adding changes the lowest bit to itself or to its complement: if that bit does not fit, no sum does.
      LaneFunction lowest;
      if (!mask_bits(base.planes, planes, care, 1, lowest))
        continue;
      for (int add = 0; add < 1 << bits; ++add) {
        LaneFunction form{&base};
        form.add = add, form.bits = bits;
        if (!mask_bits(base.planes, less[size_t(add)], care, bits, form))
          continue;
        form.instructions = count(form, look) + (form.add != 0 && form.bits == 6 ? add_cost : 0);
        if (form.instructions < best.instructions)
          best = form;
      }
    }
  }
  if (!best.base)
    return std::nullopt;
  return best;
}

// Functions that most of a pattern may be, with their values: i ^ c, i + c, c - i.
struct Common {
  LaneFunction function;
  Pattern values;
};
const std::vector<Common>& common_functions() {
  static const std::vector<Common> all = [] {
    std::vector<Common> made;
    const auto base = [](int multiplier) {
      return &*std::find_if(bases().begin(), bases().end(),
                            [&](const LaneBase& b) { return b.multiplier == multiplier && b.shift == 0; });
    };
    const auto add = [&](const LaneFunction& f) {
      made.push_back({f, {}});
      for (int i = 0; i < lane_count; ++i)
        made.back().values[size_t(i)] = int8_t(f(i));
    };
    for (int c = 0; c < 64; ++c) {
      LaneFunction flipped{base(1)}, added{base(1)}, turned{base(63)};
      flipped.flip = uint32_t(c);
      added.add = turned.add = c;
      add(flipped), add(added), add(turned);
    }
    return made;
  }();
  return all;
}

} // namespace

std::optional<LaneFunction> find_function(const Pattern& f, AddressBits look) { return search(f, look, 0); }

std::optional<SplitFunction> find_split(const Pattern& f, AddressBits look) {
  const uint64_t care = reading_lanes(f);
  const auto right = [&](const Common& g) {
    return lanes_where(f, [&](int i, int from) { return from >= 0 && g.values[size_t(i)] == from; });
  };
  // The few that are right for the most lanes.
  std::vector<std::pair<int, const Common*>> best;
  for (const Common& g : common_functions())
    best.emplace_back(-std::popcount(right(g)), &g);
  std::partial_sort(best.begin(), best.begin() + 4, best.end());
  std::optional<SplitFunction> found;
  for (size_t k = 0; k < 4; ++k) {
    SplitFunction split{best[k].second->function, {}, 0, 0};
    split.other = care & ~right(*best[k].second);
    Pattern others = f;
    for (size_t i = 0; i < lane_count; ++i)
      if (!(split.other >> i & 1))
        others[i] = any_lane;
    const auto rest = search(others, look, 1);
    if (!rest)
      continue;
    split.rest = *rest;
    // No offset serves both, so `most` adds too; then the mask in VCC, and v_cndmask_b32.
    split.instructions = count(split.most, look) + (split.most.add != 0) + rest->instructions + 3;
    if (!found || split.instructions < found->instructions)
      found = split;
  }
  return found;
}

std::string describe(const LaneFunction& form) {
  const LaneBase& b = *form.base;
  std::string text = "lane";
  if (b.multiplier == 0)
    text = b.shift == 26 ? "the lane's reversed bits" : "the lane's reversed bits >> " + std::to_string(b.shift - 26);
  else if (b.multiplier != 1)
    text += " * " + std::to_string(b.shift < 0 ? b.multiplier << -b.shift : b.multiplier);
  if (b.group)
    text = "the lane's low " + std::to_string(b.group) + " bits rotated right by " + std::to_string(b.shift);
  else if (b.multiplier != 0 && (b.shift > 0 || (b.shift < 0 && b.multiplier == 1)))
    text = (b.multiplier == 1 ? text : "(" + text + ")") + (b.shift > 0 ? " >> " : " << ") +
           std::to_string(b.shift > 0 ? b.shift : -b.shift);
  const auto masked = [&](const char* op, uint32_t value) {
    text = (text == "lane" ? text : "(" + text + ")") + op + std::to_string(value);
  };
  if (form.keep != 63)
    masked(" & ", form.keep);
  if (form.set)
    masked(" | ", form.set);
  if (form.flip)
    masked(" ^ ", form.flip);
  if (form.add)
    masked(" + ", uint32_t(form.add));
  return form.bits < 6 ? text + ", within groups of " + std::to_string(1 << form.bits) : text;
}

} // namespace crosslane::cross_lane
