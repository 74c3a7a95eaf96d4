// Owns what a check knows of all code that was seen to run, by block: made once each, from any thread.
#pragma once
#include "events/listener.h"
#include <memory>
#include <mutex>
#include <unordered_map>

namespace crosslane::check {

template <class Block> class KnownBlocks {
public:
  // make(): what is to be known of it.
  template <class Make> const Block& of(const events::Block& block, Make make) {
    const std::lock_guard lock(mutex_);
    auto& known = blocks_[block.id];
    if (!known)
      known = std::make_unique<Block>(make());
    return *known;
  }

private:
  std::mutex mutex_;
  std::unordered_map<uint32_t, std::unique_ptr<Block>> blocks_; // by id
};

} // namespace crosslane::check
