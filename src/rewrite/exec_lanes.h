// Owns where EXEC surely has a lane: from where waves begin, and behind branches that have seen one.
#pragma once
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
    std::bitset<128> saved; // pairs that surely hold a lane, by their first register
    bool operator==(const State&) const = default;
    void meet(const State& o) { exec = exec && o.exec, saved &= o.saved; }
  };
  static void step(State&, const isa::Instruction&);
  size_t place(analysis::BlockId) const;

  const lint::Subject& subject_;
  std::vector<analysis::BlockId> blocks_;
  std::vector<State> begin_;
};

// Another pair of SGPRs gets the old EXEC.
bool keeps_old_exec(const isa::Instruction&);

} // namespace crosslane::rewrite
