// Backward over each part until nothing changes, and over the parts until no function's needs change. What a vector
// register is needed for is a mask: the smallest known to have all lanes that will be read.
#include "analysis/liveness.h"
#include "analysis/forward.h"
#include <algorithm>
#include <bit>
#include <deque>
#include <memory>

namespace crosslane::analysis {

uint32_t RegisterSet::count(uint32_t first, uint32_t end) const {
  uint32_t sum = 0;
  for (uint32_t s = first; s < end; ++s)
    sum += has(s);
  return sum;
}

RegisterSet RegisterSet::everything() {
  RegisterSet all;
  for (uint32_t s = 0; s < slot::end; ++s)
    if (s < slot::scc + 1 || s >= slot::vgpr)
      all.add(s);
  return all;
}

namespace {

constexpr MaskId dead = none;
constexpr uint32_t scalar_words = 3; // codes and SCC

// What is needed at one place.
struct Need {
  uint64_t scalar[scalar_words] = {};
  std::vector<MaskId> vector; // of VGPRs, then AccVGPRs; as many as the part uses

  void clear(size_t vectors) {
    std::fill(std::begin(scalar), std::end(scalar), 0);
    vector.assign(vectors, dead);
  }
  void everything() {
    scalar[0] = scalar[1] = ~uint64_t(0), scalar[2] = 1;
    std::ranges::fill(vector, all_lanes);
  }
};

// What a function needs when it is entered: of vector registers, in all lanes or in those that enter.
struct Entered {
  RegisterSet all, entering;
  bool operator==(const Entered&) const = default;
};

class Finder {
public:
  Finder(const Code& code, const Graph& graph) : code_(code), graph_(graph), place_(places_in_parts(graph)) {}

  Liveness run() {
    out_.begin.resize(graph_.blocks.size());
    entered_.resize(graph_.functions.size());
    behind_.resize(graph_.parts.size());
    tangled_.resize(graph_.parts.size());
    find_callers();
    indexed_ = indexed_blocks(code_, graph_);
    std::vector<bool> waits(graph_.parts.size(), true);
    std::deque<uint32_t> work;
    for (uint32_t p = 0; p < graph_.parts.size(); ++p)
      work.push_back(p);
    const auto again = [&](uint32_t part) {
      if (!waits[part])
        waits[part] = true, work.push_back(part);
    };
    while (!work.empty()) {
      const uint32_t part = work.front();
      work.pop_front();
      waits[part] = false;
      visit(part, again);
    }
    out_.tangled_parts = uint32_t(std::ranges::count(tangled_, true));
    return std::move(out_);
  }

  Liveness run(const std::vector<bool>& wanted, const LiveVisitor& f) {
    Liveness out = run();
    out_.begin = out.begin;
    for (uint32_t p = 0; p < graph_.parts.size(); ++p) {
      const auto blocks = graph_.blocks_of(graph_.parts[p]);
      if (std::ranges::none_of(blocks, [&](BlockId b) { return wanted[b]; }))
        continue;
      visit(p, [](uint32_t) {}); // nothing is new: it ends as before
      for (uint32_t i = 0; i < blocks.size(); ++i) {
        if (!wanted[blocks[i]])
          continue;
        at_end(i, p);
        f(blocks[i], graph_.blocks[blocks[i]].instructions, set_of(now_));
        backwards(i, [&](uint32_t instruction) { f(blocks[i], instruction, set_of(now_)); });
      }
    }
    return out;
  }

private:
  const Code& code_;
  const Graph& graph_;
  Liveness out_;
  std::vector<bool> indexed_;
  std::vector<Entered> entered_;               // of each function
  std::vector<RegisterSet> behind_;            // of each part, what its callers need behind their calls
  std::vector<std::vector<uint32_t>> callers_; // of each part, parts
  std::vector<bool> tangled_;
  PartCode part_code_;
  PartMasks masks_;
  std::vector<Need> begin_;     // by place
  std::vector<uint32_t> place_; // of a block in its part
  Need now_;

  void find_callers() {
    callers_.resize(graph_.parts.size());
    std::vector<bool> called(graph_.functions.size());
    for (const Call& call : graph_.calls)
      for (const uint32_t f : graph_.callees_of(call)) {
        called[f] = true;
        if (graph_.blocks[call.block].part != none)
          callers_[part_of(f)].push_back(graph_.blocks[call.block].part);
      }
    for (auto& list : callers_) {
      std::ranges::sort(list);
      list.erase(std::ranges::unique(list).begin(), list.end());
    }
    for (uint32_t f = 0; f < graph_.functions.size(); ++f) {
      const Function& function = graph_.functions[f];
      if (!function.kernel && (function.address_taken || !called[f]))
        behind_[part_of(f)] = RegisterSet::everything();
    }
  }
  uint32_t part_of(uint32_t function) const { return graph_.blocks[graph_.functions[function].block].part; }

