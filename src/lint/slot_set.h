// Owns sets of registers by slot: a bit each, so that a tuple is asked for with a word or two.
#pragma once
#include "lint/steps.h"
#include <array>

namespace crosslane::lint {

// What lies behind slot::end is never in it.
class SlotSet {
public:
  bool operator==(const SlotSet&) const = default;
  void add(unsigned first, unsigned end) {
    each_word(first, end, [&](uint64_t& word, uint64_t mask) { return word |= mask, true; });
  }
  bool holds_all(unsigned first, unsigned end) const {
    if (const unsigned count = end - first; first % 64 + count <= 64 && end <= slot::end && count) // as most
      return (~words_[first / 64] >> first % 64 & ~uint64_t(0) >> (64 - count)) == 0;
    return each_word(first, end, [](uint64_t word, uint64_t mask) { return (word & mask) == mask; });
  }
  bool holds_any(unsigned first, unsigned end) const {
    if (const unsigned count = end - first; first % 64 + count <= 64 && end <= slot::end && count)
      return (words_[first / 64] >> first % 64 & ~uint64_t(0) >> (64 - count)) != 0;
    return !each_word(first, end, [](uint64_t word, uint64_t mask) { return (word & mask) == 0; });
  }
  void fill() { words_.fill(~uint64_t(0)); }
  void clear() { words_.fill(0); }
  // Whether anything changes.
  bool unite(const SlotSet& o) {
    uint64_t changed = 0;
    for (size_t n = 0; n < words_.size(); ++n)
      changed |= o.words_[n] & ~words_[n], words_[n] |= o.words_[n];
    return changed != 0;
  }
  bool intersect(const SlotSet& o) {
    uint64_t changed = 0;
    for (size_t n = 0; n < words_.size(); ++n)
      changed |= words_[n] & ~o.words_[n], words_[n] &= o.words_[n];
    return changed != 0;
  }

private:
  std::array<uint64_t, slot::end / 64> words_{};

  // While f says so; whether it always has.
  template <class F> bool each_word(unsigned first, unsigned end, F f) { return each_word(words_, first, end, f); }
  template <class F> bool each_word(unsigned first, unsigned end, F f) const {
    return each_word(words_, first, end, f);
  }
  template <class W, class F> static bool each_word(W& words, unsigned first, unsigned end, F f) {
    for (end = std::min<unsigned>(end, slot::end); first < end; first = (first / 64 + 1) * 64) {
      uint64_t mask = ~uint64_t(0) << first % 64;
      if (const unsigned behind = (first / 64 + 1) * 64; end < behind)
        mask &= ~uint64_t(0) >> (behind - end);
      if (!f(words[first / 64], mask))
        return false;
    }
    return true;
  }
};

} // namespace crosslane::lint
