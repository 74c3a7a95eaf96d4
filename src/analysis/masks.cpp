// A forward walk in reverse postorder until nothing changes. States are computed anew from those of the blocks before
// in each round, and so is what masks are part of. In the first rounds a loop has no masks of its own, so that too
// little is said of what is in it, and the loop would carry that on for ever: once its masks are there, all are taken
// to be empty, and the walk begins again. After some rounds parents only become larger, so that it ends.
#include "analysis/masks.h"
#include <algorithm>
#include <unordered_map>

namespace crosslane::analysis {

namespace {

constexpr uint32_t bottomless = none;

// How many masks are around it; bottomless: there are no lanes in it, as far as is known.
uint32_t depth(const std::vector<Mask>& masks, MaskId m) {
  uint32_t d = 0;
  for (; m > no_lanes; m = masks[m].parent)
    ++d;
  return m == no_lanes ? bottomless : d;
}

} // namespace

bool PartMasks::part_of(MaskId inner, MaskId outer) const {
  if (outer == all_lanes)
    return true;
  for (; inner > no_lanes; inner = masks[inner].parent)
    if (inner == outer)
      return true;
  return inner == no_lanes;
}

MaskId PartMasks::common(MaskId a, MaskId b) const {
  uint32_t of_a = depth(masks, a), of_b = depth(masks, b);
  if (of_a == bottomless)
    return b;
  if (of_b == bottomless)
    return a;
  while (a != b)
    if (of_a >= of_b)
      a = masks[a].parent, --of_a;
    else
      b = masks[b].parent, --of_b;
  return a;
}

namespace {

constexpr MaskId unknown = none;
constexpr int pairs = 64, exec_pair = slot::exec / 2;
constexpr int most_rounds = 36;
constexpr int free_rounds =
    12; // parents may become smaller in them, and a block's own mask may prove to be another one

struct State {
  bool reached = false;
  MaskId of[pairs]; // by scalar code / 2
  bool operator==(const State& other) const {
    return reached == other.reached && std::equal(std::begin(of), std::end(of), other.of);
  }
};

class Finder {
public:
  Finder(const Graph& graph, const Part& part, const PartCode& code, PartMasks& out)
      : graph_(graph), blocks_(graph.blocks_of(part)), code_(code), out_(out) {}

  void run() {
    out_.masks.assign(2, {}), places_.assign(2, 0);
    out_.settled = true;
    states_.assign(blocks_.size(), {});
    place_.reserve(blocks_.size());
    for (uint32_t i = 0; i < blocks_.size(); ++i)
      place_[blocks_[i]] = i;
    out_.begin.assign(blocks_.size(), all_lanes), out_.end.assign(blocks_.size(), all_lanes);
    if (!settle())
      return give_up();
    if (!loops_)
      return;
    for (MaskId m = no_lanes + 1; m < out_.masks.size(); ++m)
      out_.masks[m].parent = no_lanes, out_.masks[m].minus = all_lanes;
    if (!settle())
      return give_up();
    for (MaskId m = no_lanes + 1; m < out_.masks.size(); ++m)
      if (out_.masks[m].parent == no_lanes) // nothing gives it any more
        out_.masks[m].parent = all_lanes;
  }

private:
  const Graph& graph_;
  std::span<const BlockId> blocks_;
  const PartCode& code_;
  PartMasks& out_;
  std::vector<State> states_; // behind each block
  std::unordered_map<BlockId, uint32_t> place_;
  std::unordered_map<uint64_t, MaskId> made_; // by place
  int round_ = 0;
  bool changed_ = true, loops_ = false; // a loop gave a mask
  State now_;
  uint32_t at_ = 0;              // the block
  std::vector<uint32_t> places_; // of each mask, in the part's order

  bool settle() {
    changed_ = true;
    for (round_ = 0; changed_ && round_ < most_rounds; ++round_) {
      changed_ = false;
      clear_changes();
      for (uint32_t i = 0; i < blocks_.size(); ++i)
        visit(i);
      out_.first_change.push_back(uint32_t(out_.changes.size()));
    }
    return !changed_;
  }

