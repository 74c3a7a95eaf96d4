// Owns which bits of a wave's registers nothing has defined, and where they come from. Slots name them.
#pragma once
#include "check/slots.h"
#include "machine/wave.h"
#include <bit>
#include <memory>

namespace crosslane::check::init {

// Where an undefined value was seen first.
struct Origin {
  enum class Kind : uint8_t { none, slot, lds, scratch, memory };
  uint64_t pc;     // of the instruction that read it first
  uint64_t number; // a slot, a byte of LDS or of a lane's scratch, an address
  Kind kind;       // `none` where all is 0
};

class Registers {
public:
  Registers() {} // all defined; what belongs to slots outside of dirty_ has no value
  // `undefined`: what a launch does not fill in, of registers that the wave has.
  void begin(const machine::Wave&, const Slots& undefined);

  // Slots with undefined bits.
  const Slots& dirty() const { return dirty_; }
  bool clean() const {
    uint64_t all = 0;
    for (const uint64_t word : dirty_)
      all |= word;
    return all == 0;
  }

  // Scalars, and SCC as one bit.
  uint32_t undefined(unsigned slot) const { return holds(dirty_, slot) ? scalar_[slot] : 0; }
  void set(unsigned slot, uint32_t undefined) {
    scalar_[slot] = undefined;
    undefined ? add(dirty_, slot) : remove(dirty_, slot);
  }
  uint64_t undefined_pair(unsigned slot) const {
    return undefined(slot) | uint64_t(slot + 1 < slot::scc ? undefined(slot + 1) : 0) << 32;
  }
  void set_pair(unsigned slot, uint64_t undefined) {
    set(slot, uint32_t(undefined)), set(slot + 1, uint32_t(undefined >> 32));
  }

  // Vector registers.
  uint64_t lanes(unsigned slot) const { return holds(dirty_, slot) ? lanes_[slot - slot::vgpr] : 0; }
  uint32_t undefined(unsigned slot, int lane) const {
    if (!(lanes(slot) >> lane & 1))
      return 0;
    const unsigned v = slot - slot::vgpr;
    return whole_[v] >> lane & 1 ? ~0u : (*bits_[v])[size_t(lane)];
  }
  void define(unsigned slot, uint64_t lanes) {
    if (!holds(dirty_, slot))
      return;
    const unsigned v = slot - slot::vgpr;
    lanes_[v] &= ~lanes, whole_[v] &= ~lanes;
    if (!lanes_[v])
      remove(dirty_, slot);
  }
  void set(unsigned slot, int lane, uint32_t undefined);

  // Of a slot that has undefined bits.
  Origin& origin(unsigned slot) { return origin_[slot]; }

private:
  static constexpr unsigned vectors = slot::end - slot::vgpr;
  Slots dirty_{};
  std::array<uint32_t, slot::scc + 1> scalar_;
  std::array<uint64_t, vectors> lanes_; // with undefined bits,
  std::array<uint64_t, vectors> whole_; // and those of them that have no other ones
  std::array<std::unique_ptr<std::array<uint32_t, machine::lanes_per_wave>>, vectors> bits_; // of the rest
  std::array<Origin, slot::end> origin_;
};

} // namespace crosslane::check::init
