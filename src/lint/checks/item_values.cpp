// Values are compared by what they hold, so that ways which come to the same by other means meet.
#include "lint/checks/item_values.h"
#include <algorithm>

namespace crosslane::lint {

namespace {

constexpr size_t most_values = 4000, most_numbers = size_t(1) << 18; // numbers: of all values together

uint64_t hash(std::span<const uint32_t> values) {
  uint64_t h = 0x9e3779b97f4a7c15;
  for (const uint32_t v : values)
    h = (h ^ v) * 0xff51afd7ed558ccd, h ^= h >> 32;
  return h;
}

} // namespace

void ItemValues::begin(const uint32_t (&size)[3]) {
  const uint64_t items = uint64_t(size[0]) * size[1] * size[2];
  counted_ = items > 0 && items <= 1024;
  items_ = counted_ ? uint32_t(items) : 1;
  data_.clear(), by_hash_.clear(), made_.clear(), constants_.fill({});
  const auto add = [&](auto f) {
    for (uint32_t n = 0; n < items_; ++n)
      data_.push_back(f(n));
    by_hash_.emplace(hash((*this)[Id(data_.size() / items_)]), Id(data_.size() / items_));
  };
  const uint32_t w = counted_ ? size[0] : 1, h = counted_ ? size[1] : 1;
  add([](uint32_t) { return 1u; });
  add([&](uint32_t n) { return n % w; });
  add([&](uint32_t n) { return n / w % h; });
  add([&](uint32_t n) { return n / w / h; });
  add([&](uint32_t n) { return n % w | n / w % h << 10 | n / w / h << 20; });
}

ItemValues::Id ItemValues::of(std::span<const uint32_t> values) {
  const uint64_t name = hash(values);
  for (auto [at, end] = by_hash_.equal_range(name); at != end; ++at)
    if (std::ranges::equal((*this)[at->second], values))
      return at->second;
  if (data_.size() / items_ >= most_values || data_.size() + items_ > most_numbers)
    return unknown;
  data_.insert(data_.end(), values.begin(), values.end());
  const Id id = Id(data_.size() / items_);
  by_hash_.emplace(name, id);
  return id;
}

ItemValues::Id ItemValues::constant(uint32_t value) {
  Constant& kept = constants_[(value ^ value >> 6) % constants_.size()];
  if (kept.id == unknown || kept.value != value)
    scratch_.assign(items_, value), kept = {value, of(scratch_)};
  return kept.id;
}

} // namespace crosslane::lint
