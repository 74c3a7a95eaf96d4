// Owns what probes ask of the code of a group of kernels that share code: its blocks, where SCC is live in them, how
// deep in loops they lie, where waves may end, and places to put something.
#pragma once
#include "analysis/loops.h"
#include "isa/flow.h"
#include "rewrite/copier.h"
#include <algorithm>

namespace crosslane::rewrite {

// A register at every place of the copied blocks.
class PlacesLive {
public:
  explicit PlacesLive(size_t blocks) : live_(blocks) {}
  void set(analysis::BlockId b, uint32_t n, bool live) {
    if (live_[b].size() <= n)
      live_[b].resize(n + 1);
    live_[b][n] = live;
  }
  bool at(analysis::BlockId b, uint32_t n) const { return n >= live_[b].size() || live_[b][n]; }

private:
  std::vector<std::vector<bool>> live_;
};
struct StatusLiveness {
  PlacesLive scc, vcc;
};

// Where something can be put that is to run once for each time that an edge is gone.
struct EdgePlace {
  enum Kind : uint8_t {
    edge,           // of `block`, its successor `at`
    begin_of_block, // that successor's, which has no other predecessor
    end_of_block,   // before its branch, or behind all
    before,         // instruction `at` of the block
    entry,          // of the function that the block begins, where copied code calls it
    kernel_entry,   // of the kernel whose code the block begins
    nowhere,
  } kind{};
  analysis::BlockId block = 0;
  uint32_t at = 0;
};

class CopiedCode {
public:
  CopiedCode(const lint::Subject&, std::span<const CopiedKernel* const>, const StatusLiveness&, const analysis::Loops&);

  const lint::Subject& subject() const { return subject_; }
  const analysis::Graph& graph() const { return subject_.graph; }
  isa::Target target() const { return subject_.target(); }
  std::span<const CopiedKernel* const> kernels() const { return kernels_; }
  const analysis::Loops& loops() const { return loops_; }
  const std::vector<analysis::BlockId>& blocks() const { return blocks_; } // by address
  uint32_t index_of(analysis::BlockId b) const { return index_[b]; }       // in blocks(); none: not copied
  bool scc_live(analysis::BlockId b, uint32_t n) const { return live_.scc.at(b, n); }
  bool scc_live(const EdgePlace& place) const { return live(live_.scc, place); }
  bool vcc_live(const EdgePlace& place) const { return live(live_.vcc, place); }
  // In the code object as it was.
  uint64_t address(uint64_t pc) const { return pc - subject_.image->bias; }

  bool ends_plainly() const; // by s_endpgm alone
  // Before its branch, or behind all.
  uint32_t end_of(analysis::BlockId) const;
  isa::Condition last_condition(analysis::BlockId) const; // always: it does not end in a branch
  uint32_t depth(analysis::BlockId) const;                // of loops, 8 at most
  // How much more often than a kernel's first block, roughly.
  double weight(analysis::BlockId) const;
  // The part of a block's executions that goes to a successor, roughly. Compilers put s_cbranch_execz where they think
  // that it is seldom taken.
  double share(analysis::BlockId, uint32_t successor) const;
  // Of a block with s_cbranch_execz or _execnz: no lane goes there.
  bool goes_without_lanes(analysis::BlockId, uint32_t successor) const;
  // Whether a wave may end where the function that begins with this block, or none: an unknown one, was called.
  bool may_end(analysis::BlockId callee) const;

  // To where an edge costs no branch: `others_leave`, its block has another successor; `others_enter`, its target has
  // another way in.
  static EdgePlace cheapest(EdgePlace, bool others_leave, bool others_enter);
  void put(Insertions&, const EdgePlace&, std::string_view text) const;
  void put(Insertions&, const EdgePlace&, const std::vector<Item>&) const;
  void put(Insertions&, analysis::BlockId, uint32_t n, std::string_view text) const;
  // f(items, block, n) of all that stands before instruction n of a block, or where a block begins; not where waves
  // end. While it says so.
  template <class F> bool each_piece(Insertions&, F f) const;

private:
  void find_blocks();
  void find_ends();
  bool live(const PlacesLive&, const EdgePlace&) const;

  const lint::Subject& subject_;
  std::span<const CopiedKernel* const> kernels_;
  const StatusLiveness& live_;
  const analysis::Loops& loops_;
  std::vector<analysis::BlockId> blocks_;
  std::vector<uint32_t> index_;
  std::vector<bool> may_end_; // of each function of the graph: a wave may end in it
};

template <class F> bool CopiedCode::each_piece(Insertions& in, F f) const {
  const auto all = [](auto& pieces, auto g) {
    return std::ranges::all_of(pieces, [&](auto& piece) { return g(piece.second, piece.first); });
  };
  const auto at_entry = [&](auto& items, uint32_t function) { return f(items, graph().functions[function].block, 0); };
  return all(in.before, [&](auto& items, auto& at) { return f(items, at.first, at.second); }) &&
         all(in.on_edge, [&](auto& items, auto& e) { return f(items, graph().successors(e.first)[e.second].to, 0); }) &&
         all(in.on_call, [&](auto& items, analysis::BlockId b) { return f(items, b, 0); }) &&
         all(in.at_entry, at_entry) && all(in.at_old_entry, at_entry);
}

} // namespace crosslane::rewrite
