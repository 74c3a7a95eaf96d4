// Owns where on the card workgroups are: which compute unit, and which of the places in it. Only waves that ask
// (s_getreg of HW_ID and the like) give their workgroup a place; it keeps it to its end. Units are taken in turn, in
// the order of their numbers, those that the queue's mask leaves out excepted; no two workgroups have one place at a
// time, unless more are resident than the card holds. A unit's number says where it is: engines first, then their
// arrays, then the units of an array. Source: the kernel driver's mqd_symmetrically_map_cu_mask (kfd_mqd_manager.c),
// which says what the bits of a mask mean.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>

namespace crosslane::engine {

inline constexpr uint32_t most_units = 256;

// Bit i of word i / 32 stands for unit i. No bit at all means every unit.
using UnitMask = std::array<uint32_t, most_units / 32>;

struct Units {
  uint32_t count = 64; // of the card
  uint32_t engines = 4, arrays_per_engine = 1;
  UnitMask mask = {};
  uint32_t enabled() const; // how many of them may be used
};

// Of a workgroup; without the flag `taken` it has none (yet).
struct Place {
  uint16_t unit = 0;
  uint8_t group = 0;  // number among the workgroups of the unit
  bool known = false; // else nobody has asked
  bool taken = false; // and it is its own: see Places
};

class Places {
public:
  Places(const Units& units, uint32_t groups_per_unit) : units_(units), groups_per_unit_(groups_per_unit) {}
  Place take(uint64_t workgroup);
  void give_back(const Place&);
  const Units& units() const { return units_; }

private:
  const Units& units_;
  const uint32_t groups_per_unit_; // at most 40
  std::mutex mutex_;
  uint32_t enabled_count_ = 0; // 0: what follows has not been filled in, as nobody has asked
  std::array<uint16_t, most_units> enabled_;
  std::array<uint64_t, most_units> used_; // by number in enabled_: a bit for each workgroup
};

} // namespace crosslane::engine
