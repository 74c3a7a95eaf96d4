// A forward walk over each part until nothing changes: each register has no definition yet, one, or several.
#include "analysis/definitions.h"
#include "analysis/forward.h"
#include <algorithm>
#include <array>

namespace crosslane::analysis {

namespace {

constexpr uint64_t entered = 0, several = 1,
                   not_yet = 2; // else the pc of the writer: instructions are at multiples of 4
using State = std::array<uint64_t, slot::end>;

class Finder {
public:
  Finder(const Code& code, const Graph& graph, std::vector<Definition>& out)
      : code_(code), graph_(graph), out_(out), place_(places_in_parts(graph)) {}

  void run() {
    const std::vector<bool> indexed = indexed_blocks(code_, graph_);
    for (const Part& part : graph_.parts) {
      blocks_ = graph_.blocks_of(part);
      decode_part(code_, graph_, part, indexed, part_code_);
      pcs_.clear();
      for (const BlockId b : blocks_)
        each_instruction(code_, graph_.blocks[b], [&](uint64_t pc, const isa::Instruction&) { pcs_.push_back(pc); });
      end_.assign(blocks_.size(), {});
      for (State& state : end_)
        state.fill(not_yet);
      walk_forward(end_, [&](uint32_t i, bool tell) -> const State& { return visit(i, tell); });
    }
    std::ranges::sort(out_, {}, [](const Definition& d) { return std::pair(d.pc, d.slot); });
  }

private:
  const Code& code_;
  const Graph& graph_;
  std::vector<Definition>& out_;
  std::vector<uint32_t> place_; // of a block in its part
  std::span<const BlockId> blocks_;
  PartCode part_code_;
  std::vector<uint64_t> pcs_; // of the part's instructions
  std::vector<State> end_;
  State now_;

  void enter(BlockId block) {
    const auto before = graph_.predecessors_of(block);
    if (graph_.blocks[block].entry)
      return now_.fill(before.empty() ? entered : several);
    now_.fill(not_yet);
    for (const BlockId p : before) {
      const Exit exit = graph_.blocks[p].exit;
      if (exit == Exit::call || exit == Exit::trap)
        return now_.fill(several);
      const State& from = end_[place_[p]];
      for (size_t s = 0; s < now_.size(); ++s)
        if (now_[s] == not_yet)
          now_[s] = from[s];
        else if (from[s] != not_yet && from[s] != now_[s])
          now_[s] = several;
    }
  }

  const State& visit(uint32_t i, bool tell) {
    enter(blocks_[i]);
    for (uint32_t k = part_code_.first_instruction[i]; k < part_code_.first_instruction[i + 1]; ++k) {
      if (tell)
        for (const Touch& t : part_code_.touches_of(k))
          if (t.has(Touch::read))
            for (uint32_t s = t.first; s <= uint32_t(t.first) + t.count; ++s)
              if (now_[s] == entered || now_[s] > not_yet)
                out_.push_back({pcs_[k], now_[s], uint16_t(s)});
      for (const Touch& t : part_code_.touches_of(k))
        if (t.has(Touch::written))
          for (uint32_t s = t.first; s <= uint32_t(t.first) + t.count; ++s)
            now_[s] = t.has(Touch::kills) ? pcs_[k] : several;
    }
    return now_;
  }
};

} // namespace

std::vector<Definition> definitions(const Code& code, const Graph& graph) {
  std::vector<Definition> all;
  Finder(code, graph, all).run();
  return all;
}

} // namespace crosslane::analysis