  template <class Again> void visit(uint32_t index, Again again) {
    const Part& part = graph_.parts[index];
    const auto blocks = graph_.blocks_of(part);
    decode_part(code_, graph_, part, indexed_, part_code_);
    find_masks(graph_, part, part_code_, masks_);
    tangled_[index] = !masks_.settled;
    if (goes_elsewhere(blocks))
      part_code_.vector_slots =
          (isa::info(graph_.target).generation >= isa::Generation::gfx908 ? slot::end : slot::accvgpr) - slot::vgpr;
    const size_t vectors = part_code_.vector_slots;
    begin_.resize(std::max(begin_.size(), blocks.size()));
    for (size_t i = 0; i < blocks.size(); ++i)
      begin_[i].clear(vectors);
    // Blocks whose needs must be looked at again, from the last on.
    std::vector<bool> open(blocks.size(), true);
    for (bool more = true; more;) {
      more = false;
      for (size_t i = blocks.size(); i-- > 0;) {
        if (!open[i])
          continue;
        open[i] = false;
        at_end(uint32_t(i), index);
        backwards(uint32_t(i), [](uint32_t) {});
        if (same(begin_[i], now_))
          continue;
        std::swap(begin_[i], now_);
        for (const BlockId p : graph_.predecessors_of(blocks[i])) {
          open[place_[p]] = true;
          more |= place_[p] >= i;
        }
      }
    }
    for (size_t i = 0; i < blocks.size(); ++i)
      out_.begin[blocks[i]] = set_of(begin_[i]);
    tell_callers(index, blocks, again);
    tell_callees(blocks, again);
  }

  // Whether registers that the part does not name may be read before it is over.
  bool goes_elsewhere(std::span<const BlockId> blocks) const {
    return std::ranges::any_of(blocks, [&](BlockId b) {
      const Block& block = graph_.blocks[b];
      return block.exit == Exit::call || block.exit == Exit::trap || is_unknown(b) ||
             (block.entry && !graph_.functions[graph_.function_at(block.begin)].kernel);
    });
  }

  static bool same(const Need& a, const Need& b) {
    return std::equal(std::begin(a.scalar), std::end(a.scalar), b.scalar) && a.vector == b.vector;
  }

  static RegisterSet set_of(const Need& need) {
    RegisterSet set;
    std::copy(std::begin(need.scalar), std::end(need.scalar), set.words.begin());
    for (uint32_t v = 0; v < need.vector.size(); ++v)
      if (need.vector[v] != dead)
        set.add(slot::vgpr + v);
    return set;
  }

  void add(const RegisterSet& set) { // in all lanes
    for (uint32_t w = 0; w < scalar_words; ++w)
      now_.scalar[w] |= set.words[w];
    for (uint32_t v = 0; v < now_.vector.size(); ++v)
      if (set.has(slot::vgpr + v))
        now_.vector[v] = all_lanes;
  }

  void need(MaskId& known, MaskId mask) {
    if (known == dead)
      known = mask;
    else if (known != mask)
      known = masks_.common(known, mask);
  }

  // What is needed behind a block, in terms of the masks there.
  void at_end(uint32_t i, uint32_t part) {
    const BlockId b = graph_.blocks_of(graph_.parts[part])[i];
    now_.clear(part_code_.vector_slots);
    const Block& block = graph_.blocks[b];
    if (is_unknown(b))
      return now_.everything();
    if (block.exit == Exit::returns)
      add(behind_[part]);
    if (block.exit == Exit::call) {
      call_needs(i, *graph_.call_of(b));
      return;
    }
    for (const Edge& e : graph_.successors(b)) {
      const Need& next = begin_[place_[e.to]];
      const MaskId given = masks_.begin[place_[e.to]], end = masks_.end[i];
      const bool gives =
          given > no_lanes && masks_.masks[given].block == e.to && masks_.masks[given].instruction == none;
      for (uint32_t w = 0; w < scalar_words; ++w)
        now_.scalar[w] |= next.scalar[w];
      for (size_t v = 0; v < next.vector.size(); ++v)
        if (next.vector[v] != dead)
          need(now_.vector[v],
               gives ? seen_from_before(next.vector[v], given, end, e.to) : behind_gift(next.vector[v], e.to));
    }
  }

  // A mask that the block `to` gives at its beginning is, for who comes from a block, EXEC there, or what its parent
  // is.
  MaskId seen_from_before(MaskId mask, MaskId given, MaskId end, BlockId to) const {
    return mask == given ? end : behind_gift(mask, to);
  }
  MaskId behind_gift(MaskId mask, BlockId to) const {
    while (mask > no_lanes && masks_.masks[mask].block == to && masks_.masks[mask].instruction == none)
      mask = masks_.masks[mask].parent;
    return mask;
  }

  bool is_unknown(BlockId b) const {
    const auto at = std::ranges::lower_bound(graph_.unknowns, graph_.blocks[b].last, {}, &Unknown::pc);
    return at != graph_.unknowns.end() && at->pc == graph_.blocks[b].last;
  }

