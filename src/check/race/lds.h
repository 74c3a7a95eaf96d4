// Owns races in the LDS of one workgroup. What orders its waves: barriers, for what a wave has waited for (lgkmcnt),
// and atomics with a result, for what was waited for before one of the same dword. A workgroup is on one thread at a
// time.
#pragma once
#include "check/race/dwords.h"
#include "check/race/found.h"
#include "check/race/shadow.h"
#include "check/race/waves.h"
#include <vector>

namespace crosslane::check::race {

class Lds {
public:
  // A workgroup begins. `fences`: its code may learn from LDS atomics.
  void begin(const machine::Workgroup&, bool fences);
  void access(const events::Access&, const Record& me, WaveState&, Found&);
  // The wave has waited.
  void acquire(WaveState&);
  // Its waves go on behind a barrier. `all_done`: it orders all that they have done before.
  void passed_barrier(bool all_done);

private:
  using Limit = std::array<uint32_t, waves_per_group>;
  struct Judge;
  struct Instruction;
  // What was done in older phases happens before all that is done now.
  struct Place {
    uint64_t phase = 0;
    bool in_cells = false;
    Dwords dwords;
    Line line; // in their place
  };
  bool alone_ = false, fences_ = false;
  uint64_t phase_ = 1;
  std::vector<Place> places_;    // of 256 bytes each
  std::vector<Limit> published_; // of each dword, once something was
  std::vector<uint64_t> dwords_; // of which something was
  Limit& published(uint64_t dword);
  Place& place(uint64_t number);
  static Line& in_cells(Place&);
};

} // namespace crosslane::check::race
