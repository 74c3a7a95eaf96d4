// Every block of a trace is looked up once before the trace is replayed.
#include "timing/replay/program.h"

namespace crosslane::timing::replay {

uint64_t Program::know(std::span<const uint64_t> words, const std::function<const events::Block*(uint32_t)>& find) {
  Lines lines;
  uint64_t instructions = 0;
  for (Cursor c(words); !c.done();) {
    if (c.at_access()) {
      c.access(lines);
      continue;
    }
    const uint32_t number = c.block();
    if (number >= blocks_.size())
      blocks_.resize(number + 1);
    if (!blocks_[number]) {
      blocks_[number] = std::make_unique<BlockRows>(rows_of(*find(number), machine_, count_));
      count_ += uint32_t(blocks_[number]->rows.size());
    }
    instructions += blocks_[number]->rows.size();
  }
  return instructions;
}

} // namespace crosslane::timing::replay
