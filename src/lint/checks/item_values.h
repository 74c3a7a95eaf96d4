// Owns what registers hold in each work-item of a workgroup, counted out: ids, constants, and what plain arithmetic
// makes of them. EXEC and comparisons are such values, too: 1 where an item's bit is set. How large a workgroup is, a
// kernel may require (reqd_workgroup_size); where it does not, one item stands for all, and only constants are known.
#pragma once
#include "isa/instruction.h"
#include "lint/launches.h"
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <unordered_map>

namespace crosslane::lint {

inline constexpr uint32_t wave_size = 64;

// Values by number, each there once; those of one part of the graph.
class ItemValues {
public:
  using Id = uint16_t;
  static constexpr Id unknown = 0, all = 1, x = 2, y = 3, z = 4, packed = 5; // packed: ids as gfx90a has them in v0

  void begin(const uint32_t (&size)[3]); // of a workgroup; 0: not known
  bool counted() const { return counted_; }
  uint32_t items() const { return items_; }
  uint32_t waves() const { return (items_ + wave_size - 1) / wave_size; }

  std::span<const uint32_t> operator[](Id id) const { return {data_.data() + size_t(id - 1) * items_, items_}; }
  Id constant(uint32_t value);
  Id of(std::span<const uint32_t> values); // unknown: there are too many already
  // f(a), f(a, b) of each item; `key` names f.
  template <class F> Id made(uint32_t key, Id a, Id b, Id c, F f) {
    if (!a || !b || !c)
      return unknown;
    const uint64_t name = uint64_t(key) << 48 | uint64_t(a) << 32 | uint64_t(b) << 16 | c;
    if (const auto found = made_.find(name); found != made_.end())
      return found->second;
    scratch_.resize(items_);
    for (uint32_t n = 0; n < items_; ++n)
      scratch_[n] = f((*this)[a][n], (*this)[b][n], (*this)[c][n]);
    return made_[name] = of(scratch_);
  }
  // Of each wave, as its items have it: f(items of the wave).
  template <class F> bool any_wave(F f) const {
    for (uint32_t first = 0; first < items_; first += wave_size)
      if (f(first, std::min(first + wave_size, items_)))
        return true;
    return false;
  }

private:
  bool counted_ = false;
  uint32_t items_ = 1;
  std::vector<uint32_t> data_, scratch_;
  std::unordered_multimap<uint64_t, Id> by_hash_;
  std::unordered_map<uint64_t, Id> made_;
  struct Constant {
    uint32_t value = 0;
    Id id = unknown;
  };
  std::array<Constant, 64> constants_{}; // that were asked for last
};

// What is known of some registers.
struct KnownItems {
  static constexpr size_t most = 12;
  struct One {
    uint16_t slot = 0;
    ItemValues::Id value = 0;
    bool mask = false;    // a pair of SGPRs with a bit for each item of a wave
    bool partial = false; // of a VGPR: only for the lanes that were on when it was written
    bool operator==(const One&) const = default;
    uint16_t end() const { return uint16_t(slot + 1 + mask); }
  };
  std::array<One, most> all{};
  uint8_t count = 0;
  ItemValues::Id exec = 0;  // which items are on
  ItemValues::Id here = 0;  // whose waves come here, as far as ids decide it; unknown: not any
  uint64_t compared_pc = 0; // of the last comparison by ids
  uint64_t slots = 0;       // a bit for each slot there may be, modulo 64

  const One* find(uint16_t slot, bool mask) const {
    for (uint8_t n = 0; n < count; ++n)
      if (all[n].slot == slot && all[n].mask == mask)
        return &all[n];
    return nullptr;
  }
  bool may_hold(uint16_t first, uint16_t end) const { // of an instruction's operands, at most 32
    const uint64_t run = end - first >= 64 ? ~uint64_t(0) : (uint64_t(1) << (end - first)) - 1;
    return (slots & std::rotl(run << 1 | 1, (first - 1) & 63)) != 0; // masks begin one before what they have
  }
  void put(const One& one) {
    slots |= uint64_t(1) << one.slot % 64;
    if (count == most)
      std::shift_left(all.begin(), all.end(), 1), --count;
    all[count++] = one;
  }
  template <class F> void keep_if(F f) {
    uint8_t kept = 0;
    slots = 0;
    for (uint8_t n = 0; n < count; ++n)
      if (f(all[n]))
        slots |= uint64_t(1) << all[n].slot % 64, all[kept++] = all[n];
    count = kept;
  }
};

} // namespace crosslane::lint
