// What a wave begins with.
#include "check/init/registers.h"

namespace crosslane::check::init {

void Registers::begin(const machine::Wave& wave, const Slots& undefined) {
  dirty_ = undefined;
  for (size_t word = 0; word < dirty_.size(); ++word)
    for (uint64_t left = dirty_[word]; left; left &= left - 1) {
      const size_t n = word * 64 + size_t(std::countr_zero(left));
      origin_[n] = {};
      if (n >= slot::vgpr)
        lanes_[n - slot::vgpr] = whole_[n - slot::vgpr] = wave.launched;
      else
        scalar_[n] = n == slot::scc ? 1 : ~0u;
    }
}

void Registers::set(unsigned slot, int lane, uint32_t undefined) {
  const uint64_t bit = uint64_t(1) << lane;
  if (!undefined)
    return define(slot, bit);
  const unsigned v = slot - slot::vgpr;
  if (!holds(dirty_, slot))
    add(dirty_, slot), lanes_[v] = whole_[v] = 0, origin_[slot] = {};
  lanes_[v] |= bit;
  if (undefined == ~0u) {
    whole_[v] |= bit;
    return;
  }
  whole_[v] &= ~bit;
  if (!bits_[v])
    bits_[v] = std::make_unique_for_overwrite<std::array<uint32_t, machine::lanes_per_wave>>();
  (*bits_[v])[size_t(lane)] = undefined;
}

} // namespace crosslane::check::init
