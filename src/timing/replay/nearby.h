// Owns what L2 holds where a part of a grid is left out: lines of the workgroups in front of what is replayed next.
//
// There the card still runs workgroups of long before. They find L2 as it was (passing requests), and take the time
// that they would have taken; in the L2 of those that come next, they stand for the last ones of the part that was left
// out: of these, each has done as much as one of them, and goes on as they ask for lines. If each came to its end
// before the next one began, loads and stores would lie in L2 in another order, and it would write back too little for
// a while.
#pragma once
#include "timing/replay/cluster.h"
#include <deque>

namespace crosslane::timing::replay {

class Nearby {
public:
  // `left`: what the card has still to do, by workgroup.
  void leave_behind(std::span<const Cluster::Left> left, L2&);
  // The next one of those that are not replayed. `scratch`: line of each wave.
  void warm(GroupTrace&, std::span<const uint64_t> scratch, L2&);
  // What is replayed comes next.
  void begin(const L2&);
  // A passing request, which stands for the next one of theirs of its kind.
  void go_on(Request&);

private:
  struct Touch {
    uint64_t line;
    Kind kind;
    uint8_t lines = 1;
  };
  struct Wave {
    std::vector<uint64_t> words;
    Cursor at;
    uint64_t scratch; // line
  };
  using Group = std::vector<Wave>;
  template <class Do> static void touches(Wave&, const L2&, Do);
  static void run(Wave&, size_t left, L2&);
  static void run(Group&, std::span<const size_t> left, L2&);
  std::deque<Touch>& rest(Kind kind) { return kind == Kind::load ? loads_ : stores_; }
  void end(L2&);

  std::vector<std::vector<size_t>> left_; // words of each wave of those that the card runs
  std::deque<Group> groups_;              // the last ones, as many
  std::deque<Touch> loads_, stores_;      // that they have still to do; atomics are stores
};

} // namespace crosslane::timing::replay
