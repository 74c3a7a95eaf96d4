// Owns the planner's view of a problem: what is wanted in each byte of one register, by name, and the same in elements
// of 2, 4 and 8 bytes where it can be said so.
#pragma once
#include "lanes/plan/plan.h"

namespace crosslane::lanes {
CROSSLANE_LEVEL_BEGIN

// A byte by where it came from. Zero is known wherever it came from.
struct Name {
  static constexpr int16_t anything = -2, unknown = -1;
  int16_t id; // 0: a zero byte; else 1 + 64 * input + byte
  static constexpr Name of(int input, int byte) { return {int16_t(1 + 64 * input + byte)}; }
  constexpr bool data() const { return id > 0; }
  constexpr int input() const { return (id - 1) / 64; }
  constexpr int byte() const { return (id - 1) % 64; }
  friend constexpr bool operator==(Name, Name) = default;
  friend constexpr Name operator|(Name a, Name b) { return a.id == 0 ? b : b.id == 0 ? a : Name{unknown}; }
};

// What is wanted of one register: a name for each byte; anything() where nobody cares.
struct Goal {
  std::array<Name, 64> want{};
  int bytes = 64; // the narrowest register that holds every byte wanted and every byte read

  constexpr uint32_t inputs() const {
    uint32_t set = 0;
    for (Name n : want)
      if (n.data())
        set |= 1u << n.input();
    return set;
  }
  // What comes from the inputs of `set`; nobody cares for the rest.
  constexpr Goal only(uint32_t set) const {
    Goal g = *this;
    for (Name& n : g.want)
      if (!n.data() || !(set >> n.input() & 1))
        n = {Name::anything};
    return g.narrowed();
  }
  // Nobody cares for what comes from the inputs of `set`.
  constexpr Goal without(uint32_t set) const {
    Goal g = *this;
    for (Name& n : g.want)
      if (n.data() && (set >> n.input() & 1))
        n = {Name::anything};
    return g.narrowed();
  }
  // Zeros above the data come by themselves, so they do not count for the width.
  constexpr Goal narrowed() const {
    Goal g = *this;
    int end = 0;
    for (int i = 0; i < 64; ++i)
      if (want[i].data())
        end = std::max({end, i + 1, want[i].byte() + 1});
    g.bytes = end <= 16 ? 16 : end <= 32 ? 32 : 64;
    return g;
  }
};

// One register in elements of `size` bytes: at[i] is 64 / size * input + element, or dont_care, or zero.
// `ok` is false when some element is torn: its bytes are not one element of a source, or zero only in part.
struct Elements {
  int size = 1, count = 64;
  bool ok = true;
  std::array<int16_t, 64> at{};
  constexpr int per_input() const { return 64 / size; }
  constexpr int input(int i) const { return at[i] / per_input(); }
  constexpr int index(int i) const { return at[i] % per_input(); }
  // The first element, from `begin` on, that is wanted from a source; count when there is none.
  constexpr int first(int begin = 0, int step = 1) const {
    int i = begin;
    while (i < count && at[i] < 0)
      i += step;
    return i < count ? i : count;
  }
};

constexpr Elements bytes_of(const Goal& g) {
  Elements e{1, g.bytes, true, {}};
  for (int i = 0; i < 64; ++i) {
    const Name n = g.want[i];
    e.at[i] = int16_t(n.data() ? n.id - 1 : n.id == 0 ? zero : dont_care);
  }
  return e;
}
constexpr Elements twice_as_wide(const Elements& e) {
  Elements w{e.size * 2, e.count / 2, e.ok, {}};
  for (int i = 0; i < w.count && w.ok; ++i) {
    const int low = e.at[2 * i], high = e.at[2 * i + 1];
    if (low < 0 && high < 0)
      w.at[i] = int16_t(low == zero || high == zero ? zero : dont_care);
    else if (low == zero || high == zero)
      w.ok = false;
    else if (low < 0 ? high % 2 == 1 : low % 2 == 0 && (high < 0 || high == low + 1))
      w.at[i] = int16_t(low < 0 ? high / 2 : low / 2);
    else
      w.ok = false;
  }
  return w;
}

// The same for all four sizes of element: [log2(size)].
struct Views {
  std::array<Elements, 5> of;
  constexpr explicit Views(const Goal& g) {
    of[0] = bytes_of(g);
    for (int i = 1; i < 5; ++i)
      of[i] = twice_as_wide(of[i - 1]);
  }
  constexpr const Elements& operator()(int size) const {
    return of[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4];
  }
};

CROSSLANE_LEVEL_END
} // namespace crosslane::lanes