  void clear_changes() { out_.changes.clear(), out_.first_change.clear(); }

  // The mask of a place: an instruction, or the beginning of a block and a pair.
  MaskId mask_of(uint32_t instruction, uint32_t pair, MaskId parent, MaskId minus = all_lanes) {
    const uint64_t key = uint64_t(at_) << 32 | (instruction == none ? 0x80000000u + pair : instruction);
    const auto [found, added] = made_.emplace(key, MaskId(out_.masks.size()));
    const MaskId id = found->second;
    if (added) {
      out_.masks.push_back({parent, blocks_[at_], instruction, minus});
      places_.push_back(at_);
      changed_ = true;
      return id;
    }
    Mask& mask = out_.masks[id];
    // A mask is not part of itself: that it comes round a loop says nothing new.
    if (out_.part_of(parent, id))
      parent = mask.parent, minus = mask.minus == minus ? minus : all_lanes;
    else if (round_ >= free_rounds)
      parent = out_.common(mask.parent, parent),
      minus = mask.minus == minus && mask.parent == parent ? minus : all_lanes;
    if (mask.parent != parent || mask.minus != minus)
      mask.parent = parent, mask.minus = minus, changed_ = true;
    return id;
  }
  // Whether what is known of a mask hangs on what `other` means.
  bool hangs_on(MaskId mask, MaskId other) const {
    if (mask == unknown)
      return false;
    for (; mask > no_lanes; mask = out_.masks[mask].parent)
      if (mask == other || out_.masks[mask].minus == other)
        return true;
    return false;
  }

  // What a place gave before is no longer what its mask means.
  void renew(MaskId mask) {
    for (int p = 0; p < pairs; ++p) {
      if (p != exec_pair && now_.of[p] != unknown && hangs_on(now_.of[p], mask))
        now_.of[p] = unknown;
    }
  }

  void visit(uint32_t i) {
    at_ = i;
    enter(i);
    out_.begin[i] = now_.of[exec_pair];
    out_.first_change.push_back(uint32_t(out_.changes.size()));
    for (uint32_t s = code_.first_step[i]; s < code_.first_step[i + 1]; ++s)
      step(code_.steps[s]);
    out_.end[i] = now_.of[exec_pair];
    if (!(states_[i] == now_))
      states_[i] = now_, changed_ = true;
  }

  // What the ways into the block agree on; where they do not, the block gives a mask of its own.
  void enter(uint32_t i) {
    const BlockId block = blocks_[i];
    now_.reached = false;
    bool anew = graph_.blocks[block].entry;
    for (const BlockId p : graph_.predecessors_of(block)) {
      const auto found = place_.find(p);
      anew |= found == place_.end() || graph_.blocks[p].exit == Exit::call || graph_.blocks[p].exit == Exit::join ||
              graph_.blocks[p].exit == Exit::fork;
    }
    if (anew) {
      std::fill(std::begin(now_.of), std::end(now_.of), unknown);
      now_.of[exec_pair] = mask_of(none, exec_pair, all_lanes);
      now_.reached = true;
      return;
    }
    uint64_t differ = 0;
    for (const BlockId p : graph_.predecessors_of(block)) {
      const State& state = states_[place_.find(p)->second];
      if (!state.reached)
        continue;
      if (!now_.reached) {
        now_ = state;
        continue;
      }
      for (int n = 0; n < pairs; ++n)
        if (now_.of[n] != state.of[n])
          differ |= uint64_t(1) << n;
    }
    if (!now_.reached || !differ)
      return;
    MaskId merged[pairs];
    for (int n = 0; n < pairs; ++n)
      if (differ >> n & 1)
        merged[n] = meet(block, n);
    const auto is_new = [&](int n) {
      return (differ >> n & 1) && merged[n] != unknown && out_.masks[merged[n]].block == block &&
             out_.masks[merged[n]].instruction == none;
    };
    for (int n = 0; n < pairs; ++n)
      if (differ >> n & 1)
        now_.of[n] = is_new(n) ? unknown : merged[n];
    for (int n = 0; n < pairs; ++n)
      if (is_new(n))
        renew(merged[n]);
    // EXEC itself may hold what one of the new masks was before.
    for (int n = 0; n < pairs; ++n)
      if (is_new(n) && (n == exec_pair || is_new(exec_pair) || !hangs_on(now_.of[exec_pair], merged[n])))
        now_.of[n] = merged[n];
  }

