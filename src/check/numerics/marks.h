// Owns what of a wave's values came about in a way that may be wrong: which instruction made an infinity or a NaN of
// finite numbers, or left 32 bits, by register and lane, and by dword of scratch.
#pragma once
#include "check/slots.h"
#include "machine/wave.h"
#include <array>
#include <bit>
#include <memory>
#include <unordered_map>

namespace crosslane::check::numerics {

enum class Made : uint8_t {
  nothing,
  infinity,
  nan,
  overflow,      // neither as signed nor as unsigned numbers it is what was computed
  unsigned_only, // ... as an unsigned one it is: wrong once its sign is extended
};
constexpr bool is_float(Made m) { return m == Made::infinity || m == Made::nan; }

struct Mark {
  uint64_t pc = 0;
  Made made = Made::nothing;
  explicit operator bool() const { return made != Made::nothing; }
  auto operator<=>(const Mark&) const = default;
};

class Marks {
public:
  bool clean() const { return count_ == 0; }
  // Lanes of a register that have one. A scalar register is the same in all lanes.
  uint64_t lanes(unsigned slot) const { return lanes_[slot]; }
  Mark at(unsigned slot, int lane) const {
    if (slot >= slot::end || !(lanes_[slot] >> lane & 1))
      return {};
    return slot < slot::vgpr ? scalars_[slot] : (*vectors_[slot - slot::vgpr])[size_t(lane)];
  }
  void set(unsigned slot, int lane, Mark mark) {
    if (slot >= slot::end || !mark)
      return clear(slot, uint64_t(1) << lane);
    const uint64_t before = lanes_[slot];
    if (slot < slot::vgpr) {
      scalars_[slot] = mark;
      lanes_[slot] = ~uint64_t(0);
    } else {
      auto& vector = vectors_[slot - slot::vgpr];
      if (!vector)
        vector = std::make_unique<std::array<Mark, machine::lanes_per_wave>>();
      (*vector)[size_t(lane)] = mark;
      lanes_[slot] |= uint64_t(1) << lane;
    }
    count_ += before == 0;
  }
  void clear(unsigned slot, uint64_t lanes) {
    if (slot >= slot::end || !lanes_[slot])
      return;
    lanes_[slot] = slot < slot::vgpr ? 0 : lanes_[slot] & ~lanes;
    count_ -= lanes_[slot] == 0;
  }
  void clear_vectors() {
    for (unsigned slot = slot::vgpr; slot < slot::end; ++slot)
      clear(slot, ~uint64_t(0));
  }
  std::unordered_map<uint64_t, Mark> scratch; // by the address of the dword

private:
  unsigned count_ = 0; // registers that have marks
  std::array<uint64_t, slot::end> lanes_{};
  std::array<Mark, slot::vgpr> scalars_;
  std::array<std::unique_ptr<std::array<Mark, machine::lanes_per_wave>>, slot::end - slot::vgpr> vectors_;
};

} // namespace crosslane::check::numerics