  void call_needs(uint32_t i, const Call& call) {
    if (call.unknown)
      return now_.everything();
    const MaskId exec = masks_.end[i];
    for (const uint32_t f : graph_.callees_of(call)) {
      const Entered& entered = entered_[f];
      for (uint32_t w = 0; w < scalar_words; ++w)
        now_.scalar[w] |= entered.all.words[w];
      for (uint32_t v = 0; v < now_.vector.size(); ++v) {
        if (entered.entering.has(slot::vgpr + v))
          need(now_.vector[v], exec);
        if (entered.all.has(slot::vgpr + v))
          now_.vector[v] = all_lanes;
      }
    }
  }

  // tell(k): now_ is what is needed before instruction k of the block.
  template <class Tell> void backwards(uint32_t i, Tell tell) {
    const uint32_t first = part_code_.first_instruction[i];
    uint32_t change = masks_.first_change[i + 1];
    const uint32_t first_change = masks_.first_change[i];
    MaskId exec = masks_.end[i];
    for (uint32_t k = part_code_.first_instruction[i + 1]; k-- > first;) {
      while (change > first_change && masks_.changes[change - 1].instruction == k - first) {
        const MaskChange& c = masks_.changes[--change];
        if (c.defines != all_lanes)
          rename(c.defines, masks_.masks[c.defines].parent);
        exec = change > first_change ? masks_.changes[change - 1].after : masks_.begin[i];
      }
      apply(part_code_.touches_of(k), exec);
      tell(k - first);
    }
  }

  void rename(MaskId from, MaskId to) {
    for (MaskId& mask : now_.vector)
      if (mask == from)
        mask = to;
  }

  void apply(std::span<const Touch> touches, MaskId exec) {
    for (const Touch& t : touches) {
      if (!t.has(Touch::kills))
        continue;
      if (t.first >= slot::vgpr) {
        for (uint32_t s = t.first - slot::vgpr, end = s + t.count + 1u; s < end; ++s)
          if (MaskId& mask = now_.vector[s]; mask != dead && (t.has(Touch::all_lanes) || masks_.part_of(mask, exec)))
            mask = dead;
      } else {
        for (uint32_t s = t.first, end = s + t.count + 1u; s < end; ++s)
          now_.scalar[s / 64] &= ~(uint64_t(1) << (s % 64));
      }
    }
    for (const Touch& t : touches) {
      if (t.has(Touch::everything))
        return now_.everything();
      if (!t.has(Touch::read))
        continue;
      if (t.first >= slot::vgpr) {
        for (uint32_t s = t.first - slot::vgpr, end = s + t.count + 1u; s < end; ++s)
          need(now_.vector[s], t.has(Touch::all_lanes) ? all_lanes : exec);
      } else {
        for (uint32_t s = t.first, end = s + t.count + 1u; s < end; ++s)
          now_.scalar[s / 64] |= uint64_t(1) << (s % 64);
      }
    }
  }

  template <class Again> void tell_callers(uint32_t part, std::span<const BlockId> blocks, Again again) {
    bool news = false;
    for (const BlockId b : blocks) {
      if (!graph_.blocks[b].entry)
        continue;
      const uint32_t f = graph_.function_at(graph_.blocks[b].begin);
      const Need& need = begin_[place_[b]];
      Entered entered;
      std::copy(std::begin(need.scalar), std::end(need.scalar), entered.all.words.begin());
      for (uint32_t v = 0; v < need.vector.size(); ++v)
        if (need.vector[v] != dead)
          (need.vector[v] == all_lanes ? entered.all : entered.entering).add(slot::vgpr + v);
      if (!(entered == entered_[f]))
        entered_[f] = entered, news = true;
    }
    if (news)
      for (const uint32_t caller : callers_[part])
        again(caller);
  }

  template <class Again> void tell_callees(std::span<const BlockId> blocks, Again again) {
    for (const BlockId b : blocks) {
      const Call* call = graph_.blocks[b].exit == Exit::call ? graph_.call_of(b) : nullptr;
      if (!call)
        continue;
      for (const Edge& e : graph_.successors(b))
        for (const uint32_t f : graph_.callees_of(*call)) {
          RegisterSet& behind = behind_[part_of(f)];
          RegisterSet more = behind;
          const RegisterSet& next = out_.begin[e.to];
          for (size_t w = 0; w < more.words.size(); ++w)
            more.words[w] |= next.words[w];
          if (!(more == behind)) {
            behind = more;
            again(part_of(f));
          }
        }
    }
  }
};

} // namespace

Liveness liveness(const Code& code, const Graph& graph) { return Finder(code, graph).run(); }

Liveness liveness(const Code& code, const Graph& graph, const std::vector<bool>& wanted, const LiveVisitor& f) {
  return Finder(code, graph).run(wanted, f);
}

} // namespace crosslane::analysis