  MaskId meet(BlockId block, int pair) {
    const uint64_t key = uint64_t(at_) << 32 | (0x80000000u + uint32_t(pair));
    const auto known = made_.find(key);
    const MaskId self = known == made_.end() ? unknown : known->second;
    MaskId parent = no_lanes, only = unknown; // `only`: all that comes in but for what the block gave
    bool several = false, again = false;
    for (const BlockId p : graph_.predecessors_of(block)) {
      const uint32_t place = place_.find(p)->second;
      const State& state = states_[place];
      if (!state.reached)
        continue;
      again |= place >= at_;
      MaskId from = state.of[pair];
      if (from == unknown) {
        if (pair == exec_pair)
          return mask_of(none, exec_pair, all_lanes);
        return unknown;
      }
      if (from == self)
        continue;
      several |= only != unknown && only != from;
      only = from;
      // What is given in here, or behind, is given anew before the block is left: its parents outside say all there is.
      while (from > no_lanes && from != self && places_[from] >= at_)
        from = out_.masks[from].parent;
      if (from != self) // else part of what the block gave before, so of its parent
        parent = out_.common(parent, from);
    }
    if (round_ < free_rounds && parent == no_lanes)
      return no_lanes;
    if (round_ < free_rounds && !several && (only <= no_lanes || places_[only] < at_))
      return only;
    if (parent == no_lanes)
      parent = all_lanes;
    loops_ |= again;
    return mask_of(none, uint32_t(pair), parent);
  }

  MaskId value(uint8_t code) const {
    if (code == mask_all)
      return all_lanes;
    if (code == mask_empty)
      return no_lanes;
    return code < 127 && code % 2 == 0 ? now_.of[code / 2] : unknown;
  }

  // What the operation gives: a mask that is known, or a new one that is part of `parent`.
  struct Result {
    MaskId known = unknown, parent = unknown, minus = all_lanes;
  };
  Result compute(const MaskStep& s) const {
    const MaskId a = value(s.a), b = value(s.b);
    const bool both = a != unknown && b != unknown;
    const auto part = [&](MaskId inner, MaskId outer) {
      return inner != unknown && outer != unknown && out_.part_of(inner, outer);
    };
    const auto rest = [&](MaskId x, MaskId whole) { // whole without x
      if (x == no_lanes)
        return Result{whole};
      if (x == whole)
        return Result{no_lanes};
      if (whole != no_lanes && x != all_lanes && x > no_lanes && out_.masks[x].minus != all_lanes &&
          out_.masks[x].parent == whole)
        return Result{out_.masks[x].minus};
      return Result{unknown, whole, x};
    };
    const auto completes = [&](MaskId x, MaskId y) { // x is its parent without y
      return x != unknown && x > no_lanes && y > no_lanes && out_.masks[x].minus == y && y != unknown;
    };
    switch (s.kind) {
    case MaskStep::copy: return {a};
    case MaskStep::part: return {unknown, now_.of[exec_pair]};
    case MaskStep::either:
      if (a == b)
        return {a};
      return both ? Result{unknown, out_.common(a, b)} : Result{};
    case MaskStep::and_:
      if (part(a, b))
        return {a};
      if (part(b, a))
        return {b};
      if (both)
        return {unknown, s.b == slot::exec ? b : a};
      return {unknown, a != unknown ? a : b};
    case MaskStep::andn2:
      if (completes(a, b))
        return {a};
      if (both && part(b, a))
        return rest(b, a);
      return {unknown, a};
    case MaskStep::or_:
      if (part(a, b))
        return {b};
      if (part(b, a))
        return {a};
      if (completes(a, b))
        return {out_.masks[a].parent};
      if (completes(b, a))
        return {out_.masks[b].parent};
      return both ? Result{unknown, out_.common(a, b)} : Result{};
    case MaskStep::xor_:
      if (part(a, b))
        return rest(a, b);
      if (part(b, a))
        return rest(b, a);
      if (completes(a, b))
        return {out_.masks[a].parent};
      if (completes(b, a))
        return {out_.masks[b].parent};
      return both ? Result{unknown, out_.common(a, b)} : Result{};
    default: return {};
    }
  }

