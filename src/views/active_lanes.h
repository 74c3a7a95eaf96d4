// Owns counting how many lanes are active in each instruction that a wave issues: a histogram for each instruction, and
// what the idle lanes cost.
//
// A vector instruction occupies a 16-lane SIMD unit for 4 cycles (more for slow operations: timing/issue_cycles.h): 64
// lane-cycles, of which those of idle lanes are lost. A lane is idle because it diverged (it was launched, but is not
// in EXEC) or because the wavefront is partial (it was never launched).
#pragma once
#include "events/listener.h"
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace crosslane::views {

struct ActiveLanes {
  std::array<uint64_t, 65> waves = {}; // wave-instructions with 0, 1, ... 64 lanes in EXEC
  uint64_t diverged = 0;               // sum of lanes that were launched and are not in EXEC
  uint64_t missing = 0;                // sum of lanes that were never launched
  uint64_t executions() const;         // wave-instructions
  uint64_t lanes() const;              // sum of active lanes
  ActiveLanes& operator+=(const ActiveLanes&);
  bool operator==(const ActiveLanes&) const = default;
};

struct ActiveLanesSite {
  uint64_t pc = 0; // address in loaded code
  isa::Instruction instruction;
  ActiveLanes active;
  // Lane-cycles that diverged and missing lanes waste in this instruction; 0 for what is not issued per lane (scalar).
  double lost_to_divergence = 0, lost_to_partial_waves = 0;
};

// Attach to one dispatch or several whose code is still there when it is read; read when none is running.
class ActiveLaneCounts final : public events::Listener {
public:
  ActiveLaneCounts();
  ~ActiveLaneCounts() override;
  bool wants_issued() const override { return true; }
  void issued(const events::Issued&) override;
  bool takes_counts() const override { return true; }
  void counted(const events::Counted&) override;

  std::vector<ActiveLanesSite> sites() const; // by pc

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
