// A table under a lock: threads keep what they were told (check/race.cpp).
#include "check/race/sites.h"

namespace crosslane::check::race {

uint32_t Sites::number(uint64_t pc) {
  const std::lock_guard lock(mutex_);
  if (pcs_.size() > most)
    return most;
  const auto [found, fresh] = numbers_.try_emplace(pc, uint32_t(pcs_.size()));
  if (fresh)
    pcs_.push_back(pc);
  return found->second;
}

} // namespace crosslane::check::race
