// Owns PatternMemo: what a view made of the accesses that it saw last, by how the lanes' addresses lie to each other.
// Most instructions repeat the same pattern from another base, wave by wave and loop by loop, and it is cheaper to
// compare 64 addresses than to sort them into lines or banks. The view says what besides the pattern its result depends
// on: no more may depend on anything else.
#pragma once
#include "views/lane_loops.h"
#include <array>
#include <bit>
#include <cstdint>

namespace crosslane::views {

struct PatternKey {
  uint64_t lanes = 0;  // that take part
  uint64_t others = 0; // all else that the result depends on, such as the size, and the base modulo a line
  uint64_t apart = 0;  // of two addresses: from each lane's first to its second
  bool operator==(const PatternKey&) const = default;
};

template <class Result> class PatternMemo {
public:
  struct Entry {
    PatternKey key; // of no lanes: of no access
    Result result{};
    uint64_t offset[64] = {}; // from the first lane that takes part
  };
  explicit PatternMemo(const LaneLoops& loops) : loops_(loops) {}

  // What was learned of these addresses, or of others that lie to each other as they do. Null: nothing. `last` is what
  // the instruction found last time, or null: most find the same again.
  const Result* find(const PatternKey& key, const uint64_t* address, const Entry*& last) {
    if (last && is_of(*last, key, address))
      return &last->result;
    asked_ = tag_of(key, address);
    const Entry& entry = entries_[slot()];
    if (tags_[slot()] != asked_ || !is_of(entry, key, address))
      return nullptr;
    last = &entry;
    return &entry.result;
  }

  // Right after find() found nothing. What is seen once only, as of addresses that are data, does not displace what is
  // seen often.
  void learn(const PatternKey& key, const uint64_t* address, const Result& result) {
    uint64_t& once = seen_once_[slot()];
    if (once != asked_) {
      once = asked_;
      return;
    }
    Entry& entry = entries_[slot()];
    tags_[slot()] = asked_;
    entry.key = key;
    entry.result = result;
    const uint64_t base = address[std::countr_zero(key.lanes)];
    for (uint64_t left = key.lanes; left; left &= left - 1)
      entry.offset[std::countr_zero(left)] = address[std::countr_zero(left)] - base;
  }

private:
  static constexpr int bits = 6;

  bool is_of(const Entry& entry, const PatternKey& key, const uint64_t* address) const {
    if (entry.key != key)
      return false;
    const uint64_t base = address[std::countr_zero(key.lanes)];
    const auto end = static_cast<size_t>(63 - std::countl_zero(key.lanes));
    return address[end] - base == entry.offset[end] &&
           (std::has_single_bit(key.lanes) || loops_.are_at(address, key.lanes, base, entry.offset));
  }

  // A few lanes tell most patterns apart; all of them are compared in the end.
  static uint64_t tag_of(const PatternKey& key, const uint64_t* address) {
    const uint64_t rest = key.lanes & (key.lanes - 1), high = key.lanes & ~uint64_t(0) << 24;
    const uint64_t base = address[std::countr_zero(key.lanes)];
    // Odd factors with bits all over, one for each.
    uint64_t tag = key.lanes * 0x9e3779b97f4a7c15u + key.others * 0xbf58476d1ce4e5b9u + key.apart * 0x94d049bb133111ebu;
    tag += (address[63 - std::countl_zero(key.lanes)] - base) * 0xd6e8feb86659fd93u;
    tag += (rest ? address[std::countr_zero(rest)] - base : 0) * 0xa0761d6478bd642fu;
    tag += (high ? address[std::countr_zero(high)] - base : 0) * 0xe7037ed1a0b428dbu;
    tag ^= tag >> 32;
    return tag * 0x9e3779b97f4a7c15u;
  }
  size_t slot() const { return asked_ >> (64 - bits); }

  const LaneLoops& loops_;
  uint64_t asked_ = 0;                                                 // the tag that find() was last asked for
  std::array<uint64_t, size_t(1) << bits> tags_ = {}, seen_once_ = {}; // tags: of entries
  std::array<Entry, size_t(1) << bits> entries_;
};

} // namespace crosslane::views