  void forget(uint32_t first, uint32_t count) {
    for (uint32_t p = first / 2; p <= (first + count - 1) / 2 && p < pairs; ++p)
      if (p != uint32_t(exec_pair))
        now_.of[p] = unknown;
  }

  void step(const MaskStep& s) {
    MaskId exec = now_.of[exec_pair];
    if (s.kind == MaskStep::clobber) {
      forget(s.a, s.b + 1u);
      if (s.a <= slot::exec + 1 && s.a + s.b >= slot::exec)
        give_exec(s, {});
      return;
    }
    const Result result = compute(s);
    if (s.saves || s.puts) {
      forget(s.d, 2);
      give_exec(s, result);
      if (s.d % 2 == 0 && s.d != slot::exec) {
        const MaskId saved = s.saves ? exec : now_.of[exec_pair];
        // What was saved may be of the same place, from before.
        now_.of[s.d / 2] = s.saves && is_stale(saved) ? unknown : saved;
      }
      return;
    }
    if (s.d == slot::exec)
      return give_exec(s, result);
    forget(s.d, 2);
    if (s.d % 2)
      return;
    if (result.known != unknown || result.parent == unknown) {
      now_.of[s.d / 2] = result.known;
      return;
    }
    const MaskId mask = mask_of(s.instruction, 0, result.parent, result.minus);
    if (hangs_on(exec, mask))
      return; // EXEC is of what this gave before: the pair stays unknown
    renew(mask);
    now_.of[s.d / 2] = mask;
    out_.changes.push_back({s.instruction, exec, mask});
  }

  MaskId renewed_ = all_lanes;
  bool is_stale(MaskId saved) const { return renewed_ != all_lanes && hangs_on(saved, renewed_); }

  void give_exec(const MaskStep& s, const Result& result) {
    renewed_ = all_lanes;
    if (result.known != unknown) {
      now_.of[exec_pair] = result.known;
      out_.changes.push_back({s.instruction, result.known, all_lanes});
      return;
    }
    const MaskId mask = mask_of(s.instruction, 0, result.parent == unknown ? all_lanes : result.parent, result.minus);
    renew(mask);
    renewed_ = mask;
    now_.of[exec_pair] = mask;
    out_.changes.push_back({s.instruction, mask, mask});
  }

  void give_up() {
    out_.settled = false;
    clear_changes();
    out_.masks.assign(2, {}), places_.assign(2, 0);
    made_.clear();
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      at_ = i;
      std::fill(std::begin(now_.of), std::end(now_.of), unknown);
      now_.of[exec_pair] = out_.begin[i] = mask_of(none, exec_pair, all_lanes);
      out_.first_change.push_back(uint32_t(out_.changes.size()));
      for (uint32_t s = code_.first_step[i]; s < code_.first_step[i + 1]; ++s) {
        const MaskStep& step = code_.steps[s];
        const bool writes =
            step.saves || step.puts || step.d == slot::exec ||
            (step.kind == MaskStep::clobber && step.a <= slot::exec + 1 && step.a + step.b >= slot::exec);
        if (writes)
          give_exec(step, {});
      }
      out_.end[i] = now_.of[exec_pair];
    }
    out_.first_change.push_back(uint32_t(out_.changes.size()));
  }
};

} // namespace

void find_masks(const Graph& graph, const Part& part, const PartCode& code, PartMasks& out) {
  Finder(graph, part, code, out).run();
}

} // namespace crosslane::analysis
