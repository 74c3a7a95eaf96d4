// Owns Tags: which lines a cache holds, the oldest of a set goes first. A line that is on its way knows which request
// brings it.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace crosslane::timing::replay {

class Tags {
public:
  struct Line {
    uint64_t number = ~uint64_t(0);
    uint64_t ready = 0;      // cycle from which it can be read, once that is known
    uint32_t request = none; // that brings it, until then
    uint32_t used = 0;
    uint16_t there = 0, dirty = 0; // of L2: 64 bytes each
  };
  static constexpr uint32_t none = ~0u;

  Tags(uint32_t lines, uint32_t ways)
      : ways_(ways), sets_(std::bit_floor(lines / ways)), lines_(size_t(sets_) * ways) {}

  // Null: it is not there.
  Line* find(uint64_t number) {
    Line* set = &lines_[set_of(number)];
    for (uint32_t w = 0; w < ways_; ++w)
      if (set[w].number == number) {
        set[w].used = ++clock_;
        return set + w;
      }
    return nullptr;
  }
  // The same without being a use of it.
  Line* peek(uint64_t number) {
    Line* set = &lines_[set_of(number)];
    for (uint32_t w = 0; w < ways_; ++w)
      if (set[w].number == number)
        return set + w;
    return nullptr;
  }
  // The one that goes: what it was is still in it.
  Line& victim(uint64_t number) {
    Line* set = &lines_[set_of(number)];
    Line* oldest = set;
    for (uint32_t w = 1; w < ways_; ++w)
      if (set[w].used < oldest->used)
        oldest = set + w;
    return *oldest;
  }
  void fill(Line& line, uint64_t number) { line = {.number = number, .used = ++clock_}; }
  // Lines that are on their way stay: what waits for them will find them.
  void invalidate() {
    for (Line& line : lines_)
      if (line.request == none)
        line = {};
  }
  template <class F> void for_each(F f) {
    for (Line& line : lines_)
      f(line);
  }

private:
  size_t set_of(uint64_t number) const { return size_t((number ^ number >> 7) & (sets_ - 1)) * ways_; }
  uint32_t ways_, sets_, clock_ = 0;
  std::vector<Line> lines_;
};

} // namespace crosslane::timing::replay
