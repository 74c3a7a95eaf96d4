// Each workgroup starts looking at a compute unit of its own number, and takes the first free place.
#include "engine/places.h"
#include <algorithm>

namespace crosslane::engine {

namespace {

bool has(const UnitMask& mask, uint32_t unit) { return mask[unit / 32] >> unit % 32 & 1; }

} // namespace

uint32_t Units::enabled() const {
  uint32_t n = 0;
  for (uint32_t unit = 0; unit < std::min(count, most_units); ++unit)
    n += has(mask, unit);
  return n ? n : std::clamp(count, 1u, most_units);
}

Place Places::take(uint64_t workgroup) {
  const std::lock_guard lock(mutex_);
  if (!enabled_count_) {
    enabled_count_ = units_.enabled();
    const bool all = enabled_count_ >= std::min(units_.count, most_units);
    for (uint32_t unit = 0, n = 0; n < enabled_count_; ++unit)
      if (all || has(units_.mask, unit))
        enabled_[n++] = uint16_t(unit);
    used_.fill(0);
  }
  const uint32_t first = uint32_t(workgroup % enabled_count_);
  for (uint32_t i = 0; i < enabled_count_; ++i) {
    const uint32_t n = (first + i) % enabled_count_;
    const uint32_t group = uint32_t(std::countr_one(used_[n]));
    if (group >= groups_per_unit_)
      continue;
    used_[n] |= uint64_t(1) << group;
    return {enabled_[n], uint8_t(group), true, true};
  }
  return {enabled_[first], uint8_t(workgroup / enabled_count_ % groups_per_unit_), true, false};
}

void Places::give_back(const Place& place) {
  const std::lock_guard lock(mutex_);
  const auto at = std::lower_bound(enabled_.begin(), enabled_.begin() + enabled_count_, place.unit);
  used_[size_t(at - enabled_.begin())] &= ~(uint64_t(1) << place.group);
}

} // namespace crosslane::engine
