// Owns what the banks of LDS do with one access: see views/lds.h for the rules.
#pragma once
#include "events/listener.h"
#include "views/lds.h"
#include "views/pattern_memo.h"
#include <array>
#include <cassert>
#include <cstdint>

namespace crosslane::views {

inline constexpr uint32_t lds_banks = 32;

// Lanes ask for units: dwords, or what they access as a whole where that is aligned, as no two such overlap in part.
// Units of more than a dword take as many banks next to each other.
struct LdsUnits {
  uint32_t shift = 2;      // log2 of their bytes
  bool one_a_lane = false; // else dwords, of which a lane may have several
  uint32_t banks() const { return lds_banks * 4 >> shift; }
  uint32_t of(uint64_t address) const { return static_cast<uint32_t>(address >> shift); }
  uint32_t bank(uint32_t unit) const { return unit & (banks() - 1); }
};

// Which units a group of lanes has asked for: a mark for each unit of LDS, old where it is not of this group.
class UnitMarks {
public:
  static constexpr uint64_t lds_bytes = 65536; // the most that any target has
  void start_group() {
    if (++group_ == 0) { // it has been round
      marks_ = {};
      group_ = 1;
    }
  }
  bool mark(uint32_t unit) { // false if it has been
    const bool fresh = marks_[unit] != group_;
    marks_[unit] = group_;
    return fresh;
  }

private:
  uint16_t group_ = 0;
  std::array<uint16_t, (lds_bytes + 64) / 4> marks_ = {}; // an access may begin in the last byte
};

// The lanes of one group that wait at each bank, or at each row of banks that a unit takes. Large, to be used again.
class BankQueues {
public:
  static constexpr uint32_t most_lanes = 32; // of a group
  void clear() { waiting_ = {}; }
  // True if another lane has asked for the unit before.
  bool request(LdsUnits, uint32_t unit, uint32_t lane, bool each_in_turn);
  uint32_t longest() const;
  uint32_t first_of_length(uint32_t length) const;
  uint32_t lane(uint32_t bank, uint32_t place) const { return queues_[bank].lane[place]; }
  uint32_t unit(uint32_t bank, uint32_t place) const { return queues_[bank].unit[place]; }

private:
  struct Queue {
    uint32_t unit[most_lanes];
    uint32_t lane[most_lanes];
  };
  std::array<uint32_t, lds_banks> waiting_ = {};
  std::array<Queue, lds_banks> queues_; // of each as many as wait have a value
};

// An access as the banks see it: with one address or two, which are served one after the other.
struct LdsRequest {
  const events::Access& access;
  uint32_t bytes;             // of a lane at each address
  const uint64_t* address[2]; // the second may be null
};
LdsRequest lds_request(const events::Access&);

// What serving an access takes: in a group at most `degree` cycles.
struct LdsServed {
  LdsCounts counts; // cycles: those of conflicts alone, so no ideal ones
  uint32_t degree = 0;
};

// Serves accesses, and remembers patterns of them. One for each thread.
class LdsServer {
public:
  using Known = PatternMemo<LdsServed>::Entry;
  // `last`: of the instruction, null at first.
  LdsServed serve(const events::Access&, const Known*& last);
  // The same for one that is like none before.
  LdsServed serve_anew(const events::Access&);
  // Fills in who meets where, in the first group that needs `degree` cycles, which are more than 1.
  void find_worst(const events::Access&, uint32_t degree, LdsSite&);

private:
  const LaneLoops& loops_ = lane_loops();
  BankQueues queues_;
  UnitMarks marks_;
  PatternMemo<LdsServed> memo_{loops_};
};

} // namespace crosslane::views
