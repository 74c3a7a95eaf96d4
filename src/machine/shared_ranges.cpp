// Ranges lie side by side or apart; an access may go over from one to the next.
#include "machine/shared_ranges.h"
#include <iterator>
#include <utility>

namespace crosslane::machine {

void SharedRanges::set(std::map<uint64_t, uint64_t> ranges) {
  const std::unique_lock lock(mutex_);
  ranges_ = std::move(ranges);
}

bool SharedRanges::empty() const {
  const std::shared_lock lock(mutex_);
  return ranges_.empty();
}

bool SharedRanges::contains(uint64_t address, uint64_t bytes) const {
  if (address + bytes < address)
    return false;
  const std::shared_lock lock(mutex_);
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin())
    return false;
  --it;
  uint64_t covered = it->second;
  for (++it; covered < address + bytes && it != ranges_.end() && it->first == covered; ++it)
    covered = it->second;
  return covered >= address + bytes;
}

} // namespace crosslane::machine
