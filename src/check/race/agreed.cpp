// As many bytes and waves as variables have that are set so: what comes beyond them did not agree.
#include "check/race/agreed.h"
#include <algorithm>

namespace crosslane::check::race {

namespace {

constexpr size_t most_bytes = 1 << 14, most_waves = 1 << 12;

uint64_t key(const Agreed::Place& place, size_t byte, uint32_t wave) {
  const uint64_t address = place.address + byte;
  return place.lds ? uint64_t(1) << 63 | uint64_t(group_of(wave)) << 17 | address : address;
}

} // namespace

void Agreed::add(const Place& place, uint32_t wave, uint32_t other) {
  for (size_t n = 0; n < place.value.size(); ++n) {
    const uint64_t at = key(place, n, wave);
    if (bytes_.size() >= most_bytes && !bytes_.contains(at))
      return;
    Waves& waves = bytes_[at];
    if (waves.value != place.value[n])
      waves = {place.value[n], {}};
    for (const uint32_t w : {wave, other})
      if (const auto here = std::ranges::lower_bound(waves.all, w);
          waves.all.size() < most_waves && (here == waves.all.end() || *here != w))
        waves.all.insert(here, w);
  }
}

bool Agreed::has(const Place& place, uint32_t wave) const {
  for (size_t n = 0; n < place.value.size(); ++n) {
    const auto found = bytes_.find(key(place, n, wave));
    if (found == bytes_.end() || found->second.value != place.value[n] ||
        !std::ranges::binary_search(found->second.all, wave))
      return false;
  }
  return true;
}

} // namespace crosslane::check::race
