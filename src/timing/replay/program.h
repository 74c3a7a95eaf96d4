// Owns the rows of the blocks that traces name, made when a block is met for the first time.
#pragma once
#include "timing/replay/rows.h"
#include "timing/replay/trace.h"
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace crosslane::timing::replay {

class Program {
public:
  explicit Program(const Machine& machine) : machine_(machine) {}
  // `find`: the block of a number that is met for the first time. From one thread, before a wave that has it is placed.
  // Returns how many instructions they are.
  uint64_t know(std::span<const uint64_t> words, const std::function<const events::Block*(uint32_t)>& find);
  const BlockRows& rows(uint32_t block) const { return *blocks_[block]; }
  uint32_t count() const { return count_; } // of rows
  template <class F> void for_each(F f) const {
    for (const auto& block : blocks_)
      if (block)
        f(*block);
  }

private:
  const Machine& machine_;
  std::vector<std::unique_ptr<BlockRows>> blocks_;
  uint32_t count_ = 0;
};

} // namespace crosslane::timing::replay
