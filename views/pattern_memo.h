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
  explicit PatternMemo(const LaneLoops& loops) : loops_(loops) {}

  // What was learned of these addresses, or of others that lie to each other as they do. Null: nothing.
  const Result* find(const PatternKey& key, const uint64_t* address) {
    const auto first = static_cast<size_t>(std::countr_zero(key.lanes));
    asked_ = tag_of(key, address, first);
    const Entry& entry = entries_[slot()];
    if (entry.tag != asked_ || entry.key != key || !loops_.are_at(address, key.lanes, address[first], entry.offset))
      return nullptr;
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
    entry.tag = asked_;
    entry.key = key;
    entry.result = result;
    const uint64_t base = address[std::countr_zero(key.lanes)];
    for (uint64_t left = key.lanes; left; left &= left - 1)
      entry.offset[std::countr_zero(left)] = address[std::countr_zero(left)] - base;
  }

private:
  static constexpr int bits = 6;
  struct Entry {
    uint64_t tag = 0;
    PatternKey key; // of no lanes: of no access
    Result result{};
    uint64_t offset[64] = {}; // from the first lane that takes part
  };

  // A few lanes tell most patterns apart; all of them are compared in the end.
  static uint64_t tag_of(const PatternKey& key, const uint64_t* address, size_t first) {
    const uint64_t rest = key.lanes & (key.lanes - 1), high = key.lanes & ~uint64_t(0) << 24;
    const uint64_t base = address[first];
    uint64_t tag = key.lanes ^ std::rotl(key.others, 32) ^ std::rotl(key.apart, 16);
    const auto mix = [&](uint64_t more) {
      tag = (tag ^ more) * 0x9e3779b97f4a7c15u;
      tag ^= tag >> 32;
    };
    mix(address[63 - std::countl_zero(key.lanes)] - base);
    mix(rest ? address[std::countr_zero(rest)] - base : 0);
    mix(high ? address[std::countr_zero(high)] - base : 0);
    return tag;
  }
  size_t slot() const { return asked_ >> (64 - bits); }

  const LaneLoops& loops_;
  uint64_t asked_ = 0; // the tag that find() was last asked for
  std::array<uint64_t, size_t(1) << bits> seen_once_ = {};
  std::array<Entry, size_t(1) << bits> entries_;
};

} // namespace crosslane::views
