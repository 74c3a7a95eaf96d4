// Ways with DPP: one v_mov_b32, several of which each writes its own lanes, or two in series.
#include "cross_lane/timing.h"
#include "cross_lane/ways.h"
#include <bit>
#include <optional>

namespace crosslane::cross_lane {
namespace {

constexpr uint64_t all_lanes = ~uint64_t(0);

struct Control {
  uint32_t ctrl;
  Sources from;
  uint64_t valid; // lanes that have a source
};

std::vector<Control> make_controls(bool newbcast) {
  std::vector<Control> all;
  const auto add = [&](uint32_t ctrl) {
    const Sources from = dpp_sources(ctrl);
    all.push_back({ctrl, from, reading_lanes(from)});
  };
  // Named controls first: where a quad_perm does the same (there is none), the name would say more.
  for (uint32_t ctrl : {0x140u, 0x141u, 0x130u, 0x134u, 0x138u, 0x13cu, 0x142u, 0x143u})
    add(ctrl);
  for (uint32_t kind : {0x100u, 0x110u, 0x120u})
    for (uint32_t n = 1; n < 16; ++n)
      add(kind | n);
  for (uint32_t quad = 0; quad < 256; ++quad)
    add(quad);
  for (uint32_t n = 0; newbcast && n < 16; ++n)
    add(0x150 | n);
  return all;
}

const std::vector<Control>& controls(isa::Generation generation) {
  static const std::vector<Control> plain = make_controls(false), gfx90a = make_controls(true);
  return generation >= isa::Generation::gfx90a ? gfx90a : plain;
}

// Lanes for which the control reads what the pattern wants.
uint64_t right_lanes(const Control& c, const Pattern& p) {
  return lanes_where(p, [&](int i, int from) { return from == any_lane || (from >= 0 && from == c.from[size_t(i)]); });
}

// Whether it reads nothing wrong: the same question, answered at the first lane that says no.
bool agrees(const Control& c, const Pattern& p) {
  for (size_t i = 0; i < lane_count; ++i)
    if (p[i] >= 0 && p[i] != c.from[i])
      return false;
  return true;
}

// row_mask, bank_mask and the lanes that they let write.
struct Masks {
  uint32_t rows = 15, banks = 15;
  uint64_t lanes = all_lanes;
};
Masks masks(uint32_t rows, uint32_t banks) {
  uint64_t in_row = 0, lanes = 0;
  for (int b = 0; b < 4; ++b)
    in_row |= uint64_t(banks >> b & 1 ? 15 : 0) << (4 * b);
  for (int r = 0; r < 4; ++r)
    lanes |= rows >> r & 1 ? in_row << (16 * r) : 0;
  return {rows, banks, lanes};
}
// The smallest that let all of `lanes` write.
Masks masks_around(uint64_t lanes) {
  uint32_t rows = 0, banks = 0;
  for (int i = 0; i < 16; ++i)
    if (lanes >> (4 * i) & 15)
      rows |= 1u << (i / 4), banks |= 1u << (i % 4);
  return masks(rows, banks);
}

// One instruction of the plan. Without a control it is a plain v_mov_b32 of the source, or of 0.
struct Step {
  const Control* control = nullptr;
  bool zero = false; // no control: 0
  bool bound = false;
  Masks masks{};
};

// What is right after a first step that writes all lanes it can.
struct Start {
  Step step;
  uint64_t right;
};

// A control on all lanes; lanes that it does not write hold anything.
std::optional<Step> single(const Control& c, uint64_t right, uint64_t zeros) {
  if (c.valid & ~right)
    return std::nullopt;
  const uint64_t open = ~c.valid & ~right; // not written, and not free to be anything
  if (!open)
    return Step{&c, false, false};
  if ((open & ~zeros) == 0)
    return Step{&c, false, true};
  return std::nullopt;
}

void emit(Sequence& s, const Step& step) {
  if (!step.control)
    return step.zero ? s.zero_all() : s.move_all();
  for (int d = 0; d < s.dwords(); ++d)
    s.dpp(s.dst(d), s.src(d), step.control->ctrl, step.masks.rows, step.masks.banks, step.bound);
}

std::string masked_name(const Step& step) {
  if (!step.control)
    return step.zero ? "0" : "v_mov_b32";
  std::string text = dpp_text(step.control->ctrl);
  if (step.masks.rows != 15)
    text += " row_mask:" + dpp_mask_text(step.masks.rows);
  if (step.masks.banks != 15)
    text += " bank_mask:" + dpp_mask_text(step.masks.banks);
  return text;
}

void add_steps(const Question& q, Ways& ways, const std::vector<Step>& steps) {
  Sequence s = q.sequence();
  std::string text;
  for (const Step& step : steps) {
    emit(s, step);
    text += (text.empty() ? "" : ", then ") + masked_name(step);
  }
  const bool one = steps.size() == 1;
  add_way(ways, one ? Method::dpp : Method::masked_dpp, s, "DPP " + text,
          one ? "on a VOP1 or VOP2 instruction that uses the result, the modifier costs 4 bytes and no instruction"
              : "");
}

// The second step, with masks just around what the first left wrong. Nothing if it cannot put that right.
std::optional<Step> repair(const Control& c, uint64_t right, uint64_t wrong, const Masks& around,
                           uint64_t may_be_zero) {
  const uint64_t may = around.lanes;
  if (may & c.valid & ~right)
    return std::nullopt;
  if ((wrong & ~c.valid) == 0)
    return Step{&c, false, false, around};
  // BOUND_CTRL zeroes every masked-in lane without a source.
  if ((may & ~c.valid & ~may_be_zero) == 0)
    return Step{&c, false, true, around};
  return std::nullopt;
}

// Every first step, repaired by one more.
bool pairs(const Question& q, const std::vector<uint64_t>& right, Ways& ways) {
  const auto& all = controls(q.generation());
  const uint64_t any = any_lanes(q.pattern), zeros = zero_lanes(q.pattern);
  std::vector<Start> starts = {
      {{}, lanes_where(q.pattern, [](int i, int from) { return from == any_lane || from == i; })},
      {{nullptr, true}, any | zeros},
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const Control& c = all[i];
    const uint64_t plain = (right[i] & c.valid) | (any & ~c.valid);
    starts.push_back({{&c, false, false}, plain});
    if (zeros & ~c.valid)
      starts.push_back({{&c, false, true}, plain | (zeros & ~c.valid)});
  }
  for (const Start& start : starts) {
    const uint64_t wrong = ~start.right;
    const Masks around = masks_around(wrong);
    for (size_t i = 0; i < all.size(); ++i)
      if (const auto step = repair(all[i], right[i], wrong, around, zeros | any)) {
        add_steps(q, ways, {start.step, *step});
        return true;
      }
  }
  return false;
}

// Row by row and bank by bank: the control and the masks that get most of what is still wrong right, until all is.
void cells(const Question& q, const std::vector<uint64_t>& right, Ways& ways) {
  const auto& all = controls(q.generation());
  const uint64_t any = any_lanes(q.pattern), zeros = zero_lanes(q.pattern);
  std::vector<Step> steps;
  uint64_t wrong = all_lanes & ~any;
  if (zeros) {
    steps.push_back({nullptr, true});
    wrong &= ~zeros;
  } else if (const uint64_t stay = lanes_where(q.pattern, [](int i, int from) { return from == i; });
             std::popcount(stay) >= 4) {
    steps.push_back({});
    wrong &= ~stay;
  }
  while (wrong && steps.size() < 6) {
    int best = 0;
    Step step;
    for (size_t i = 0; i < all.size(); ++i) {
      const uint64_t bad = all[i].valid & ~right[i], good = all[i].valid & right[i] & wrong;
      if (std::popcount(good) <= best)
        continue;
      for (uint32_t rows = 1; rows < 16; ++rows) {
        // Of the rows' banks those without a lane that would be written wrongly.
        uint32_t banks = 0;
        for (uint32_t b = 0; b < 4; ++b)
          if (!(masks(rows, 1u << b).lanes & bad))
            banks |= 1u << b;
        const Masks write = masks(rows, banks);
        const int gain = std::popcount(good & write.lanes);
        if (gain > best)
          best = gain, step = {&all[i], false, false, write};
      }
    }
    if (!best)
      return;
    wrong &= ~(step.control->valid & step.masks.lanes);
    if (steps.empty() && (step.control->valid & ~right[size_t(step.control - all.data())]) == 0)
      step.masks = {};
    steps.push_back(step);
  }
  if (!wrong)
    add_steps(q, ways, steps);
}

// Two in series: the second one reads, in the lane that it names, what the first one left there.
void chain(const Question& q, Ways& ways) {
  const auto& all = controls(q.generation());
  for (const Control& second : all) {
    Pattern inner;
    inner.fill(any_lane);
    bool possible = true, bound = false;
    for (int i = 0; i < lane_count && possible; ++i) {
      const int8_t want = q.pattern[size_t(i)], at = second.from[size_t(i)];
      if (want == any_lane)
        continue;
      if (at < 0) {
        possible = want == zero_lane;
        bound |= possible;
        continue;
      }
      int8_t& known = inner[size_t(at)];
      possible = known == any_lane || known == want;
      known = want;
    }
    if (!possible)
      continue;
    const uint64_t zeros = zero_lanes(inner);
    for (const Control& first : all) {
      if (!agrees(first, inner))
        continue;
      const auto step = single(first, right_lanes(first, inner), zeros);
      if (!step)
        continue;
      Sequence s = q.sequence();
      emit(s, *step);
      for (int d = 0; d < s.dwords(); ++d)
        s.dpp(s.dst(d), s.dst(d), second.ctrl, 15, 15, bound);
      add_way(ways, Method::chained_dpp, s, "DPP " + dpp_text(first.ctrl) + " of which DPP " + dpp_text(second.ctrl));
      return;
    }
  }
}

// The control that leaves the fewest lanes wrong.
void patched(const Question& q, const std::vector<uint64_t>& right, Ways& ways) {
  const auto& all = controls(q.generation());
  const uint64_t any = any_lanes(q.pattern), zeros = zero_lanes(q.pattern);
  int least = 9; // more, and the LDS is cheaper
  Step step;
  uint64_t wrong = 0;
  for (size_t i = 0; i < all.size(); ++i)
    for (const bool bound : {false, true}) {
      const uint64_t left = ~((right[i] & all[i].valid) | any | (bound ? zeros & ~all[i].valid : 0));
      if (std::popcount(left) < least)
        least = std::popcount(left), step = {&all[i], false, bound}, wrong = left;
    }
  if (!step.control)
    return;
  Sequence s = q.sequence();
  emit(s, step);
  patch_lanes(s, q.pattern, wrong);
  add_way(ways, Method::patched_dpp, s, "DPP " + masked_name(step) + ", then v_writelane_b32, " + lanes_text(wrong));
}

} // namespace

void dpp_ways(const Question& q, Ways& ways) {
  if (q.generation() < isa::Generation::gfx8)
    return;
  const auto& all = controls(q.generation());
  const uint64_t zeros = zero_lanes(q.pattern);
  std::vector<uint64_t> right;
  right.reserve(all.size());
  bool found = false;
  for (const Control& c : all) {
    right.push_back(right_lanes(c, q.pattern));
    if (found)
      continue;
    if (const auto step = single(c, right.back(), zeros)) {
      add_steps(q, ways, {*step});
      found = true;
    }
  }
  if (found)
    return;
  if (!pairs(q, right, ways))
    cells(q, right, ways);
  patched(q, right, ways);
  chain(q, ways);
}

} // namespace crosslane::cross_lane
