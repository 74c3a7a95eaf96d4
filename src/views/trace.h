// Owns recording one wavefront, instruction by instruction: which registers each one changed. For the lane viewer.
#pragma once
#include "events/listener.h"
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace crosslane::views {

using LaneValues = std::array<uint32_t, 64>;

// What changed; at the beginning: what is not 0, of VGPRs that nothing has written what a wave before left there. SGPRs
// by their number (flat_scratch and trap temporaries are among them, by their codes), without VCC, EXEC and M0; VGPRs
// by their number, AccVGPRs count on from 256.
struct RegisterChanges {
  std::map<uint32_t, uint32_t> s;
  std::map<uint32_t, LaneValues> v;
  std::optional<uint64_t> exec, vcc;
  std::optional<uint32_t> scc, m0;
  bool empty() const { return s.empty() && v.empty() && !exec && !vcc && !scc && !m0; }
};

struct TracedAccess {
  events::Space space{};
  events::AccessKind kind{};
  uint32_t bytes = 0;
  uint64_t lanes = 0;
  std::array<uint64_t, 64> address = {}, second = {};
  bool two_addresses = false;
};

struct TraceStep {
  uint32_t instruction = 0; // index in WaveTrace::instructions
  RegisterChanges changes;  // that the instruction made
  std::vector<TracedAccess> accesses;
};

struct WaveTrace {
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t wave = 0;
  uint32_t vgpr_count = 0, agpr_count = 0, sgpr_count = 0; // that it owns
  bool found = false;                                      // such a wave ran
  bool complete = false; // it ended within the limit; a wave that faults does not, its last step is where it did
  struct Instruction {
    uint64_t pc = 0;
    isa::Instruction instruction;
  };
  std::vector<Instruction> instructions; // that it executed, by first execution
  RegisterChanges initial;
  std::vector<TraceStep> steps;
};

// Attach to one dispatch: of several that have such a wave it records the first that comes.
class WaveRecorder final : public events::Listener {
public:
  // `workgroup`: its number in each dimension. `limit`: most steps that are kept.
  WaveRecorder(std::array<uint32_t, 3> workgroup, uint32_t wave, size_t limit = 20000);
  ~WaveRecorder() override;
  bool wants_steps() const override { return true; }
  bool wants_accesses() const override { return true; }
  bool wants_workgroup(const machine::Workgroup&) const override;
  void step(const events::Step&) override;
  void access(const events::Access&) override;

  WaveTrace trace() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace crosslane::views
