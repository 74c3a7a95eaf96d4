// Owns races in the LDS of one workgroup. What orders its waves: barriers, for what a wave has waited for (lgkmcnt),
// and atomics with a result, for what was waited for before one of the same dword. A workgroup is on one thread at a
// time.
#pragma once
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

private:
  using Limit = std::array<uint32_t, waves_per_group>;
  struct Judge;
  bool alone_ = false, fences_ = false;
  std::vector<Line> lines_;
  std::vector<Limit> published_; // of each dword, once something was
  std::vector<uint64_t> dwords_; // of which something was
  Limit& published(uint64_t dword);
};

} // namespace crosslane::check::race
