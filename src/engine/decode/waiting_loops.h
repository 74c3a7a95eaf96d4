// Owns which loops look like waiting for another wave: short ones with an instruction that looks at memory past the
// caches, or at LDS; scratch is the wave's own. Their iterations use up a wave's budget early, so that it yields after
// about a thousand looks.
#pragma once
#include "isa/classify.h"
#include "isa/instruction.h"

namespace crosslane::engine {

class WaitingLoops {
public:
  // The instructions, by rising dword indexes.
  void pass(const isa::Instruction& inst, uint32_t pc) {
    if (polls(inst))
      last_poll_ = pc;
  }
  // What an iteration counts for besides its instructions, of a loop that a branch at `pc` closes.
  uint32_t cost(uint32_t pc, uint32_t target) const {
    constexpr uint32_t most_instructions = 32;
    return target <= pc && last_poll_ >= int64_t(target) && pc - target <= 2 * most_instructions ? 1000 : 0;
  }

private:
  static bool polls(const isa::Instruction& inst) {
    const isa::MemoryUse use = isa::memory_use(inst);
    return use.returns && use.spaces != isa::Space::scratch && (inst.glc || !has(use.spaces, isa::Space::global));
  }
  int64_t last_poll_ = -1;
};

} // namespace crosslane::engine
