// Owns the planner's view of a problem: what is wanted in each byte of one register, by name, and the same in elements
// of 2, 4 and 8 bytes where it can be said so.
#pragma once
#include "lanes/plan/plan.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN
namespace planner {

// A byte by where it came from: 64 * input + byte; or dont_care; zero, which is known wherever it came from; unknown.
using Name = int16_t;
inline constexpr Name unknown = -3;
constexpr Name name_of(int input, int byte) { return Name(64 * input + byte); }
// Of a byte that is one or the other, where one of them is zero.
constexpr Name either(Name a, Name b) { return a == zero ? b : b == zero ? a : unknown; }

// What is wanted of one register: a name for each byte; dont_care where nobody cares, as for all from `wide` on. What
// follows from the names is found by settle(), once. Constant expressions spend their time here, so it calls nothing.
struct Goal {
  Name want[64]{};
  int wide = 64;
  int bytes = 64;      // the narrowest register that holds every byte wanted and every byte read
  uint32_t inputs = 0; // those that are read, one bit each
  int first = 64;      // the first byte for which somebody cares
  bool zeros = false;  // some are wanted
  friend constexpr bool operator==(const Goal&, const Goal&) = default;

  // Zeros above the data come by themselves, so they do not count for the width.
  constexpr void settle() {
    int places = 0; // a bit of it tells whether any byte is that far up
    inputs = 0, first = 64, zeros = false;
    for (int i = 0; i < wide; ++i) {
      const int id = want[i];
      if (id == dont_care)
        continue;
      if (first == 64)
        first = i;
      if (id < 0)
        zeros = true;
      else
        inputs |= 1u << (id >> 6), places |= i | (id & 63);
    }
    bytes = places >= 32 ? 64 : places >= 16 ? 32 : 16;
  }
  // What comes from the inputs of `set`; nobody cares for the rest.
  constexpr Goal only(uint32_t set) const {
    Goal g = *this;
    if (!zeros && !(inputs & ~set))
      return g;
    for (int i = 0; i < wide; ++i)
      if (const int id = want[i]; id < 0 || !(set >> (id >> 6) & 1))
        g.want[i] = dont_care;
    g.settle();
    return g;
  }
  // Nobody cares for what comes from the inputs of `set`.
  constexpr Goal without(uint32_t set) const {
    Goal g = *this;
    for (int i = 0; i < wide; ++i)
      if (const int id = want[i]; id >= 0 && (set >> (id >> 6) & 1))
        g.want[i] = dont_care;
    g.settle();
    return g;
  }
};
inline constexpr Goal nothing_wanted = [] {
  Goal g;
  for (Name& n : g.want)
    n = dont_care;
  g.settle();
  return g;
}();

// One register in elements of `size` bytes: at[i] is per_input * input + element, or dont_care, or zero; per_input is
// 64 / size. `ok` is false when some element is torn: its bytes are not one element of a source, or zero only in part.
struct Elements {
  int size = 1, count = 64, per_input = 64;
  bool ok = true;
  int16_t at[64]{};
  constexpr int input(int i) const { return at[i] / per_input; }
  constexpr int index(int i) const { return at[i] & (per_input - 1); }
  // The first element, from `begin` on, that is wanted from a source; count when there is none.
  constexpr int first(int begin = 0, int step = 1) const {
    int i = begin;
    while (i < count && at[i] < 0)
      i += step;
    return i < count ? i : count;
  }
};

constexpr void bytes_of(const Goal& g, Elements& e) {
  e.count = g.bytes;
  __builtin_memcpy(e.at, g.want, sizeof e.at);
}
constexpr void twice_as_wide(const Elements& e, Elements& w) {
  w.size = e.size * 2, w.count = e.count / 2, w.per_input = e.per_input / 2, w.ok = e.ok;
  for (int i = 0; i < w.count && w.ok; ++i) {
    const int low = e.at[2 * i], high = e.at[2 * i + 1];
    if (low >= 0 && low % 2 == 0 && (high == low + 1 || high == dont_care))
      w.at[i] = int16_t(low / 2);
    else if (low < 0 && high < 0)
      w.at[i] = int16_t(low == zero || high == zero ? zero : dont_care);
    else if (low == dont_care && high % 2 == 1)
      w.at[i] = int16_t(high / 2);
    else
      w.ok = false;
  }
}

// The same for all four sizes of element, and for 128 bits: [log2(size)].
struct Views {
  Elements of[5];
  constexpr explicit Views(const Goal& g) {
    bytes_of(g, of[0]);
    for (int i = 1; i < 5; ++i)
      twice_as_wide(of[i - 1], of[i]);
  }
  constexpr const Elements& operator()(int size) const { return of[size < 8 ? size / 2 : size == 8 ? 3 : 4]; }
};

} // namespace planner
CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
