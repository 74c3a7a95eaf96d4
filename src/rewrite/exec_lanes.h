// Owns where EXEC surely has a lane: from where waves begin, and behind branches that have seen one.
#pragma once
#include "analysis/masks.h"
#include "rewrite/kernels.h"
#include <bitset>
#include <span>

namespace crosslane::rewrite {

class ExecLanes {
public:
  // `blocks`: all of the kernels', by address.
  ExecLanes(const lint::Subject&, std::span<const CopiedKernel* const>, std::span<const analysis::BlockId> blocks);
  // Before instruction n of a block.
  bool some(analysis::BlockId, uint32_t n) const;

private:
  struct State {
    bool exec = true;
    std::bitset<128> saved;             // pairs that surely hold a lane, by their first register
    std::vector<analysis::MaskId> some; // masks that surely have one, sorted
    bool anything = false;              // not reached yet
    bool operator==(const State&) const = default;
    void meet(const State&);
  };
  static void step(State&, const isa::Instruction&);
  // Through a block: f(instruction in it, state before it).
  template <class F> void walk(analysis::BlockId, State&, F) const;
  void find_masks();
  size_t place(analysis::BlockId) const;

  const lint::Subject& subject_;
  std::vector<analysis::BlockId> blocks_;
  std::vector<State> begin_;
  struct Masks { // of EXEC in a block: at its beginning, and behind instructions
    bool known = false;
    analysis::MaskId begin = analysis::all_lanes;
    std::vector<analysis::MaskChange> changes;
    std::vector<analysis::MaskId> given; // that have a new value whenever the block begins
  };
  std::vector<Masks> masks_;
};

// SGPRs or VCC, which every target has by that name.
bool is_pair(uint16_t code);
// Another such pair gets the old EXEC.
bool keeps_old_exec(const isa::Instruction&);

} // namespace crosslane::rewrite
