// Owns what the banks of LDS do with one access: see views/lds.h for the rules.
#pragma once
#include "events/listener.h"
#include <array>
#include <cassert>
#include <cstdint>

namespace crosslane::views {

struct LdsCounts;
struct LdsSite;

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
  events::Access access;
  const uint64_t* address[2]; // the second may be null
};
LdsRequest lds_request(const events::Access&);

// Adds to `counts`, but for accesses and lanes, and returns the most cycles that a group needed.
uint32_t serve(const LdsRequest&, BankQueues&, LdsCounts& counts);
// Fills in who meets where, in the first group that needs `degree` cycles, which are more than 1.
void find_worst(const LdsRequest&, uint32_t degree, BankQueues&, LdsSite&);

} // namespace crosslane::views
