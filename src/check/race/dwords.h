// Owns what waves do to 256 bytes of LDS while no barrier orders them: the last instructions of each wave, with a bit
// for each dword that they access. Most accesses meet nothing there that matters to them, which is one look at these
// bits; what meets something, or does not come in dwords, is judged by cells (check/race/line.h), which get what is
// here then.
#pragma once
#include "check/race/record.h"
#include <array>
#include <span>

namespace crosslane::check::race {

class Dwords {
public:
  struct Set {
    Record record;
    uint64_t dwords = 0;
  };
  // Sets have a dword in common if they are both atomics, if they are loads of two waves, or if both are of one wave
  // and the second, a load, came later.
  std::span<const Set> sets() const { return {sets_.data(), count_}; }
  void clear() { count_ = 0, loaded_ = stored_ = changed_ = 0; }
  // `done`: of the wave's instructions, those that are known to be. False: cells judge it, as it meets something that
  // matters to it, or there is no room.
  bool add(const Record& me, uint64_t dwords, uint32_t done);

private:
  uint32_t count_ = 0;
  uint64_t loaded_ = 0, stored_ = 0, changed_ = 0; // by anyone, the last by atomics
  std::array<Set, 32> sets_;
  uint64_t matter_to(Kind) const;
  bool is_for_cells(const Record& me, uint64_t dwords) const;
  void take_from_own(const Record& me, uint64_t dwords);
  Set* place_for(const Record& me, uint32_t done);
};

} // namespace crosslane::check::race
